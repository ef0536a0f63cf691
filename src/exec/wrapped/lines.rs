//! Facts and lines of a file, as the scripts print them: pure.

use super::cksum;
use crate::{Error, FileKind, Lines, Stat, Version, Window, files};
use std::path::{Path, PathBuf};

/// Beyond this size a file's lines are not counted, and its version is its size.
const MAX_COUNTED_BYTES: u64 = 64 * 1024 * 1024;

/// Numbers that every shell can count with.
const MAX_NUMBER: u64 = 1 << 40;

/// Parses the output of `stat.sh`: type, bytes, seconds since 1970, perhaps with a fraction.
pub(super) fn stat(answer: &[u8]) -> Option<Stat> {
    let text = std::str::from_utf8(answer).ok()?;
    let mut words = text.split_whitespace();
    let kind = match words.next()? {
        "d" => FileKind::Folder,
        "f" => FileKind::File,
        _ => FileKind::Other,
    };
    let size = words.next()?.parse().ok()?;
    let (seconds, fraction) =
        words.next().map(|time| time.split_once('.').unwrap_or((time, "0")))?;
    let seconds: u64 = seconds.parse().unwrap_or_default();
    let millis: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some(Stat { kind, size, modified_ms: seconds.saturating_mul(1000) + millis, links: 1 })
}

/// Returns the arguments of `lines.sh` after the path.
pub(super) fn arguments(window: Window) -> [String; 5] {
    [
        window.first_line.clamp(1, MAX_NUMBER),
        window.max_lines.min(MAX_NUMBER),
        window.max_bytes.min(MAX_NUMBER),
        Lines::HEAD_BYTES as u64,
        MAX_COUNTED_BYTES,
    ]
    .map(|number| number.to_string())
}

/// Parses the output of `lines.sh`: a line of numbers, the file's head, the page and a little of the text that
/// follows it.
pub(super) fn parse(path: &Path, answer: &[u8], window: Window) -> Option<Lines> {
    let end = answer.iter().position(|&byte| byte == b'\n')?;
    let (numbers, rest) = answer.split_at_checked(end)?;
    let mut numbers = std::str::from_utf8(numbers).ok()?.split(' ');
    let size: u64 = numbers.next()?.parse().ok()?;
    let total_lines = numbers.next()?.parse().ok();
    let first_line_bytes: u64 = numbers.next()?.parse().ok()?;
    let head_bytes: usize = numbers.next()?.parse().ok()?;
    let mark = numbers.next()?.parse().unwrap_or_default();
    let (head, page) = rest.get(1..)?.split_at_checked(head_bytes)?;
    let from_first = Window { first_line: 1, ..window };
    let lines = files::select_lines(page, version_of(path, size, mark), from_first).ok()?;
    Some(Lines {
        head: head.to_vec(),
        first_line_bytes: (!page.is_empty()).then_some(first_line_bytes),
        total_lines,
        // Only a part of the file came; its version is a checksum of all of it.
        digest: None,
        ..lines
    })
}

/// Returns the argument of `sums.sh`.
pub(super) fn max_summed() -> String {
    MAX_COUNTED_BYTES.to_string()
}

/// Parses the output of `sums.sh` about these files.
pub(super) fn versions(paths: &[PathBuf], answer: &[u8]) -> Vec<Result<Version, Error>> {
    let text = String::from_utf8_lossy(answer);
    let mut lines = text.lines();
    let version = |path: &PathBuf| {
        let line = lines.next().unwrap_or("-");
        if line == "gone" {
            return Err(Error::NotFound(path.clone()));
        }
        let told = || {
            let (size, mark) = line.split_once(' ')?;
            Some(version_of(path, size.parse().ok()?, mark.parse().unwrap_or_default()))
        };
        told().ok_or_else(|| Error::Refused("it cannot be read".to_owned()))
    };
    paths.iter().map(version).collect()
}

/// Returns the version for a file with this content.
pub(super) fn version(path: &Path, content: &[u8]) -> Version {
    let size = content.len() as u64;
    let is_summed = size <= MAX_COUNTED_BYTES;
    version_of(path, size, if is_summed { cksum::crc(content).into() } else { 0 })
}

/// Links are not followed: that would be one more hop.
fn version_of(path: &Path, size: u64, mark: u128) -> Version {
    Version { path: files::without_dots(path), size, mark }
}
