//! Words in texts and queries, pure: folding, the contents of the two word tables, queries, ranking, snippets.
//!
//! Invariant: text and query are folded in the same way, so a query has matches or none, but is never a syntax error.

use pintle_protocol::search::SnippetPiece;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The minimum length of a word in the table of substrings.
const SUBSTRING_CHARS: usize = 3;

/// The maximum query length, in characters and in words. More would not narrow the result further.
const MAX_QUERY_CHARS: usize = 1000;
const MAX_WORDS: usize = 16;

/// Marks omitted text between two short words, so that they do not seem adjacent.
const GAP: char = '\u{e000}';

/// Characters of a snippet before the first match, and in all.
const SNIPPET_BEFORE: usize = 40;
const SNIPPET_CHARS: usize = 160;

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query {
    /// Words and phrases, folded; an entry must contain all of them.
    pub(super) words: Vec<Word>,
    /// The query is not empty, but contains nothing that can be searched for.
    pub(super) is_unsearchable: bool,
}

/// A word or a phrase of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The text, folded.
    pub(super) text: String,
    /// The table that contains it.
    pub(super) table: Table,
}

/// A word table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// Substrings of three characters and more.
    Substrings,
    /// Short words, and characters of scripts without spaces.
    Short,
}

impl Query {
    /// Parses a query.
    pub(super) fn parse(query: &str) -> Self {
        let query: String = query.chars().take(MAX_QUERY_CHARS).collect();
        let mut parts: Vec<String> = Vec::new();
        let mut rest = query.as_str();
        // Every second piece between quotes is a phrase; an unmatched quote is ignored.
        while let Some((before, after)) = rest.split_once('"') {
            parts.extend(before.split_whitespace().map(str::to_owned));
            match after.split_once('"') {
                Some((phrase, after)) => {
                    parts.push(phrase.split_whitespace().collect::<Vec<_>>().join(" "));
                    rest = after;
                }
                None => rest = after,
            }
        }
        parts.extend(rest.split_whitespace().map(str::to_owned));
        let has_content = parts.iter().any(|part| !part.is_empty());
        let mut words: Vec<Word> = Vec::new();
        for part in parts {
            let text = fold(&part);
            let table = if text.chars().count() >= SUBSTRING_CHARS {
                Table::Substrings
            } else if text.chars().any(char::is_alphanumeric) {
                Table::Short
            } else {
                continue;
            };
            let word = Word { text, table };
            if !words.contains(&word) && words.len() < MAX_WORDS {
                words.push(word);
            }
        }
        Self { is_unsearchable: has_content && words.is_empty(), words }
    }
}

impl Word {
    /// Returns the word as a string of the table's query language.
    pub(super) fn quoted(&self) -> String {
        match self.table {
            Table::Substrings => format!("\"{}\"", self.text.replace('"', "\"\"")),
            Table::Short => format!("\"{}\"", short_words(&self.text)),
        }
    }
}

impl Word {
    /// Returns its match ranges in a folded text. A short word matches whole words only, as in its table.
    fn matches_in<'a>(&'a self, folded: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        let word = self.text.as_str();
        let is_whole = self.table == Table::Short && !word.chars().any(is_spaceless);
        let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || is_spaceless(c));
        let found = memchr::memmem::find_iter(folded.as_bytes(), word.as_bytes());
        found.map(move |start| (start, start + word.len())).filter(move |(start, end)| {
            let before = folded.get(..*start).and_then(|text| text.chars().next_back());
            let after = folded.get(*end..).and_then(|text| text.chars().next());
            !is_whole || (is_edge(before) && is_edge(after))
        })
    }

    /// Returns true if a folded text contains it.
    pub(super) fn is_in(&self, folded: &str) -> bool {
        self.matches_in(folded).next().is_some()
    }
}

