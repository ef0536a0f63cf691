//! How a program reads its flags, in a short notation: pure.
//!
//! A flag list is a text of tokens with blanks between them:
//!
//! | token | meaning |
//! |---|---|
//! | `-abc` | three flags of one letter without a value, which may share a word |
//! | `-n:` | takes a text, attached or as the next word |
//! | `-f@` | takes a file that is read, attached or as the next word |
//! | `-C?` | takes a text, attached only |
//! | `-#` | a number, as in `-20` |
//! | `--all`, `--max:`, `--file@`, `--color?` | the same for long flags, whose attached values follow `=` |
//!
//! A `!` at the end of a token marks the flag; the mark's meaning depends on the table. Only listed flags are understood: an abbreviation
//! of a long flag is an unknown flag.

use std::collections::HashMap;

/// How the words of flags are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Letters that may share a word, and long flags behind two dashes.
    Usual,
    /// Whole words behind one dash, as in `find -name x`.
    Words,
}

/// The position of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Before the first operand only: what follows belongs to another program.
    Leading,
    /// Anywhere before `--`.
    Anywhere,
}

/// A program's words as it reads them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    /// The files that values of flags name.
    pub files: Vec<&'a str>,
    /// The words that are neither flags nor their values.
    pub operands: Vec<&'a str>,
    /// Index of the first operand, or the word count.
    pub first_operand: usize,
    /// True if a marked flag is among them.
    pub is_marked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    None,
    Text,
    File,
    Attached,
}

/// A flag's notation.
#[derive(Debug, Clone, Copy)]
struct Flag {
    value: Value,
    is_marked: bool,
}

/// A parsed flag list.
#[derive(Debug)]
pub(super) struct List {
    style: Style,
    letters: HashMap<char, Flag>,
    /// Long flags, and all flags if they do not share a word.
    words: HashMap<&'static str, Flag>,
    number: Option<Flag>,
}

impl List {
    /// Parses the notation. Of two tokens for a flag, the first counts.
    pub(super) fn new(notation: &'static str, style: Style) -> Self {
        let (mut letters, mut words, mut number) = (HashMap::new(), HashMap::new(), None);
        for token in notation.split(' ').filter(|token| !token.is_empty()) {
            let (token, is_marked) =
                token.strip_suffix('!').map_or((token, false), |token| (token, true));
            let kinds = [(':', Value::Text), ('@', Value::File), ('?', Value::Attached)];
            let found =
                kinds.iter().find_map(|(end, value)| Some((token.strip_suffix(*end)?, *value)));
            let (name, value) = found.unwrap_or((token, Value::None));
            let flag = Flag { value, is_marked };
            match name.strip_prefix('-').filter(|_| style == Style::Usual) {
                Some("#") => number = Some(flag),
                Some(shared) if !shared.starts_with('-') => {
                    shared.chars().for_each(|letter| {
                        letters.entry(letter).or_insert(flag);
                    });
                }
                _ => {
                    words.entry(name).or_insert(flag);
                }
            }
        }
        Self { style, letters, words, number }
    }

    /// Returns true if the flag is in the list, with any value.
    pub(super) fn has(&self, flag: &str) -> bool {
        let reads = |words: &[&str]| self.read(Order::Anywhere, words).is_ok();
        reads(&[flag]) || reads(&[flag, "x"])
    }

    /// Reads the words after a program's name.
    ///
    /// # Errors
    /// The first flag that is not in the list, or that lacks its value.
    pub(super) fn read<'a>(&self, order: Order, words: &[&'a str]) -> Result<Reading<'a>, &'a str> {
        let mut reading = Reading { first_operand: words.len(), ..Reading::default() };
        let mut at = 0;
        while let Some(word) = words.get(at).copied() {
            at += 1;
            let is_end = word == "--" && self.style == Style::Usual;
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
            let (flag, attached) = self.find(word).ok_or(word)?;
            reading.is_marked |= flag.is_marked;
            let value = match (flag.value, attached) {
                (Value::Text | Value::File, None) => {
                    at += 1;
                    Some(words.get(at - 1).copied().ok_or(word)?)
                }
                (_, attached) => attached,
            };
            if let (Value::File, Some(file)) = (flag.value, value) {
                reading.files.push(file);
            }
        }
        Ok(reading)
    }

    /// Returns the files that known flags name. Unknown flags are passed over.
    pub(super) fn files<'a>(&self, words: &[&'a str]) -> Vec<&'a str> {
        let flags = words.iter().enumerate().filter_map(|(at, word)| {
            let (flag, attached) = self.find(word)?;
            let next = || words.get(at + 1).copied();
            (flag.value == Value::File).then(|| attached.or_else(next)).flatten()
        });
        flags.collect()
    }

    /// Finds a word's flag and its attached value. In a group such as `-abc`, that is the last flag; it is marked if any of them is.
    fn find<'a>(&self, word: &'a str) -> Option<(Flag, Option<&'a str>)> {
        if self.style == Style::Words {
            return Some((*self.words.get(word)?, None));
        }
        if word.starts_with("--") {
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let flag = *self.words.get(name)?;
            return (value.is_none() || flag.value != Value::None).then_some((flag, value));
        }
        let letters = word.strip_prefix('-')?;
        if let Some(flag) = self.number.filter(|_| letters.chars().all(|c| c.is_ascii_digit())) {
            return Some((flag, None));
        }
        let mut is_marked = false;
        let mut last = None;
        for (index, letter) in letters.char_indices() {
            let flag = *self.letters.get(&letter)?;
            is_marked |= flag.is_marked;
            let flag = Flag { is_marked, ..flag };
            if flag.value != Value::None {
                let rest = letters.get(index + letter.len_utf8()..).filter(|rest| !rest.is_empty());
                return Some((flag, rest));
            }
            last = Some((flag, None));
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &str = "-abc -n: -f@ -C? -# --all --max: --file@ --color? -R! --follow!";

    #[test]
    fn words_are_read_as_their_program_reads_them() {
        let list = List::new(FLAGS, Style::Usual);
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
            let got = list.read(Order::Anywhere, &words).ok().map(|reading| {
                let mark = if reading.is_marked { "!" } else { "" };
                format!("{}|{}|{mark}", reading.files.join(","), reading.operands.join(","))
            });
            assert_eq!(got.as_deref(), want, "{line}");
        }
    }

    #[test]
    fn what_follows_the_first_operand_belongs_to_another_program() {
        let list = List::new(FLAGS, Style::Usual);
        for (line, want) in [
            ("-n 5 make -j4", Some(2)),
            ("-n5 make --all", Some(1)),
            ("-- make", Some(1)),
            ("-a", Some(1)),
            ("-d make", None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            let got = list.read(Order::Leading, &words).ok();
            assert_eq!(got.map(|reading| reading.first_operand), want, "{line}");
        }
    }

    #[test]
    fn whole_words_do_not_share_one() {
        let list = List::new("-name: -print -newer@ -L!", Style::Words);
        for (line, want) in [
            (". -name x -print", Some(". ")),
            ("-newer y", Some(" y")),
            ("-pr", None),
            ("-L .", Some(". !")),
            ("-name", None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            let got = list.read(Order::Anywhere, &words).ok().map(|reading| {
                let mark = if reading.is_marked { "!" } else { "" };
                format!("{} {}{mark}", reading.operands.join(","), reading.files.join(","))
            });
            assert_eq!(got.as_deref(), want, "{line}");
        }
    }
}
