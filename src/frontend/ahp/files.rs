//! Client changes to a session's files: writing, creating, moving, copying and removing, as VS Code does when it restores a checkpoint.
//!
//! Invariant: nothing outside the directories of open sessions is changed, and inside them nothing that the engine protects.

use super::contents::{denied, not_there};
use super::host::{AhpHost, Done};
use super::wire::{self, Refusal, failed, invalid};
use ahp_types::commands::{
    ContentEncoding, ResourceCopyParams, ResourceDeleteParams, ResourceMkdirParams,
    ResourceMoveParams, ResourceResolveParams, ResourceResolveResult, ResourceType,
    ResourceWriteMode, ResourceWriteParams,
};
use ahp_types::errors::ahp_error_codes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::{BoxFuture, FutureExt};
use pintle_agent::ResourceChange;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The work that answers a request.
type Work = BoxFuture<'static, Result<Value, Refusal>>;

/// Describes the resource at an address.
///
/// # Errors
/// Fails if the address is not that of a file on this machine.
pub(super) fn resolve(host: &AhpHost, params: &ResourceResolveParams) -> Result<Work, Refusal> {
    let path = path_of(&params.uri)?;
    let (engine, folders, uri) = (host.engine.clone(), host.folders(), params.uri.clone());
    Ok(async move {
        for cwd in folders {
            let found = engine.stat_resource(&cwd, &path).await;
            let Some(stat) = found.map_err(|error| failed(&error))? else { continue };
            let r#type = if stat.is_folder { ResourceType::Directory } else { ResourceType::File };
            return Ok(wire::value(&ResourceResolveResult {
                uri: wire::file_uri(&stat.path.to_string_lossy()),
                r#type,
                size: (!stat.is_folder).then(|| wire::count(stat.size)),
                mtime: Some(wire::time(stat.modified_ms)),
                ctime: None,
                content_type: None,
                etag: None,
            }));
        }
        Err(denied(&uri))
    }
    .boxed())
}

/// Writes a file.
///
/// # Errors
/// Fails if the params are invalid.
pub(super) fn write(host: &AhpHost, params: ResourceWriteParams) -> Result<Work, Refusal> {
    let ResourceWriteParams { uri, data, encoding, create_only, mode, position, if_match, .. } =
        params;
    let path = path_of(&uri)?;
    let data = match encoding {
        ContentEncoding::Base64 => {
            STANDARD.decode(data).map_err(|error| invalid(error.to_string()))?
        }
        ContentEncoding::Utf8 => data.into_bytes(),
    };
    let position = usize::try_from(position.unwrap_or_default())
        .map_err(|_| invalid("`position` is negative".to_owned()))?;
    if if_match.is_some() {
        let message = "pintle does not use `etag`, so no file has this one";
        return Err(Refusal::new(ahp_error_codes::CONFLICT, message));
    }
    let is_new = create_only == Some(true);
    let mode = mode.unwrap_or(ResourceWriteMode::Truncate);
    let decide = Box::new(move |before: Option<Vec<u8>>| match before {
        Some(_) if is_new => Err("the file already exists".to_owned()),
        before => placed(&before.unwrap_or_default(), &data, mode, position),
    });
    Ok(change(host, uri, ResourceChange::Write { path, decide }))
}

/// Creates a directory.
///
/// # Errors
/// Fails if the address is not that of a file on this machine.
pub(super) fn make_folder(host: &AhpHost, params: ResourceMkdirParams) -> Result<Work, Refusal> {
    let path = path_of(&params.uri)?;
    Ok(change(host, params.uri, ResourceChange::Folder { path }))
}

/// Removes a file or an empty directory. A non-empty directory is kept even if the client asks to remove it, since its contents were not
/// reviewed.
///
/// # Errors
/// Fails if the address is not that of a file on this machine.
pub(super) fn remove(host: &AhpHost, params: ResourceDeleteParams) -> Result<Work, Refusal> {
    let path = path_of(&params.uri)?;
    Ok(change(host, params.uri, ResourceChange::Remove { path }))
}

/// Moves a file.
///
/// # Errors
/// Fails if an address is not that of a file on this machine.
pub(super) fn rename(host: &AhpHost, params: ResourceMoveParams) -> Result<Work, Refusal> {
    let (from, to) = (path_of(&params.source)?, path_of(&params.destination)?);
    let is_new = params.fail_if_exists == Some(true);
    Ok(change(host, params.destination, ResourceChange::Move { from, to, is_new }))
}

/// Copies a file.
///
/// # Errors
/// Fails if an address is not that of a file on this machine.
pub(super) fn copy(host: &AhpHost, params: ResourceCopyParams) -> Result<Work, Refusal> {
    let (from, to) = (path_of(&params.source)?, path_of(&params.destination)?);
    let is_new = params.fail_if_exists == Some(true);
    Ok(change(host, params.destination, ResourceChange::Copy { from, to, is_new }))
}

fn path_of(uri: &str) -> Result<PathBuf, Refusal> {
    wire::path_of(uri).ok_or_else(|| not_there(uri))
}

fn change(host: &AhpHost, uri: String, change: ResourceChange) -> Work {
    let (engine, folders) = (host.engine.clone(), host.folders());
    async move {
        let changed = engine.change_resource(&folders, change).await;
        if changed.map_err(|error| failed(&error))? { Ok(json!({})) } else { Err(denied(&uri)) }
    }
    .boxed()
}

/// Returns a file's content with data placed in it.
fn placed(
    old: &[u8],
    data: &[u8],
    mode: ResourceWriteMode,
    position: usize,
) -> Result<Vec<u8>, String> {
    let beyond = || format!("`position` {position} is beyond the {} bytes of the file", old.len());
    let (at, keeps_rest) = match mode {
        ResourceWriteMode::Truncate => (position, false),
        ResourceWriteMode::Insert => (position, true),
        ResourceWriteMode::Append => (old.len().checked_sub(position).ok_or_else(beyond)?, true),
    };
    let (head, tail) = old.split_at_checked(at).ok_or_else(beyond)?;
    let tail = if keeps_rest { tail } else { &[] };
    Ok([head, data, tail].concat())
}

impl AhpHost {
    /// Handles file changes by a client: reviews may have changed.
    pub(super) fn files_written(&mut self) {
        let sessions: Vec<_> = self.sessions.keys().cloned().collect();
        for session in sessions {
            if let Some(open) = self.sessions.get_mut(&session) {
                open.translator.is_review_stale = true;
            }
            self.look_at_review(&session);
        }
    }
}

/// Wraps a change so that it completes as a host result.
pub(super) fn written(
    connection: super::outlet::ConnectionId,
    id: pintle_base::transport::envelope::Id,
    work: Work,
) -> BoxFuture<'static, Done> {
    work.map(move |outcome| Done::Written { connection, id, outcome }).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_placed_where_the_mode_says() {
        use ResourceWriteMode::{Append, Insert, Truncate};
        for (mode, position, want) in [
            (Truncate, 0, Ok("XY")),
            (Truncate, 2, Ok("abXY")),
            (Truncate, 5, Err("`position` 5 is beyond the 4 bytes of the file")),
            (Insert, 0, Ok("XYabcd")),
            (Insert, 4, Ok("abcdXY")),
            (Append, 0, Ok("abcdXY")),
            (Append, 1, Ok("abcXYd")),
            (Append, 5, Err("`position` 5 is beyond the 4 bytes of the file")),
        ] {
            let got = placed(b"abcd", b"XY", mode, position);
            let got = got.map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(got.as_deref().map_err(String::as_str), want, "{mode:?} {position}");
        }
    }
}
