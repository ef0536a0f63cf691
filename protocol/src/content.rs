//! Content of messages and tool results: text blocks, images, and file excerpts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One block of a prompt, a steer or a follow-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Input {
    /// Plain text, as typed. `@path` mentions a file, whose content the model then reads with the message. Text that begins with `/name`
    /// invokes the prompt of that name, if one exists.
    Text {
        /// The text.
        text: String,
        /// True for text that the user has not typed, such as a terminal's output: `@path` and `/name` have no meaning in it. Older
        /// engines ignore this.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        verbatim: bool,
    },
    /// A file, read when the model reads the message.
    File {
        /// The path, absolute or relative to the working directory.
        path: String,
        /// Lines; absent for the entire file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        range: Option<LineRange>,
    },
    /// A selected part of a file in an editor, saved or not.
    Selection {
        /// The file's path.
        path: String,
        /// The selected lines.
        range: LineRange,
        /// The selected text.
        text: String,
    },
    /// Problems that an editor reports in a file.
    Diagnostics {
        /// The file's path.
        path: String,
        /// The problems.
        items: Vec<Diagnostic>,
    },
    /// An image.
    #[serde(rename_all = "camelCase")]
    Image {
        /// The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        mime_type: String,
        /// The image's bytes in base64.
        data: String,
    },
    /// A document. Models that do not accept it read its text.
    #[serde(rename_all = "camelCase")]
    Document {
        /// The media type: `application/pdf`.
        mime_type: String,
        /// The document's bytes in base64.
        data: String,
        /// The document's name, such as its file name.
        name: String,
    },
}

/// A range of lines in a file, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineRange {
    /// First line.
    pub start: u64,
    /// Last line.
    pub end: u64,
}

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Line, 1-based.
    pub line: u64,
    /// Severity.
    pub severity: Severity,
    /// Message.
    pub message: String,
    /// Tool that reported it, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Diagnostic severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// Information.
    Information,
    /// A hint.
    Hint,
}

impl Input {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), verbatim: false }
    }

    /// A text block that the user has not typed.
    pub fn verbatim(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), verbatim: true }
    }

    /// Returns the text if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text { text, .. } = self { Some(text) } else { None }
    }

    /// Returns the text if this is a text block that the user has typed.
    pub fn as_typed(&self) -> Option<&str> {
        if let Self::Text { text, verbatim: false } = self { Some(text) } else { None }
    }

    /// Returns the text blocks of a message, one below the other.
    pub fn texts(blocks: &[Self]) -> String {
        blocks.iter().filter_map(Self::as_text).collect::<Vec<_>>().join("\n")
    }
}

/// One block of a tool's result, as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    #[serde(rename_all = "camelCase")]
    Image {
        /// The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        mime_type: String,
        /// The image's bytes in base64.
        data: String,
    },
    /// A document, and its text for models that accept no documents.
    #[serde(rename_all = "camelCase")]
    Document {
        /// The media type: `application/pdf`.
        mime_type: String,
        /// The document's bytes in base64.
        data: String,
        /// The file's name.
        name: String,
        /// The number of pages.
        pages: u64,
        /// The document's text, within the limits of the tool that read it.
        text: String,
    },
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Returns the text if this is a text block or a document.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } | Self::Document { text, .. } => Some(text),
            Self::Image { .. } => None,
        }
    }

    /// Returns the texts of a result, one below the other.
    pub fn texts(blocks: &[Self]) -> String {
        blocks.iter().filter_map(Self::as_text).collect::<Vec<_>>().join("\n")
    }
}

/// Record of a tool output's truncation, made before the model saw the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    /// The limit that was exceeded; absent when nothing was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_by: Option<TruncatedBy>,
    /// Lines of the full output; a trailing newline does not count as one more.
    pub total_lines: u64,
    /// Bytes of the full output.
    pub total_bytes: u64,
    /// Lines that remain.
    pub output_lines: u64,
    /// Bytes that remain.
    pub output_bytes: u64,
    /// True if the last remaining line was itself cut at its start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_line_partial: bool,
    /// True if nothing remains because the first line alone exceeds the byte limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_line_exceeds_limit: bool,
    /// Limit in lines.
    pub max_lines: u64,
    /// Limit in bytes.
    pub max_bytes: u64,
}

/// Limit that truncated an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TruncatedBy {
    /// The limit in lines.
    Lines,
    /// The limit in bytes.
    Bytes,
}

/// Token usage of one model reply, of a turn, or of a session. All counts are cumulative for their span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input tokens that were not read from a cache.
    pub input_tokens: u64,
    /// Output tokens, reasoning included.
    pub output_tokens: u64,
    /// Input tokens read from the provider's cache.
    #[serde(default)]
    pub cache_read_tokens: u64,
    /// Input tokens written to the provider's cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Output tokens spent on reasoning, if the provider reports them.
    #[serde(default)]
    pub reasoning_tokens: u64,
    /// Web searches run by the provider, which it charges for in addition to the tokens.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub web_searches: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Converts billionths of a US dollar to US dollars.
#[expect(clippy::cast_precision_loss, reason = "exact up to nine million dollars")]
pub fn usd(nano: u64) -> f64 {
    nano as f64 / 1e9
}

/// Adds a cost to a total. A total without any known cost stays `None`.
pub fn add_cost(total: &mut Option<u64>, cost: Option<u64>) {
    if let Some(cost) = cost {
        *total = Some(total.unwrap_or(0).saturating_add(cost));
    }
}

impl Usage {
    /// Returns the tokens that the model has read, cached ones included.
    pub fn read_tokens(&self) -> u64 {
        self.input_tokens + self.cache_read_tokens + self.cache_write_tokens
    }

    /// Returns the tokens that the model has read and written.
    pub fn all_tokens(&self) -> u64 {
        self.read_tokens() + self.output_tokens
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
        self.web_searches += other.web_searches;
    }
}
