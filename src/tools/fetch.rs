//! `web_fetch`: a web page as text. Off unless the user enables it.
//!
//! A fetched web page becomes Markdown, text is returned unchanged, a PDF document is treated as by `read`, anything else is refused. [`net`] decides for every hop which hosts a
//! request may reach.

mod body;
mod net;

use crate::arguments::Arguments;
use crate::schema::Builtin;
use crate::{
    Access, Folders, Prepared, Profile, Tool, ToolContext, document, failure, success,
    unless_cancelled,
};
use body::Page;
use net::{Failure, Net};
use pintle_base::pdf::{self, Error, counted};
use pintle_base::text::truncate::{self, Limits, border_before, size};
use pintle_os::names;
use pintle_protocol::content::Content;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// Fetches from the web.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fetch(pub Profile);

impl Tool for Fetch {
    shaped!(Builtin::Fetch);

    fn kind(&self) -> ToolKind {
        ToolKind::Fetch
    }

    fn prepare(&self, arguments: Value, _: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Fetch), arguments)?;
        // Some families give the address within words.
        let words = self.0.row(Builtin::Fetch).theirs("adapted");
        let shown = words.map_or_else(|| arguments.shown("url"), |name| format!("`{name}`"));
        let url = arguments.filled_text("url").map_err(|wrong| match words {
            Some(_) => format!("{shown} must contain a URL that starts with https:// or http://"),
            None => wrong,
        })?;
        let address = net::parse(url.trim()).map_err(|what| format!("{shown} {what}"))?;
        Ok(Box::new(Call { address, profile: self.0, net: Net::default() }))
    }
}

#[derive(Debug)]
struct Call {
    address: net::Address,
    /// The profile, whose tools its notices name.
    profile: Profile,
    net: Net,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        format!("{}: {}", Fetch(self.profile).name(), self.address.shown())
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    fn access(&self) -> Access {
        Access::Fetch { url: self.address.shown(), host: self.address.host() }
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let url = self.address.shown();
        let work = async { Ok(self.fetch(ctx).await) };
        match unless_cancelled(&ctx.cancel, work).await {
            Ok(Ok(Page { document: Some((bytes, pages)), url, text, .. })) => {
                let is_accepted = document::is_accepted(&ctx.settings, bytes.len() as u64, pages);
                if text.is_empty() && !is_accepted {
                    return failure(format!("Cannot fetch {url}: it {}", Error::NoText(pages)));
                }
                let (mime_type, size) = (pdf::MIME_TYPE.to_owned(), bytes.len() as u64);
                let page = Page { url, mime_type, bytes: size, text, document: None };
                let address = page.url.clone();
                let shown = self.show(ctx, page).await;
                if is_accepted { as_document(&address, pages, &bytes, &shown) } else { shown }
            }
            Ok(Ok(page)) => self.show(ctx, page).await,
            Ok(Err(error)) => failure(format!("Cannot fetch {url}: {error}")),
            // Nothing else is waited for here.
            Err(_) => failure("Operation aborted"),
        }
    }
}

impl Call {
    async fn fetch(&self, ctx: &ToolContext) -> Result<Page, Failure> {
        let answer = self.net.get(&self.address, &ctx.settings).await?;
        // Converting a page takes long, so it runs outside of the async executor.
        let cancel = ctx.cancel.clone();
        let converting = move || body::page(answer, || cancel.is_cancelled());
        match tokio::task::spawn_blocking(converting).await {
            Ok(page) => page,
            Err(_) => Err(Failure::new("the page could not be converted")),
        }
    }

    async fn show(&self, ctx: &ToolContext, page: Page) -> ToolResult {
        let Page { url, mime_type, bytes, text, document: _ } = page;
        let head = format!("[{url}: {mime_type}, {}]", size(bytes));
        if text.is_empty() {
            return success(format!("{head}\n\n(no text)"));
        }
        let limits = ctx.settings.limits(Limits::default());
        let mut shown = truncate::head(&text, limits);
        if !shown.is_cut() {
            return success(format!("{head}\n\n{}", shown.text));
        }
        let (what, how) = if shown.record.first_line_exceeds_limit {
            let end = border_before(&text, limits.max_bytes);
            text.get(..end).unwrap_or_default().clone_into(&mut shown.text);
            (shown.record.output_lines, shown.record.output_bytes) = (1, end as u64);
            shown.record.last_line_partial = true;
            let whole = size(text.len() as u64);
            (
                format!("the first {} of {whole}", size(end as u64)),
                format!("{} to cut out more", self.profile.shell()),
            )
        } else {
            let (last, total) = (shown.record.output_lines, shown.record.total_lines);
            let how = format!(
                "{} with {} to continue",
                self.profile.read(),
                self.profile.beginning_at(last + 1)
            );
            (format!("lines 1-{last} of {total}"), how)
        };
        let path = full_path(ctx, &url);
        let kept = ctx.env.write(&path, text.into_bytes()).await;
        let is_kept = kept.is_ok();
        let notice = match kept {
            Ok(()) => format!("Showing {what}. Full text: {}. Use {how}", names::shown(&path)),
            Err(error) => format!("Showing {what}. Failed to store the full text: {error}"),
        };
        let mut result = success(format!("{head}\n\n{}\n\n[{notice}]", shown.text));
        result.details.truncation = Some(shown.record);
        result.details.full_output_path = is_kept.then(|| names::shown(&path).into_owned());
        result
    }
}

/// Returns a document for a model that accepts it, with the text that is shown to others.
fn as_document(url: &str, pages: usize, bytes: &[u8], shown: &ToolResult) -> ToolResult {
    let mut result = success(format!("[{url}: PDF document, {}]", counted(pages)));
    let name = url.split(['?', '#']).next().unwrap_or_default().rsplit('/').next();
    let name = name.filter(|name| !name.is_empty()).unwrap_or("document.pdf");
    let text = Content::texts(&shown.content);
    result.content.push(document::content(name, pages, bytes, text));
    result
}

/// Returns the path at which a long text is kept: one file for each URL.
fn full_path(ctx: &ToolContext, url: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    url.hash(&mut hasher);
    let folder = ctx.artifacts.clone().unwrap_or_else(|| PathBuf::from("/tmp"));
    folder.join(format!("pintle-fetch-{:016x}.md", hasher.finish()))
}

#[cfg(test)]
mod tests;