/// Appends the folded form of a character: lower case, without accents, wide forms as plain ones.
fn fold_char(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(if c.is_ascii_whitespace() || c.is_ascii_control() {
            ' '
        } else {
            c.to_ascii_lowercase()
        });
        return;
    }
    // Decomposed, a Hangul syllable is three characters, which are never typed one by one.
    if ('\u{ac00}'..='\u{d7a3}').contains(&c) {
        out.push(c);
        return;
    }
    if c.is_whitespace() || c.is_control() {
        out.push(' ');
        return;
    }
    for plain in std::iter::once(c).nfkd().filter(|c| !is_combining_mark(*c)) {
        out.extend(plain.to_lowercase().filter(|c| !is_combining_mark(*c)));
    }
}

/// Folds a text for comparison.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        fold_char(c, &mut folded);
    }
    folded
}

/// Scripts without spaces between words.
fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}')
}

/// Returns a folded text's entry in the table of short words: words of one and two characters, and every character of a script without
/// spaces, with a mark for omitted text. Empty if there are none.
pub(super) fn short_words(folded: &str) -> String {
    let mut out = String::new();
    let mut has_gap = false;
    let mut word = String::new();
    let mut take = |word: &str, has_gap: &mut bool| {
        if word.is_empty() {
            return;
        }
        if word.chars().count() >= SUBSTRING_CHARS {
            *has_gap = true;
            return;
        }
        if !out.is_empty() {
            out.push(' ');
            if *has_gap {
                out.extend([GAP, ' ']);
            }
        }
        *has_gap = false;
        out.push_str(word);
    };
    for c in folded.chars() {
        if is_spaceless(c) {
            take(&word, &mut has_gap);
            word.clear();
            take(c.encode_utf8(&mut [0; 4]), &mut has_gap);
        } else if c.is_alphanumeric() {
            word.push(c);
        } else {
            take(&word, &mut has_gap);
            word.clear();
        }
    }
    take(&word, &mut has_gap);
    out
}

/// Returns the BM25 score of a text: `average_length` in bytes; each word with the number of entries that contain it.
pub(super) fn rank(folded: &str, words: &[(&Word, u64)], entries: u64, average_length: f64) -> f64 {
    const SATURATION: f64 = 1.2;
    const LENGTH_WEIGHT: f64 = 0.75;
    let count = |n: u64| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    let length = count(folded.len() as u64) / average_length.max(1.0);
    let mut score = 0.0;
    for (word, holders) in words {
        let holders = count(*holders);
        let rarity = (1.0 + (count(entries) - holders + 0.5).max(0.5) / (holders + 0.5)).ln();
        let found = count(word.matches_in(folded).count() as u64);
        let damped = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
        score += rarity * found * (SATURATION + 1.0) / (found + damped);
    }
    score
}

