//! Pure functions on text: truncation, diffs, line endings, matching.
