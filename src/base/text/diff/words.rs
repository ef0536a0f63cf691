//! The words that differ between two runs of lines.

use crate::text::parts;
use similar::{DiffOp, DiffableStr, diff_ratio};
use std::ops::Range;
use std::time::Duration;

/// The share of words that two runs must have in common.
const MIN_RATIO: f32 = 0.5;

/// Line counts may differ by at most this factor.
const MAX_TIMES: usize = 3;

/// The deadline for a finer diff.
const DEADLINE: Duration = Duration::from_millis(500);

/// A word: line number, offset in the line, text.
type Word<'a> = (usize, usize, &'a str);

/// Returns the differing words on each side: line number from 0, and bytes in the line. Empty if the runs have little in common.
/// Lines that differ completely are left out.
pub(super) fn differing(old: &[&str], new: &[&str]) -> [Vec<(usize, Range<usize>)>; 2] {
    let (fewer, more) = (old.len().min(new.len()), old.len().max(new.len()));
    if more > MAX_TIMES * fewer {
        return [Vec::new(), Vec::new()];
    }
    let words = [of_lines(old), of_lines(new)];
    let [old_texts, new_texts] = words.each_ref().map(|words| texts(words));
    let (old_numbers, new_numbers) = parts::numbers(&old_texts, &new_texts);
    let ops = parts::readable(&old_numbers, &new_numbers, Some(DEADLINE));
    if diff_ratio(&ops, old_texts.len(), new_texts.len()) < MIN_RATIO {
        return [Vec::new(), Vec::new()];
    }
    let [old_words, new_words] = &words;
    let (mut removed, mut added) = (Found::new(old.len()), Found::new(new.len()));
    for op in &ops {
        let is_equal = matches!(op, DiffOp::Equal { .. });
        removed.add(old_words.get(op.old_range()).unwrap_or_default(), is_equal);
        added.add(new_words.get(op.new_range()).unwrap_or_default(), is_equal);
    }
    [removed.finish(), added.finish()]
}

fn of_lines<'a>(lines: &[&'a str]) -> Vec<Word<'a>> {
    let mut all = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        let mut offset = 0;
        for word in text.tokenize_unicode_words() {
            all.push((line, offset, word));
            offset += word.len();
        }
    }
    all
}

fn texts<'a>(words: &[Word<'a>]) -> Vec<&'a str> {
    words.iter().map(|(_, _, text)| *text).collect()
}

/// The differing words of a side.
struct Found {
    all: Vec<(usize, Range<usize>)>,
    /// For each line, if it has something in common with the other side.
    is_shared: Vec<bool>,
}

impl Found {
    fn new(lines: usize) -> Self {
        Self { all: Vec::new(), is_shared: vec![false; lines] }
    }

    /// Adds words that follow each other.
    fn add(&mut self, words: &[Word<'_>], is_equal: bool) {
        for of_line in words.chunk_by(|(a, ..), (b, ..)| a == b) {
            let Some(&(line, start, _)) = of_line.first() else { continue };
            if is_equal {
                let is_blank = of_line.iter().all(|(_, _, word)| word.trim().is_empty());
                if let Some(is_shared) = self.is_shared.get_mut(line) {
                    *is_shared |= !is_blank;
                }
                continue;
            }
            // A line ending is no word.
            let text = of_line.iter().map(|(_, _, word)| word.trim_end_matches(['\r', '\n']));
            let len: usize = text.map(str::len).sum();
            if len > 0 {
                self.all.push((line, start..start + len));
            }
        }
    }

    fn finish(mut self) -> Vec<(usize, Range<usize>)> {
        self.all.retain(|(line, _)| self.is_shared.get(*line).is_some_and(|is_shared| *is_shared));
        self.all
    }
}
