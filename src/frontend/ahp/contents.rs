//! The contents that clients read: files in a session's directory, and contents that only this host has.
//!
//! Invariant: nothing outside the directories of open sessions is read, and inside them only files that the read tool may read without
//! approval.

use super::host::AhpHost;
use super::translator::Translator;
use super::wire::{self, Refusal, failed, invalid};
use super::{calls, state};
use ahp_types::commands::{
    ContentEncoding, DirectoryEntry, ResourceListResult, ResourceReadResult,
};
use ahp_types::errors::ahp_error_codes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::{BoxFuture, FutureExt};
use pintle_agent::{EngineHandle, SessionHandle};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::methods::ReviewBaseline;
use pintle_protocol::review::ReviewBaselineParams;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The work that answers a request.
type Work = BoxFuture<'static, Result<Value, Refusal>>;

/// A content, and its source.
enum Content {
    /// A file's content, unchanged.
    File(PathBuf),
    /// A file as a proposal would make it, by the difference.
    Proposed(PathBuf, String),
    /// A kept content of a session.
    Kept(SessionId, String),
    /// A file's baseline in a session's review.
    Baseline(SessionHandle, String),
    Text(String),
}

/// Reads a content.
///
/// # Errors
/// There is none at this address.
pub(super) fn read(
    host: &AhpHost,
    uri: &str,
    encoding: Option<ContentEncoding>,
) -> Result<Work, Refusal> {
    let content = find(host, uri).ok_or_else(|| not_there(uri))?;
    let (engine, folders, uri) = (host.engine.clone(), host.folders(), uri.to_owned());
    Ok(async move {
        let bytes = load(&engine, &folders, content, &uri).await?;
        let text = match String::from_utf8(bytes) {
            Ok(text) if encoding != Some(ContentEncoding::Base64) => Ok(text),
            Ok(text) => Err(text.into_bytes()),
            Err(error) => Err(error.into_bytes()),
        };
        let (data, encoding) = match text {
            Ok(text) => (text, ContentEncoding::Utf8),
            Err(bytes) => (STANDARD.encode(bytes), ContentEncoding::Base64),
        };
        Ok(wire::value(&ResourceReadResult { data, encoding, content_type: None }))
    }
    .boxed())
}

/// Lists a directory.
///
/// # Errors
/// Fails if the address is not that of a file on this machine.
pub(super) fn list(host: &AhpHost, uri: &str) -> Result<Work, Refusal> {
    let path = wire::path_of(uri).ok_or_else(|| not_there(uri))?;
    let (engine, folders, uri) = (host.engine.clone(), host.folders(), uri.to_owned());
    Ok(async move {
        for cwd in folders {
            let listed = engine.list_resource(&cwd, &path).await;
            let Some(listed) = listed.map_err(|error| failed(&error))? else { continue };
            let entries = listed.into_iter().map(|(name, is_folder)| DirectoryEntry {
                name,
                r#type: if is_folder { "directory" } else { "file" }.to_owned(),
            });
            return Ok(wire::value(&ResourceListResult { entries: entries.collect() }));
        }
        Err(denied(&uri))
    }
    .boxed())
}

fn find(host: &AhpHost, uri: &str) -> Option<Content> {
    if let Some(path) = wire::path_of(uri) {
        return Some(Content::File(path));
    }
    let (scheme, authority, path) = wire::split_uri(uri)?;
    if scheme == calls::CURRENT {
        return Some(Content::File(PathBuf::from(path)));
    }
    if scheme == calls::BASELINE {
        let open = host.sessions.get(&SessionId::new(authority))?;
        return Some(Content::Baseline(open.handle.clone()?, path));
    }
    let item = ItemId::new(authority);
    let translators = host.sessions.iter().map(|(session, open)| (session, &open.translator));
    let of_call = |(session, translator): (&SessionId, &Translator)| -> Option<Content> {
        if scheme == calls::PROPOSED {
            let approval = translator.proposed(&item)?;
            let change = approval.changes.iter().find(|change| change.path == path)?;
            let old = change.old_path.as_deref().unwrap_or(&change.path);
            return Some(Content::Proposed(PathBuf::from(old), change.diff.clone()));
        }
        let file = translator.file_of(&item, &path)?;
        let side = match scheme {
            calls::BEFORE => &file.before,
            calls::AFTER => &file.after,
            _ => return None,
        };
        Some(match side {
            Some(kept) => Content::Kept(session.clone(), kept.sha256.clone()),
            None => Content::Text(String::new()),
        })
    };
    let mut found = translators.map(of_call);
    found.find_map(|content| content)
}

