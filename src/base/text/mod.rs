//! Pure functions on text: truncation, diffs, merges, line endings, matching, file types.

pub mod credentials;
pub mod diff;
pub mod encoding;
pub mod fold;
pub mod fuzzy;
pub mod gaps;
pub mod globs;
pub mod hosts;
pub mod html;
pub mod line_diff;
pub mod lines;
pub mod merge;
pub mod money;
pub mod partial_json;
mod parts;
pub mod patch;
pub mod positions;
pub mod screen;
pub mod sniff;
pub mod splice;
pub mod terminal;
pub mod tool_names;
pub mod truncate;
pub mod visible;
pub mod words;
