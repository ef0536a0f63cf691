//! `read`: lines of a text file or of the text of a PDF document, or an image.

mod image;
mod pdf;

use crate::arguments::Arguments;
use crate::path::{PathArgument, Purpose};
use crate::profile::SHELL_BYTES;
use crate::schema::Builtin;
use crate::toolsets::Numbers;
use crate::toolsets::adapt::quoted;
use crate::{
    Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success, unless_cancelled,
};
use pintle_base::image::Format;
use pintle_base::pdf::is_pdf;
use pintle_base::text::sniff::{self, Kind};
use pintle_base::text::truncate::{self, Limits, size};
use pintle_base::text::{encoding, lines, terminal};
use pintle_exec::{Error, Lines, Window};
use pintle_protocol::content::{TruncatedBy, Truncation};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;

/// The maximum length of a numbered line, in characters.
pub(super) const MAX_NUMBERED_CHARS: usize = 2000;

/// Reads text files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Read(pub Profile);

/// Looks at images, in families that have a separate tool for it.
#[derive(Debug, Clone, Copy)]
pub struct ViewImage(pub Profile);

impl Tool for Read {
    shaped!(Builtin::Read);

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Read), arguments)?;
        let path = arguments.filled_text("path")?;
        // 0 counts as the first line: models that count from 0 mean that.
        let offset = arguments.optional_count("offset", 0)?.map(|offset| offset.max(1));
        let skipped = arguments.optional_count("skip", 0)?;
        let offset = offset.or(skipped.map(|lines| lines.saturating_add(1)));
        let last = arguments.optional_count("lastLine", 1)?;
        let limit =
            match last {
                Some(last) => {
                    let first = offset.unwrap_or(1);
                    let lines = (last + 1).checked_sub(first).filter(|lines| *lines > 0);
                    let shown = arguments.shown("lastLine");
                    Some(lines.ok_or_else(|| {
                        format!("{shown} is {last}, before the first line {first}")
                    })?)
                }
                None => arguments.optional_count("limit", 1)?,
            };
        Ok(Box::new(Call {
            tool: self.name().to_owned(),
            page: Page {
                path: PathArgument::new(path, folders, Purpose::Existing),
                offset,
                limit,
                profile: self.0,
                max_bytes: self.limits().max_bytes,
            },
        }))
    }
}

impl Tool for ViewImage {
    shaped!(Builtin::ViewImage);

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let row = self.0.row(Builtin::ViewImage);
        let path = Arguments::new(row, arguments)?.filled_text("path")?;
        Ok(Box::new(Call {
            tool: row.name.to_owned(),
            page: Page {
                path: PathArgument::new(path, folders, Purpose::Existing),
                offset: None,
                limit: None,
                profile: self.0,
                max_bytes: Read(self.0).limits().max_bytes,
            },
        }))
    }
}

#[derive(Debug)]
struct Call {
    tool: String,
    page: Page,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        format!("{}: {}", self.tool, self.page.path.text)
    }

    fn locations(&self) -> Vec<Location> {
        self.page.path.locations(self.page.offset)
    }

    fn access(&self) -> Access {
        Access::Read(self.page.path.all())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let max_bytes = ctx.settings.max_bytes(Read(self.page.profile).limits());
        Page { max_bytes, ..self.page }.read(ctx).await
    }
}

/// Lines that are to be read of a file.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) path: PathArgument,
    /// The first line, 1-based; the beginning if not given.
    pub(super) offset: Option<u64>,
    /// The maximum number of lines.
    pub(super) limit: Option<u64>,
    /// In all but `pi`, long lines are cut, and most number them.
    pub(super) profile: Profile,
    /// The maximum number of bytes, line numbers included.
    pub(super) max_bytes: usize,
}

impl Read {
    /// Returns the page limits.
    pub(crate) fn limits(self) -> Limits {
        self.0.limits(Limits::default().max_lines, 50_000)
    }
}

impl Page {
    pub(super) async fn read(&self, ctx: &ToolContext) -> ToolResult {
        let limits = ctx.settings.limits(Limits::default());
        let window = Window {
            first_line: self.offset.unwrap_or(1),
            max_lines: self.limit.unwrap_or(u64::MAX).min(limits.max_lines as u64),
            max_bytes: self.max_bytes as u64,
        };
        let path = self.path.target(ctx).await;
        let work = async {
            let lines = ctx.env.read_lines(&path, window).await?;
            match encoding::utf16(&lines.head) {
                // Line ends in this encoding are not counted.
                Some(encoding) => {
                    let text = encoding::decode_utf16(&ctx.env.read(&path).await?, encoding);
                    let (size, digest) = (lines.size, lines.digest);
                    Lines::read(text.as_bytes(), lines.version, window)
                        .map(|lines| Lines { size, digest, ..lines })
                        .map_err(|error| Error::from_io(&path, &error))
                }
                None => Ok(lines),
            }
        };
        match unless_cancelled(&ctx.cancel, work).await {
            Ok(lines) => {
                ctx.read_tracker.saw(lines.version.clone(), lines.digest);
                match Format::detect(&lines.head) {
                    Some(format) => image::read(ctx, self, &path, format, lines.size).await,
                    None if is_pdf(&lines.head) => pdf::read(ctx, self, &path, lines, window).await,
                    None => self.show(lines, window),
                }
            }
            Err(error) => failure(explain(&self.path.text, &error, self.profile)),
        }
    }

