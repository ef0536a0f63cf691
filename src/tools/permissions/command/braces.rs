//! Brace expansion, as bash does it: `src/{main,lib}.rs`, `{1..3}`. Pure.
//!
//! A word is expanded only if every brace belongs to a list or a range and all its text is known.

use super::words::Part;

/// The maximum number of words that one word becomes.
const MAX_WORDS: usize = 64;

/// The depth of lists in lists that is followed.
const MAX_DEPTH: usize = 4;

/// A character, and true if it may be syntax: it is neither quoted nor escaped.
type Char = (char, bool);

/// Returns the expanded words as their parts. `None` if there is nothing to expand, or bash's result is not certain.
pub(super) fn expand(parts: &[Part]) -> Option<Vec<Vec<Part>>> {
    let mut chars: Vec<Char> = Vec::new();
    for part in parts {
        match part {
            Part::Unknown { .. } => return None,
            Part::Quoted(text) => chars.extend(text.chars().map(|c| (c, false))),
            Part::Bare(raw) => {
                let mut raw = raw.chars();
                while let Some(c) = raw.next() {
                    match c {
                        '\\' => match raw.next()? {
                            '\n' => {}
                            escaped => chars.push((escaped, false)),
                        },
                        c => chars.push((c, true)),
                    }
                }
            }
        }
    }
    if !chars.contains(&('{', true)) {
        return None;
    }
    let words = alternatives(&chars, 0)?;
    // Bash drops a word of which nothing is left.
    if words.iter().any(Vec::is_empty) {
        return None;
    }
    Some(words.iter().map(|word| regrouped(word)).collect())
}

/// Returns a text's expansions.
fn alternatives(text: &[Char], depth: usize) -> Option<Vec<Vec<Char>>> {
    if depth > MAX_DEPTH {
        return None;
    }
    let Some(begin) = text.iter().position(|c| *c == ('{', true)) else {
        return (!text.contains(&('}', true))).then(|| vec![text.to_vec()]);
    };
    let (before, rest) = (text.get(..begin)?, text.get(begin + 1..)?);
    if before.contains(&('}', true)) {
        return None;
    }
    let (inner, after) = closed(rest)?;
    let items = split(inner);
    let middles = if let [only] = &*items {
        range(only)?
    } else {
        let lists: Option<Vec<_>> =
            items.iter().map(|item| alternatives(item, depth + 1)).collect();
        lists?.concat()
    };
    let ends = alternatives(after, depth)?;
    if middles.len() * ends.len() > MAX_WORDS {
        return None;
    }
    let words = middles
        .iter()
        .flat_map(|middle| ends.iter().map(move |end| [before, middle, end].concat()));
    Some(words.collect())
}

/// Splits behind the brace that closes the one before the text.
fn closed(text: &[Char]) -> Option<(&[Char], &[Char])> {
    let mut open = 1_usize;
    for (at, c) in text.iter().enumerate() {
        match c {
            ('{', true) => open += 1,
            ('}', true) => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some((text.get(..at)?, text.get(at + 1..)?));
        }
    }
    None
}

