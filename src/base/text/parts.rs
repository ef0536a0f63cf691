//! Diffs of the parts of two texts, such as lines or words.
//!
//! The library is generic, and each type of parts adds some 200 KB to the program. Here, parts are compared as numbers, by code that exists
//! once.

#![expect(clippy::disallowed_methods, reason = "the library takes deadlines of the system's clock")]

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers, patience};
use std::collections::HashMap;
use std::time::{Duration, Instant};

type Ops<'a> = Compact<'a, 'a, [usize], [usize], Replace<Capture>>;

/// Returns a number for each part; equal parts have equal numbers.
pub(super) fn numbers(old: &[&str], new: &[&str]) -> (Vec<usize>, Vec<usize>) {
    let mut known = HashMap::with_capacity(old.len());
    let mut numbers = Vec::with_capacity(old.len() + new.len());
    for part in old.iter().chain(new) {
        let next = known.len();
        numbers.push(*known.entry(*part).or_insert(next));
    }
    let new_numbers = numbers.split_off(old.len());
    (numbers, new_numbers)
}

/// Returns a short difference; after the time, a correct one.
pub(super) fn shortest(old: &[usize], new: &[usize], time: Option<Duration>) -> Vec<DiffOp> {
    let mut ops = ops(old, new);
    match myers::diff_deadline(&mut ops, old, 0..old.len(), new, 0..new.len(), deadline(time)) {
        Ok(()) => ops.into_inner().into_inner().into_ops(),
        Err(never) => match never {},
    }
}

/// Returns a difference that people find easier to read, since parts that occur once stay together; after the time, a correct one.
pub(super) fn readable(old: &[usize], new: &[usize], time: Option<Duration>) -> Vec<DiffOp> {
    let mut ops = ops(old, new);
    match patience::diff_deadline(&mut ops, old, 0..old.len(), new, 0..new.len(), deadline(time)) {
        Ok(()) => ops.into_inner().into_inner().into_ops(),
        Err(never) => match never {},
    }
}

fn ops<'a>(old: &'a [usize], new: &'a [usize]) -> Ops<'a> {
    Compact::new(Replace::new(Capture::new()), old, new)
}

fn deadline(time: Option<Duration>) -> Option<Instant> {
    time.and_then(|time| Instant::now().checked_add(time))
}