    fn show(&self, mut lines: Lines, window: Window) -> ToolResult {
        let path = &self.path.text;
        if let Kind::Binary(kind) = sniff::kind(&lines.head) {
            let how = if kind.ends_with("image") {
                format!("Convert it to PNG or JPEG with {} to view it.", self.profile.shell())
            } else {
                format!("Use {} to inspect it.", self.profile.shell())
            };
            return failure(format!(
                "Cannot read {path}: it is a {kind} ({}), not text. {how}",
                size(lines.size)
            ));
        }
        if lines.total_lines == Some(0) {
            // The model needs no note; the record shows a client that the file is empty.
            let mut result = ToolResult::default();
            result.details.truncation = Some(record(&lines, window));
            return result;
        }
        let first = window.first_line;
        let Some(first_line_bytes) = lines.first_line_bytes else {
            let total = lines.total_lines.unwrap_or_default();
            return failure(format!("Offset {first} is beyond end of file ({total} lines total)"));
        };
        if lines.count == 0 {
            let mut result = success(format!(
                "[Line {first} is {}, exceeds {} limit. Use {}: sed -n '{first}p' {} | head -c {}]",
                size(first_line_bytes),
                size(window.max_bytes),
                self.profile.shell(),
                quoted(path),
                match self.profile {
                    Profile::Pi => self.max_bytes,
                    // As much as the shell's limit lets through.
                    _ => SHELL_BYTES.min(self.max_bytes),
                }
            ));
            result.details.truncation = Some(record(&lines, window));
            return result;
        }
        let text = self.text(&mut lines, first);
        let Some(notice) = self.notice(&lines, window) else { return success(text) };
        let record = record(&lines, window);
        let mut result = success(format!("{text}\n\n[{notice}]"));
        result.details.truncation = record.truncated_by.is_some().then_some(record);
        result
    }

    /// Returns the lines as a model sees them. With their numbers not all may be within the limit: the others are taken out of `lines`.
    fn text(&self, lines: &mut Lines, first: u64) -> String {
        let text = encoding::decode_lossy(&lines.text);
        let text = if first == 1 { lines::split_bom(&text).1 } else { &text };
        let text = lines::to_lf(text.strip_suffix('\r').unwrap_or(text));
        let text = terminal::shown(&text);
        if self.profile == Profile::Pi {
            return text.into_owned();
        }
        let numbers = self.profile.numbers();
        let (mut numbered, mut count) = (String::new(), 0);
        for (line, number) in text.split('\n').zip(first..) {
            let separator = if count > 0 { "\n" } else { "" };
            let line = truncate::line(line, MAX_NUMBERED_CHARS);
            let line = match numbers {
                Numbers::None => format!("{separator}{line}"),
                Numbers::Tab => format!("{separator}{number:>6}\t{line}"),
                Numbers::Plain => format!("{separator}{number}: {line}"),
                Numbers::Letter => format!("{separator}L{number}: {line}"),
            };
            if count > 0 && numbered.len() + line.len() > self.max_bytes {
                (lines.count, lines.stopped_by_bytes) = (count, true);
                let ends = usize::try_from(count).unwrap_or_default();
                let mut ends = memchr::memchr_iter(b'\n', &lines.text).skip(ends.saturating_sub(1));
                let end = ends.next().unwrap_or(lines.text.len());
                lines.text.truncate(end);
                break;
            }
            numbered.push_str(&line);
            count += 1;
        }
        numbered
    }

    /// Returns the note about where to continue, when there is more.
    fn notice(&self, lines: &Lines, window: Window) -> Option<String> {
        let first = window.first_line;
        let last = first + lines.count - 1;
        let next = last + 1;
        let go_on = self.profile.beginning_at(next);
        let of = match lines.total_lines {
            Some(total) if total <= last => return None,
            Some(total) => format!("of {total}"),
            None => format!("of a file of {}", size(lines.size)),
        };
        if lines.stopped_by_bytes {
            let limit = size(window.max_bytes);
            return Some(format!(
                "Showing lines {first}-{last} {of} ({limit} limit). Use {go_on} to continue."
            ));
        }
        match lines.total_lines {
            Some(total) if self.limit == Some(lines.count) => {
                let more = total - last;
                Some(format!("{more} more lines in file. Use {go_on} to continue."))
            }
            _ => Some(format!("Showing lines {first}-{last} {of}. Use {go_on} to continue.")),
        }
    }
}

fn record(lines: &Lines, window: Window) -> Truncation {
    let end = window.first_line.saturating_sub(1) + lines.count;
    let truncated_by = if lines.stopped_by_bytes {
        Some(TruncatedBy::Bytes)
    } else {
        lines.total_lines.is_none_or(|total| total > end).then_some(TruncatedBy::Lines)
    };
    Truncation {
        truncated_by,
        total_lines: lines.total_lines.unwrap_or(end + 1),
        total_bytes: lines.size,
        output_lines: lines.count,
        output_bytes: lines.text.len() as u64,
        last_line_partial: false,
        first_line_exceeds_limit: lines.count == 0 && lines.stopped_by_bytes,
        max_lines: window.max_lines,
        max_bytes: window.max_bytes,
    }
}

/// Words an error for this tool.
fn explain(path: &str, error: &Error, profile: Profile) -> String {
    match error {
        Error::NotFound(_) | Error::NotFolder(_) => format!("File not found: {path} (ENOENT)"),
        Error::Denied(_) => format!("Permission denied: {path} (EACCES)"),
        Error::IsFolder(_) => format!("{path} is a directory. Use {} to list it.", profile.list()),
        Error::Cancelled => "Operation aborted".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
