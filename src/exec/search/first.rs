//! The first answers in path order, out of answers that come in any order.
//!
//! Invariant: the kept paths are the first ones whose results together exceed the limit, or all paths while there are
//! fewer. So the last one is a bound: no path after it is needed.

use pintle_os::names;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf, is_separator};

/// A relative path, ordered as a walk goes: part by part. A part ends before any other byte. As a path again, it has `/` on every system.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathKey(Vec<u8>);

impl PathKey {
    pub(crate) fn new(path: &Path) -> Self {
        let mut key = Self(Vec::with_capacity(path.as_os_str().len()));
        key.set(path);
        key
    }

    /// Takes another path, with no new memory.
    pub(crate) fn set(&mut self, path: &Path) {
        self.0.clear();
        // No name contains a NUL, so as a separator it sorts a component's end before everything else.
        let bytes = names::bytes(path.as_os_str()).iter();
        self.0.extend(bytes.map(|&byte| if is_separator(byte.into()) { 0 } else { byte }));
    }

    pub(crate) fn into_path(self) -> PathBuf {
        let mut bytes = self.0;
        for byte in &mut bytes {
            if *byte == 0 {
                *byte = b'/';
            }
        }
        PathBuf::from(names::from_bytes(bytes))
    }
}

/// Keeps the first answers in path order up to a limit.
#[derive(Debug)]
pub(crate) struct FirstInOrder<T> {
    kept: BTreeMap<PathKey, (usize, T)>,
    /// The total weight of the kept paths.
    total: usize,
    limit: usize,
}

impl<T> FirstInOrder<T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: BTreeMap::new(), total: 0, limit }
    }

    /// Returns the last path that may still matter, once there are more answers than wanted.
    pub(crate) fn bound(&self) -> Option<&PathKey> {
        if self.total > self.limit { self.kept.last_key_value().map(|(key, _)| key) } else { None }
    }

    /// Adds a path's result with its weight.
    pub(crate) fn add(&mut self, key: PathKey, weight: usize, answer: T) {
        if self.bound().is_some_and(|bound| *bound < key) {
            return;
        }
        self.total += weight;
        self.kept.insert(key, (weight, answer));
        while let Some(last) = self.kept.last_entry()
            && self.total - last.get().0 > self.limit
        {
            self.total -= last.get().0;
            last.remove();
        }
    }

    /// Returns true if there is more than the limit.
    pub(crate) fn has_more(&self) -> bool {
        self.total > self.limit
    }

    /// Everything kept, in path order; the last one may be more than the limit allows.
    pub(crate) fn into_answers(self) -> impl Iterator<Item = (PathKey, T)> {
        self.kept.into_iter().map(|(key, (_, answer))| (key, answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_are_in_the_order_of_a_walk() {
        let mut paths = ["a-b", "a/z", "a", "b", "a/b/c", "a!", "\u{e4}", ""].map(Path::new);
        paths.sort_by_key(|path| PathKey::new(path));
        assert_eq!(paths, ["", "a", "a/b/c", "a/z", "a!", "a-b", "b", "\u{e4}"].map(Path::new));
        for path in paths {
            assert_eq!(PathKey::new(path).into_path(), path);
        }
    }

    proptest! {
        #![proptest_config(pintle_testing::chance::cases(256))]

        /// Whatever comes first, the same is kept, and nothing beyond the bound.
        #[test]
        fn order_of_arrival_does_not_matter(
            mut answers in proptest::collection::btree_map("[a-c](/[a-c]){0,3}", 1_usize..4, 0..30)
                .prop_map(|map| map.into_iter().collect::<Vec<_>>()),
            limit in 1_usize..8,
            turn in 0_usize..30,
        ) {
            let first = |answers: &[(String, usize)]| {
                let mut first = FirstInOrder::new(limit);
                for (path, weight) in answers {
                    first.add(PathKey::new(Path::new(path)), *weight, *weight);
                }
                let has_more = first.has_more();
                let kept: Vec<_> = first.into_answers().map(|(key, weight)| (key.into_path(), weight)).collect();
                (kept, has_more)
            };
            answers.sort_by(|(a, _), (b, _)| Path::new(a).cmp(Path::new(b)));
            let mut want = Vec::new();
            let mut total = 0;
            for (path, weight) in &answers {
                if total <= limit {
                    total += weight;
                    want.push((PathBuf::from(path), *weight));
                }
            }
            let all: usize = answers.iter().map(|(_, weight)| weight).sum();
            prop_assert_eq!(first(&answers), (want.clone(), all > limit));
            let middle = turn.min(answers.len());
            answers.rotate_left(middle);
            answers.reverse();
            prop_assert_eq!(first(&answers), (want, all > limit));
        }
    }
}
