//! How a program reads its flags, in a short notation: pure.
//!
//! A list of flags is a text of tokens with blanks between them:
//!
//! | token | meaning |
//! |---|---|
//! | `-abc` | three flags of one letter without a value, which may share a word |
//! | `-n:` | takes a text, attached or as the next word |
//! | `-f@` | takes a file that is read, attached or as the next word |
//! | `-C?` | takes a text, attached only |
//! | `-#` | a number, as in `-20` |
//! | `--all`, `--max:`, `--file@`, `--color?` | the same for long flags, whose attached values stand behind `=` |
//!
//! A `!` at the end of a token marks the flag; the table it stands in says what that means. Only what is listed is
//! understood: an abbreviation of a long flag is an unknown flag.

/// How the words of flags are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Letters that may share a word, and long flags behind two dashes.
    Usual,
    /// Whole words behind one dash, as in `find -name x`.
    Words,
}

/// Where flags stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Before the first operand only: what follows belongs to another program.
    Leading,
    /// Anywhere before `--`.
    Anywhere,
}

/// The words of a program as it reads them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    /// The files that values of flags name.
    pub files: Vec<&'a str>,
    /// The words that are neither flags nor their values.
    pub operands: Vec<&'a str>,
    /// The index of the first operand, or the number of words.
    pub first_operand: usize,
    /// A marked flag is among them.
    pub is_marked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    None,
    Text,
    File,
    Attached,
}

#[derive(Debug, Clone, Copy)]
struct Token<'n> {
    name: &'n str,
    value: Value,
    is_marked: bool,
}

impl<'n> Token<'n> {
    fn new(token: &'n str) -> Self {
        let (token, is_marked) =
            token.strip_suffix('!').map_or((token, false), |token| (token, true));
        let kinds = [(':', Value::Text), ('@', Value::File), ('?', Value::Attached)];
        let found = kinds.iter().find_map(|(end, value)| Some((token.strip_suffix(*end)?, *value)));
        let (name, value) = found.unwrap_or((token, Value::None));
        Self { name, value, is_marked }
    }
}

/// Reads words behind the name of a program.
///
/// # Errors
/// The first flag that is not in the list, or that lacks its value.
pub(super) fn read<'a>(
    flags: &str,
    style: Style,
    order: Order,
    words: &[&'a str],
) -> Result<Reading<'a>, &'a str> {
    let mut reading = Reading { first_operand: words.len(), ..Reading::default() };
    let mut at = 0;
    while let Some(word) = words.get(at).copied() {
        at += 1;
        let is_end = word == "--" && style == Style::Usual;
        if is_end || !word.starts_with('-') || word == "-" {
            let first = if is_end { at } else { at - 1 };
            let is_over = is_end || order == Order::Leading;
            reading.first_operand = reading.first_operand.min(first);
            if is_over {
                reading.operands.extend(words.get(first..).unwrap_or_default());
                return Ok(reading);
            }
            reading.operands.push(word);
            continue;
        }
        let (token, attached) = find(flags, style, word).ok_or(word)?;
        reading.is_marked |= token.is_marked;
        let value = match (token.value, attached) {
            (Value::Text | Value::File, None) => {
                at += 1;
                Some(words.get(at - 1).copied().ok_or(word)?)
            }
            (_, attached) => attached,
        };
        reading.is_marked |= is_marked_in_group(flags, style, word);
        if let (Value::File, Some(file)) = (token.value, value) {
            reading.files.push(file);
        }
    }
    Ok(reading)
}

/// The token of a word, of the last letter if several share it, and the value that is attached to it.
fn find<'n, 'a>(
    flags: &'n str,
    style: Style,
    word: &'a str,
) -> Option<(Token<'n>, Option<&'a str>)> {
    let tokens = || flags.split(' ').map(Token::new);
    if style == Style::Words {
        return Some((tokens().find(|token| token.name == word)?, None));
    }
    if word.starts_with("--") {
        let (name, value) =
            word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let token = tokens().find(|token| token.name == name)?;
        return (value.is_none() || token.value != Value::None).then_some((token, value));
    }
    let letters = word.strip_prefix('-')?;
    if letters.chars().all(|c| c.is_ascii_digit())
        && let Some(token) = tokens().find(|token| token.name == "-#")
    {
        return Some((token, None));
    }
    let mut last = None;
    for (index, letter) in letters.char_indices() {
        let token = of_letter(flags, letter)?;
        if token.value == Value::None {
            last = Some((token, None));
            continue;
        }
        let rest = letters.get(index + letter.len_utf8()..).filter(|rest| !rest.is_empty());
        return Some((token, rest));
    }
    last
}