/// Returns the text around the first match, with every match in it marked. Line ends and control characters become spaces.
pub(super) fn snippet(text: &str, words: &[Word]) -> Vec<SnippetPiece> {
    // Each character with its folded form's offset.
    let mut folded = String::with_capacity(text.len());
    let mut chars: Vec<(usize, char)> = Vec::new();
    for c in text.chars() {
        chars.push((folded.len(), c));
        fold_char(c, &mut folded);
    }
    let mut matches: Vec<(usize, usize)> = Vec::new();
    for word in words {
        matches.extend(word.matches_in(&folded));
    }
    matches.sort_unstable();
    let first = matches.first().map_or(0, |(start, _)| *start);
    let at = chars.partition_point(|(offset, _)| *offset < first);
    let from = at.saturating_sub(SNIPPET_BEFORE);
    let to = (from + SNIPPET_CHARS).min(chars.len());

    let mut pieces: Vec<SnippetPiece> = Vec::new();
    let mut push = |c: char, is_match: bool| match pieces.last_mut() {
        Some(piece) if piece.is_match == is_match => piece.text.push(c),
        Some(_) | None => pieces.push(SnippetPiece { text: c.to_string(), is_match }),
    };
    if from > 0 {
        push('…', false);
    }
    let mut next = 0;
    for (offset, c) in chars.get(from..to).unwrap_or_default() {
        while matches.get(next).is_some_and(|(_, end)| end <= offset) {
            next += 1;
        }
        let is_match = matches.get(next).is_some_and(|(start, _)| start <= offset);
        let is_blank = c.is_whitespace() || c.is_control();
        push(if is_blank { ' ' } else { *c }, is_match);
    }
    if to < chars.len() {
        push('…', false);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_words_and_phrases_whatever_is_typed() {
        let long = "x".repeat(10_000);
        let (long_word, long_want) = (long.as_str(), format!("\"{}\"", "x".repeat(1000)));
        for (query, want) in [
            ("", ""),
            ("   ", ""),
            ("one two", r#""one" "two""#),
            ("\"one two\" three", r#""one two" "three""#),
            ("\"one", r#""one""#),
            ("o\"ne", r#""o" "ne""#),
            ("AND OR NOT NEAR(a b) col:x *", r#""and" "or" "not" "near(a" "b" "col:x""#),
            ("a'b; DROP TABLE x;--", r#""a'b;" "drop" "table" "x;--""#),
            ("Ünïcode ＡＢＣ", r#""unicode" "abc""#),
            ("中文", "\"中 文\""),
            ("测试用例", "\"测试用例\""),
            ("中", "\"中\""),
            ("-> ::", ""),
            ("word word", "\"word\""),
            ("src/main.rs", "\"src/main.rs\""),
            (long_word, &long_want),
        ] {
            let quoted: Vec<String> = Query::parse(query).words.iter().map(Word::quoted).collect();
            assert_eq!(quoted.join(" "), want, "{query}");
        }
        assert!(Query::parse("-> ::").is_unsearchable);
        assert!(!Query::parse(" \"\" ").is_unsearchable);
        let many: Vec<String> = (0..99).map(|n| format!("word{n}")).collect();
        assert_eq!(Query::parse(&many.join(" ")).words.len(), MAX_WORDS);
    }

    #[test]
    fn short_words_keep_their_neighbours_apart() {
        for (text, want) in [
            ("nothing here", ""),
            ("go to io", "go to io"),
            ("go there io", "go \u{e000} io"),
            ("修复bug了", "修 复 \u{e000} 了"),
            ("修复 测试", "修 复 测 试"),
            ("한국어", "한 국 어"),
        ] {
            assert_eq!(short_words(&fold(text)), want, "{text}");
        }
    }

    #[test]
    fn snippets_show_the_first_match_and_mark_all() {
        let far = format!("{} needle {}", "a".repeat(100), "b".repeat(200));
        let far_want =
            format!("…{}[needle]{}…", "a".repeat(39) + " ", " ".to_owned() + &"b".repeat(113));
        for (text, query, want) in [
            ("one two", "two", "one [two]"),
            ("Über\nall", "uber", "[Über] all"),
            ("u\u{308}ber", "uber", "[u\u{308}ber]"),
            ("aaaaaa", "aaa", "[aaaaaa]"),
            ("one two one", "two one", "[one] [two] [one]"),
            ("one two one", "\"two one\"", "one [two one]"),
            ("good to go", "go", "good to [go]"),
            ("nothing", "else", "nothing"),
            ("我们的中文测试", "中文", "我们的[中文]测试"),
            ("", "x", ""),
            (&far, "needle", &far_want),
        ] {
            let shown: String = snippet(text, &Query::parse(query).words)
                .iter()
                .map(|p| if p.is_match { format!("[{}]", p.text) } else { p.text.clone() })
                .collect();
            assert_eq!(shown, want, "{text}");
        }
    }

    #[test]
    fn what_fits_better_ranks_higher() {
        let query = Query::parse("rare common");
        let words = [(&query.words[0], 2), (&query.words[1], 90)];
        let of = |text: &str| rank(text, &words, 100, 20.0);
        for (better, worse) in [
            ("rare common", "common common common"),
            ("rare rare common", "rare common aaaa"),
            ("rare common", "rare common and many more words that say nothing"),
        ] {
            assert!(of(better) > of(worse), "{better} / {worse}");
        }
    }
}
