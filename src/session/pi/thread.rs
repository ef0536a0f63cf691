//! A list that branches: returning to an earlier end is cheap, and abandoned values stay available for a later return.

/// The list, and its current end.
#[derive(Debug)]
pub(super) struct Thread<T> {
    /// Each value with the one before it.
    nodes: Vec<(T, End)>,
    end: End,
}

/// An end of the list; `None` is its start.
pub(super) type End = Option<usize>;

impl<T> Default for Thread<T> {
    fn default() -> Self {
        Self { nodes: Vec::new(), end: None }
    }
}

impl<T: Clone> Thread<T> {
    pub(super) fn push(&mut self, value: T) {
        self.nodes.push((value, self.end));
        self.end = Some(self.nodes.len() - 1);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.end.is_none()
    }

    pub(super) fn end(&self) -> End {
        self.end
    }

    /// Makes this the end.
    pub(super) fn go_to(&mut self, end: End) {
        self.end = end;
    }

    /// Returns the values, the last one first.
    pub(super) fn back(&self) -> impl Iterator<Item = &T> {
        let mut next = self.end;
        std::iter::from_fn(move || {
            let (value, previous) = self.nodes.get(next?)?;
            next = *previous;
            Some(value)
        })
    }

    /// Replaces all but the last `kept` values by one value.
    pub(super) fn cut(&mut self, kept: usize, value: T) {
        let tail: Vec<T> = self.back().take(kept).cloned().collect();
        self.end = None;
        self.push(value);
        for value in tail.into_iter().rev() {
            self.push(value);
        }
    }
}
