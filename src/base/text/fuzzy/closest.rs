//! Finds the region that is most similar to a piece that does not occur, to show a model where to look.

use std::collections::HashMap;

/// The nearest region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closest {
    /// Its first line, 1-based.
    pub first_line: u64,
    /// Its last line.
    pub last_line: u64,
    /// The similarity in percent.
    pub percent: u8,
}

/// Less alike than this is no help.
const MIN_PERCENT: u8 = 60;

/// A larger text is not searched: the answer is not worth the time.
const MAX_LINES: usize = 20_000;

/// A piece of more lines is not compared in full.
const MAX_PIECE_LINES: usize = 200;

/// The number of regions that are compared in detail.
const CANDIDATES: usize = 8;

/// Finds the region of `text` that is most like `piece`. Both are folded.
pub(super) fn find(text: &str, piece: &str) -> Option<Closest> {
    let lines: Vec<&str> = text.lines().take(MAX_LINES + 1).map(str::trim).collect();
    let piece: Vec<&str> = piece.lines().take(MAX_PIECE_LINES).map(str::trim).collect();
    if lines.len() > MAX_LINES || piece.iter().all(|line| line.is_empty()) {
        return None;
    }
    let best = starts(&lines, &piece)
        .into_iter()
        .map(|start| (likeness(lines.get(start..).unwrap_or_default(), &piece), start))
        // The earliest of several that are alike.
        .max_by_key(|(percent, start)| (*percent, std::cmp::Reverse(*start)))?;
    let (percent, start) = best;
    let end = (start + piece.len()).min(lines.len());
    (percent >= MIN_PERCENT).then_some(Closest {
        first_line: start as u64 + 1,
        last_line: end as u64,
        percent,
    })
}

/// Returns candidate positions: those of the piece's lines, and near matches of its longest line.
fn starts(lines: &[&str], piece: &[&str]) -> Vec<usize> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in piece.iter().enumerate().filter(|(_, line)| line.len() > 3) {
        places.entry(line).or_default().push(at);
    }
    let mut votes: HashMap<usize, u32> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for place in places.get(line).into_iter().flatten() {
            *votes.entry(at.saturating_sub(*place)).or_default() += 100;
        }
    }
    let probe =
        piece.iter().enumerate().max_by_key(|(at, line)| (line.len(), std::cmp::Reverse(*at)));
    if let Some((place, probe)) = probe {
        let pairs = pairs(probe);
        for (at, line) in lines.iter().enumerate() {
            let alike = dice(&pairs, probe.len(), line);
            if alike >= 40 {
                *votes.entry(at.saturating_sub(place)).or_default() += u32::from(alike);
            }
        }
    }
    let mut ranked: Vec<(u32, usize)> =
        votes.into_iter().map(|(start, vote)| (vote, start)).collect();
    ranked.sort_by_key(|(vote, start)| (std::cmp::Reverse(*vote), *start));
    ranked.into_iter().take(CANDIDATES).map(|(_, start)| start).collect()
}

/// Returns the similarity of two lists of lines in percent, weighted by line length.
fn likeness(region: &[&str], piece: &[&str]) -> u8 {
    let (mut sum, mut weight) = (0, 0);
    for (at, line) in piece.iter().enumerate() {
        let length = line.len() + 1;
        let alike = match region.get(at) {
            Some(other) if other == line => 100,
            Some(other) => dice(&pairs(line), line.len(), other),
            None => 0,
        };
        sum += usize::from(alike) * length;
        weight += length;
    }
    u8::try_from(sum / weight.max(1)).unwrap_or(100)
}

fn pairs(line: &str) -> HashMap<[u8; 2], u32> {
    let mut pairs = HashMap::new();
    for pair in line.as_bytes().windows(2) {
        if let [a, b] = pair {
            *pairs.entry([*a, *b]).or_default() += 1;
        }
    }
    pairs
}

/// Shared pairs of neighbouring bytes, in percent (Dice's coefficient).
fn dice(left: &HashMap<[u8; 2], u32>, left_len: usize, right: &str) -> u8 {
    let total = left_len.saturating_sub(1) + right.len().saturating_sub(1);
    // Lines of very different length cannot be alike enough, and are most of them.
    if total == 0 || left_len.min(right.len()) * 4 < left_len.max(right.len()) {
        return 0;
    }
    let mut left = left.clone();
    let mut shared = 0;
    for pair in right.as_bytes().windows(2) {
        if let [a, b] = pair
            && let Some(count) = left.get_mut(&[*a, *b])
            && *count > 0
        {
            *count -= 1;
            shared += 1;
        }
    }
    u8::try_from(200 * shared / total).unwrap_or(100)
}