fn of_letter(flags: &str, letter: char) -> Option<Token<'_>> {
    let mut tokens = flags.split(' ').map(Token::new);
    tokens.find(|token| {
        let letters = token.name.strip_prefix('-').filter(|name| !name.starts_with('-'));
        letters.is_some_and(|letters| letters != "#" && letters.contains(letter))
    })
}

/// True if one of the letters that share a word is marked.
fn is_marked_in_group(flags: &str, style: Style, word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let Some(letters) = letters.filter(|_| style == Style::Usual) else { return false };
    let mut found = letters.chars().map_while(|letter| of_letter(flags, letter));
    // A letter behind one with a value belongs to the value.
    let mut is_value = false;
    found.any(|token| {
        let is_marked = token.is_marked && !is_value;
        is_value |= token.value != Value::None;
        is_marked
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &str = "-abc -n: -f@ -C? -# --all --max: --file@ --color? -R! --follow!";

    #[test]
    fn words_are_read_as_their_program_reads_them() {
        for (line, want) in [
            ("", Some("||")),
            ("x", Some("|x|")),
            ("-", Some("|-|")),
            ("-a x -b", Some("|x|")),
            ("-abc", Some("||")),
            ("-abn5", Some("||")),
            ("-abn 5 x", Some("|x|")),
            ("-n", None),
            ("-fx", Some("x||")),
            ("-af x", Some("x||")),
            ("-f x y", Some("x|y|")),
            ("-C x", Some("|x|")),
            ("-C5 x", Some("|x|")),
            ("-20", Some("||")),
            ("-2x", None),
            ("-d", None),
            ("-ad", None),
            ("--all", Some("||")),
            ("--all=x", None),
            ("--al", None),
            ("--max 5 x", Some("|x|")),
            ("--max=5", Some("||")),
            ("--file=x", Some("x||")),
            ("--file x", Some("x||")),
            ("--color x", Some("|x|")),
            ("--color=x", Some("||")),
            ("-- -d --evil", Some("|-d,--evil|")),
            ("x --evil", None),
            ("-R", Some("||!")),
            ("-aRb", Some("||!")),
            ("-nR", Some("||")),
            ("--follow", Some("||!")),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            let got = read(FLAGS, Style::Usual, Order::Anywhere, &words).ok().map(|reading| {
                let mark = if reading.is_marked { "!" } else { "" };
                format!("{}|{}|{mark}", reading.files.join(","), reading.operands.join(","))
            });
            assert_eq!(got.as_deref(), want, "{line}");
        }
    }

    #[test]
    fn what_follows_the_first_operand_belongs_to_another_program() {
        for (line, want) in [
            ("-n 5 make -j4", Some(2)),
            ("-n5 make --all", Some(1)),
            ("-- make", Some(1)),
            ("-a", Some(1)),
            ("-d make", None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            let got = read(FLAGS, Style::Usual, Order::Leading, &words).ok();
            assert_eq!(got.map(|reading| reading.first_operand), want, "{line}");
        }
    }

    #[test]
    fn whole_words_do_not_share_one() {
        let flags = "-name: -print -newer@ -L!";
        for (line, want) in [
            (". -name x -print", Some(". ")),
            ("-newer y", Some(" y")),
            ("-pr", None),
            ("-L .", Some(". !")),
            ("-name", None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            let got = read(flags, Style::Words, Order::Anywhere, &words).ok().map(|reading| {
                let mark = if reading.is_marked { "!" } else { "" };
                format!("{} {}{mark}", reading.operands.join(","), reading.files.join(","))
            });
            assert_eq!(got.as_deref(), want, "{line}");
        }
    }
}