/// Splits at the commas that are in no inner list.
fn split(text: &[Char]) -> Vec<&[Char]> {
    let mut open = 0_usize;
    let is_border = |c: &Char| {
        match c {
            ('{', true) => open += 1,
            ('}', true) => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0 && *c == (',', true)
    };
    text.split(is_border).collect()
}

/// Expands a range: numbers without leading zeros, or letters in one case.
fn range(text: &[Char]) -> Option<Vec<Vec<Char>>> {
    if text.iter().any(|(_, is_bare)| !is_bare) {
        return None;
    }
    let text: String = text.iter().map(|(c, _)| *c).collect();
    let (first, last) = text.split_once("..")?;
    let number = |text: &str| {
        let number: i64 = text.parse().ok()?;
        (number.to_string() == text).then_some(number)
    };
    let letter = |text: &str| {
        let mut chars = text.chars();
        let letter = chars.next().filter(char::is_ascii_alphabetic)?;
        chars.next().is_none().then_some(letter)
    };
    let known = |word: String| word.chars().map(|c| (c, false)).collect();
    match (number(first), number(last), letter(first), letter(last)) {
        (Some(first), Some(last), _, _) => {
            let (low, high) = (first.min(last), first.max(last));
            let count = usize::try_from(high.checked_sub(low)?).ok()?;
            let mut words: Vec<_> = (count < MAX_WORDS)
                .then(|| (low..=high).map(|number| known(number.to_string())).collect())?;
            if first > last {
                words.reverse();
            }
            Some(words)
        }
        (_, _, Some(first), Some(last))
            if first.is_ascii_lowercase() == last.is_ascii_lowercase() =>
        {
            let (low, high) = (first.min(last), first.max(last));
            let mut words: Vec<_> = (low..=high).map(|letter| known(letter.to_string())).collect();
            if first > last {
                words.reverse();
            }
            Some(words)
        }
        _ => None,
    }
}

fn regrouped(word: &[Char]) -> Vec<Part> {
    let groups = word.chunk_by(|(_, a), (_, b)| a == b);
    let parts = groups.map(|group| {
        let text: String = group.iter().map(|(c, _)| *c).collect();
        match group.first() {
            Some((_, true)) => Part::Bare(text),
            _ => Part::Quoted(text),
        }
    });
    parts.collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test asks bash itself")]
mod tests {
    use super::*;
    use pintle_testing::chance::cases;
    use proptest::prelude::*;

    #[test]
    fn braces_become_the_words_that_bash_makes() {
        for (source, want) in [
            ("src/{main,lib}.rs", Some("src/main.rs src/lib.rs")),
            ("{a,b}{1,2}", Some("a1 a2 b1 b2")),
            ("a{b,{c,d}}e", Some("abe ace ade")),
            ("x{,y}", Some("x xy")),
            ("{1..3}", Some("1 2 3")),
            ("{3..-1}", Some("3 2 1 0 -1")),
            ("f{a..c}", Some("fa fb fc")),
            ("{c..a}", Some("c b a")),
            (r"a\{b,c}", None),
            (r"{a\,b,c}", Some("a,b c")),
            ("plain", None),
            ("{}", None),
            ("{a}", None),
            ("{a,b", None),
            ("a,b}", None),
            ("}{a,b}", None),
            ("{,a}", None),
            ("{01..03}", None),
            ("{1..9..2}", None),
            ("{a..Z}", None),
            ("{1..1000}", None),
            ("{1..8}{1..9}", None),
            ("{a,{b,{c,{d,{e,{f,g}}}}}}", None),
            ("{-9223372036854775808..9223372036854775807}", None),
        ] {
            let got = expand(&[Part::Bare(source.to_owned())]).map(|words| {
                let text = |part: &Part| match part {
                    Part::Quoted(text) | Part::Bare(text) => text.clone(),
                    Part::Unknown { .. } => "?".to_owned(),
                };
                let words = words.iter().map(|parts| parts.iter().map(text).collect::<String>());
                words.collect::<Vec<_>>().join(" ")
            });
            assert_eq!(got.as_deref(), want, "{source}");
        }
        let quoted =
            [Part::Bare("{".into()), Part::Quoted("a, *".into()), Part::Bare(",*}".into())];
        let want = [vec![Part::Quoted("a, *".into())], vec![Part::Bare("*".into())]];
        assert_eq!(expand(&quoted).unwrap(), want);
        assert_eq!(expand(&[Part::Bare("{a,".into()), Part::Unknown { is_quoted: true }]), None);
    }

    proptest! {
        #![proptest_config(cases(400))]

        #[test]
        fn bash_makes_the_same_words_of_what_is_expanded(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "{", "}", "}", ",", ",", "..", "a", "b", "1", "3", "-", r"\{", r"\,", "\\\n",
                ]),
                3..12,
            ),
        ) {
            let word = pieces.concat();
            let Some(expanded) = expand(&[Part::Bare(word.clone())]) else { return Ok(()) };
            let text = |part: &Part| match part {
                Part::Quoted(text) | Part::Bare(text) => text.clone(),
                Part::Unknown { .. } => unreachable!(),
            };
            let ours: Vec<String> =
                expanded.iter().map(|parts| parts.iter().map(text).collect()).collect();
            let script = format!("printf '<%s>' {word}");
            let output = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
            let bash = String::from_utf8(output.stdout).unwrap();
            prop_assert_eq!(format!("<{}>", ours.join("><")), bash, "{}", word);
        }
    }
}