async fn load(
    engine: &EngineHandle,
    folders: &[PathBuf],
    content: Content,
    uri: &str,
) -> Result<Vec<u8>, Refusal> {
    match content {
        Content::File(path) => file(engine, folders, &path, uri).await,
        Content::Proposed(path, diff) => {
            // A file that is to be made is not there.
            let now = match file(engine, folders, &path, uri).await {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(refusal) if refusal.code == ahp_error_codes::PERMISSION_DENIED => String::new(),
                Err(refusal) if refusal.code == ahp_error_codes::NOT_FOUND => String::new(),
                Err(refusal) => return Err(refusal),
            };
            let proposed = patched(&now, &diff).ok_or_else(|| {
                let message = "the file has changed since the change was proposed";
                Refusal::new(ahp_error_codes::CONFLICT, message)
            })?;
            Ok(proposed.into_bytes())
        }
        Content::Kept(session, sha256) => {
            let kept = engine.kept_content(&session, sha256).await;
            kept.map_err(|error| failed(&error))
        }
        Content::Baseline(handle, path) => {
            let params = ReviewBaselineParams { session_id: None, path };
            let read = handle.call::<ReviewBaseline>(params).await;
            let baseline = read.map_err(|error| failed(&error))?;
            match baseline.text {
                Some(text) => Ok(text.into_bytes()),
                None if baseline.exists => Err(invalid("the baseline is not text".to_owned())),
                None => Ok(Vec::new()),
            }
        }
        Content::Text(text) => Ok(text.into_bytes()),
    }
}

/// Reads a file in one of these directories.
async fn file(
    engine: &EngineHandle,
    folders: &[PathBuf],
    path: &Path,
    uri: &str,
) -> Result<Vec<u8>, Refusal> {
    for cwd in folders {
        let read = engine.read_resource(cwd, path).await.map_err(|error| failed(&error))?;
        if let Some(bytes) = read {
            return Ok(bytes);
        }
    }
    Err(denied(uri))
}

pub(super) fn not_there(uri: &str) -> Refusal {
    Refusal::new(ahp_error_codes::NOT_FOUND, format!("`{uri}` does not exist"))
}

pub(super) fn denied(uri: &str) -> Refusal {
    let message = format!("`{uri}` is not accessible to clients of {}", state::PROVIDER);
    Refusal::new(ahp_error_codes::PERMISSION_DENIED, message)
}

/// Applies a difference, as `text::diff` writes it, to the text that it was made of; `None` for any other text.
fn patched(old: &str, diff: &str) -> Option<String> {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut at = 0;
    let mut rest = diff.split_inclusive('\n').peekable();
    while let Some(line) = rest.next() {
        if let Some(range) = line.strip_prefix("@@ -") {
            let first = range.split([',', ' ']).next()?.parse::<usize>().ok()?;
            let first = first.saturating_sub(1).max(at);
            new.extend(lines.get(at..first)?.iter().copied());
            at = first;
            continue;
        }
        let ends_without_line_end = rest.peek().is_some_and(|next| next.starts_with('\\'));
        let text = line.get(1..)?;
        let text = if ends_without_line_end { text.trim_end_matches('\n') } else { text };
        match line.as_bytes().first()? {
            b' ' | b'-' => {
                let is_same = lines.get(at)?.trim_end_matches('\n') == text.trim_end_matches('\n');
                if !is_same {
                    return None;
                }
                if line.starts_with(' ') {
                    new.push_str(lines.get(at)?);
                }
                at += 1;
            }
            b'+' => new.push_str(text),
            b'\\' => {}
            _ => return None,
        }
    }
    new.extend(lines.get(at..)?.iter().copied());
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_base::text::diff;

    #[test]
    fn a_difference_makes_the_text_that_it_was_made_for() {
        let long = (0..40).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
        let edited = long.replace("line 3\n", "LINE 3\n").replace("line 30\n", "");
        for (old, new) in [
            ("", "a\nb\n"),
            ("a\nb\n", ""),
            ("a\nb\nc\n", "a\nB\nc\n"),
            ("a\nb", "a\nb\nc"),
            ("a\nb\n", "a\nb"),
            ("a", "b\n"),
            ("-a\n+b\n", "+a\n-b\n"),
            (&long, &edited),
        ] {
            let diff = diff::unified(old, new).text;
            assert_eq!(patched(old, &diff).as_deref(), Some(new), "{diff}");
        }
        let diff = diff::unified("a\nb\n", "a\nc\n").text;
        assert_eq!(patched("a\nx\n", &diff), None);
    }
}
