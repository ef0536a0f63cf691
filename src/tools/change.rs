//! Shared parts of tools that change files: text in its encoding, change reports, error messages.

use super::ToolContext;
use super::read_tracker::{Knowledge, ReadTracker};
use pintle_base::text::diff::{self, Diff};
use pintle_base::text::encoding::{self, Decoded, Encoding, Unencodable};
use pintle_base::text::splice::{self, Splice};
use pintle_base::text::{lines, sniff};
use pintle_exec::{
    After, Before, Decide, DecideAll, Environment, Error, FileContent, Lines, Rewrite, Updated,
    UpdatedAll, Version,
};
use pintle_os::names;
use pintle_protocol::diff::{FileChange, FileOp};
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// How many times a change is recomputed because another program changed the file meanwhile.
const MAX_TRIES: usize = 5;

/// How much of a file's content a change proves to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// All of it: the model wrote the whole content.
    Whole,
    /// Some of it: the rest is known only if it was before.
    Part,
}

/// Changes the file at a canonical path, and recomputes the change if another program changed the file meanwhile.
pub(super) async fn update(
    ctx: &ToolContext,
    path: &Path,
    shows: Shows,
    decide: impl Fn() -> Decide,
) -> Result<Updated, Error> {
    let (tx, seen) = watch::channel(None);
    let noted = || -> Decide {
        let (decide, read_tracker, tx) = (decide(), ctx.read_tracker.clone(), tx.clone());
        Box::new(move |before| {
            let knew = knew(&read_tracker, before.as_ref());
            let rewrite = decide(before)?;
            // The last decision is carried out.
            tx.send_replace(Some((knew, rewrite.content.digest())));
            Ok(rewrite)
        })
    };
    in_existing_folder(ctx, &[path]).await?;
    let updated = until_unchanged(|| ctx.env.update(path, noted(), &ctx.cancel)).await?;
    if let Some((knew, digest)) = *seen.borrow()
        && (knew || shows == Shows::Whole)
    {
        ctx.read_tracker.saw(updated.after.clone(), Some(digest));
    }
    Ok(updated)
}

/// Like [`update`] for several files, each changed in part. `moves` pairs the index of a file that gets another one's content with the
/// index of that other file.
pub(super) async fn update_all(
    ctx: &ToolContext,
    paths: &[PathBuf],
    moves: &[(usize, usize)],
    decide: impl Fn() -> DecideAll,
) -> Result<UpdatedAll, Error> {
    let (tx, seen) = watch::channel(Vec::new());
    let noted = || -> DecideAll {
        let (decide, read_tracker, tx) = (decide(), ctx.read_tracker.clone(), tx.clone());
        Box::new(move |before| {
            let knew: Vec<_> =
                before.iter().map(|before| knew(&read_tracker, before.as_ref())).collect();
            let rewrites = decide(before)?;
            let digests = rewrites.after.iter().map(|after| match after {
                After::Write(content) => Some(content.digest()),
                After::Keep | After::Remove => None,
            });
            tx.send_replace(knew.into_iter().zip(digests).collect());
            Ok(rewrites)
        })
    };
    in_existing_folder(ctx, paths).await?;
    let done = until_unchanged(|| ctx.env.update_all(paths, noted(), &ctx.cancel)).await?;
    let seen = seen.borrow().clone();
    for (at, ((knew, digest), after)) in seen.iter().zip(&done.after).enumerate() {
        let came_from =
            moves.iter().find(|(to, _)| *to == at).and_then(|(_, from)| seen.get(*from));
        let is_known = *knew && came_from.is_none_or(|(knew, _)| *knew);
        if let (true, Some(after), Some(digest)) = (is_known, after, digest) {
            ctx.read_tracker.saw(after.clone(), Some(*digest));
        }
    }
    Ok(done)
}

/// Refuses to recreate a deleted working directory by writing a file: the other files are gone, and the session may belong elsewhere by now.
async fn in_existing_folder(ctx: &ToolContext, paths: &[impl AsRef<Path>]) -> Result<(), Error> {
    // On a remote machine, the check would take as long as the change.
    if !ctx.env.is_this_machine() {
        return Ok(());
    }
    match ctx.env.stat(&ctx.cwd).await {
        Err(Error::NotFound(_)) if is_below(ctx, paths).await => Err(Error::Refused(format!(
            "the working directory {} no longer exists, so nothing was written; if it is to exist again, create it with a command first",
            names::shown(&ctx.cwd)
        ))),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Returns true if one of the canonical paths is in the working directory.
async fn is_below(ctx: &ToolContext, paths: &[impl AsRef<Path>]) -> bool {
    let cwd = ctx.env.canonicalize(&ctx.cwd).await.unwrap_or_else(|_| ctx.cwd.clone());
    paths.iter().any(|path| [&ctx.cwd, &cwd].iter().any(|cwd| path.as_ref().starts_with(cwd)))
}

/// Returns true if all of a file is known: there is nothing of it to be lost.
fn knew(read_tracker: &ReadTracker, before: Option<&Before>) -> bool {
    before.is_none_or(|before| read_tracker.knows(before) == Knowledge::Now)
}

/// Returns the changes that a decision about files makes now, without making them.
pub(super) async fn preview(
    ctx: &ToolContext,
    paths: &[PathBuf],
    decide: impl Fn() -> DecideAll,
) -> Result<Vec<FileChange>, Error> {
    let (tx, changes) = watch::channel(None);
    let looked = || -> DecideAll {
        let (decide, tx) = (decide(), tx.clone());
        Box::new(move |before| {
            tx.send_replace(Some(decide(before)?.changes));
            // A refused update writes nothing.
            Err(String::new())
        })
    };
    let looked = until_unchanged(|| ctx.env.update_all(paths, looked(), &ctx.cancel));
    match looked.await {
        Ok(updated) => Ok(updated.changes),
        Err(error) => changes.borrow().clone().ok_or(error),
    }
}

async fn until_unchanged<T, F>(attempt: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    for _ in 1..MAX_TRIES {
        match attempt().await {
            Err(Error::Changed(_)) => {}
            done => return done,
        }
    }
    attempt().await
}

/// Decodes a file whose text is to be changed.
pub(super) fn text_of<'a>(written: &str, content: &'a [u8]) -> Result<Decoded<'a>, String> {
    let head = content.get(..Lines::HEAD_BYTES).unwrap_or(content);
    let kind = match sniff::kind(head) {
        sniff::Kind::Text => "binary file",
        sniff::Kind::Binary(kind) => return Err(not_text(written, kind)),
    };
    encoding::decode(content).map_err(|_| not_text(written, kind))
}

fn not_text(written: &str, kind: &str) -> String {
    format!("Cannot edit {written}: it is a {kind}, not text.")
}

/// Returns a file with parts of its text replaced, in its original encoding, and the change report.
pub(super) fn spliced(
    written: &str,
    path: &Path,
    content: Vec<u8>,
    change: impl FnOnce(&str) -> Result<Vec<Splice<'static>>, String>,
) -> Result<Rewrite, String> {
    let decoded = text_of(written, &content)?;
    let (bom, body) = lines::split_bom(&decoded.text);
    let splices = change(body)?;
    let told = file_change(path, FileOp::Modify, diff::of_splices(body, &splices));
    let is_plain = decoded.encoding == Encoding::Utf8;
    let content = if is_plain {
        let parts = splices.into_iter().map(|splice| {
            let part = bom.len() + splice.old.start..bom.len() + splice.old.end;
            (part, splice.new.into_owned().into_bytes())
        });
        let parts = parts.collect();
        FileContent::spliced(content, parts)
    } else {
        let text = format!("{bom}{}", splice::apply(body, &splices));
        encoded(written, &text, decoded.encoding)?.into()
    };
    Ok(Rewrite { content, change: Some(told) })
}

pub(super) fn encoded(written: &str, text: &str, encoding: Encoding) -> Result<Vec<u8>, String> {
    encoding.encode(text.into()).map_err(|Unencodable(character)| {
        format!(
            "Cannot edit {written}: its encoding {encoding} has no '{character}' (U+{:04X}). Use characters that it supports, or convert the file first.",
            u32::from(character)
        )
    })
}

/// Returns the change from one content to another; `None` if they are equal. Binary content has no diff.
pub(super) fn change_of(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Option<FileChange> {
    if before == Some(after) {
        return None;
    }
    let op = if before.is_some() { FileOp::Modify } else { FileOp::Add };
    let difference = match (shown(before.unwrap_or_default()), shown(after)) {
        (Some(before), Some(after)) => diff::unified(&before, &after),
        _ => Diff::default(),
    };
    Some(file_change(path, op, difference))
}

/// Reports a file's removal.
pub(super) fn of_removal(path: &Path, before: &[u8]) -> FileChange {
    let difference = shown(before).map(|before| diff::unified(&before, ""));
    file_change(path, FileOp::Delete, difference.unwrap_or_default())
}

/// Returns the text for a diff; `None` for binary content.
fn shown(content: &[u8]) -> Option<String> {
    let head = content.get(..Lines::HEAD_BYTES).unwrap_or(content);
    match (sniff::kind(head), encoding::decode(content)) {
        (sniff::Kind::Text, Ok(decoded)) => Some(encoding::raw::shown(&decoded.text)),
        _ => None,
    }
}

fn file_change(path: &Path, op: FileOp, difference: Diff) -> FileChange {
    FileChange {
        op,
        path: path.to_string_lossy().into_owned(),
        old_path: None,
        diff: encoding::raw::shown(&difference.text),
        added: difference.added,
        removed: difference.removed,
        first_changed_line: difference.first_changed_line,
        words: difference.words,
    }
}

/// Refuses to change a file whose current state the model does not know.
pub(super) fn must_know(
    read_tracker: &ReadTracker,
    written: &str,
    before: &Before,
) -> Result<(), String> {
    match read_tracker.knows(before) {
        Knowledge::Now => Ok(()),
        Knowledge::Before => {
            Err(format!("{written} was changed since it was last read. Read it again first."))
        }
        Knowledge::Never => {
            Err(format!("{written} exists and has not been read in this session. Read it first."))
        }
    }
}

/// Returns a note about files whose change is in an editor and not saved yet; empty if there are none.
pub(super) fn unsaved<'a>(
    env: &dyn Environment,
    changed: impl IntoIterator<Item = &'a Version>,
) -> String {
    let is_unsaved = |path: &Path| env.unsaved(path).iter().any(|unsaved| unsaved == path);
    let unsaved = changed.into_iter().filter(|version| is_unsaved(&version.path));
    let names: Vec<String> =
        unsaved.map(|version| names::shown(&version.path).into_owned()).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "\n\n[The change is in the editor, which also has unsaved text by the user: {}. Commands do not see it until the user saves.]",
        names.join(", ")
    )
}

/// Words an error for a tool that changes a file.
pub(super) fn explain(written: &str, error: &Error) -> String {
    match error {
        Error::NotFound(_) => format!("File not found: {written}"),
        Error::Denied(_) => format!("Permission denied: {written} (EACCES)"),
        Error::IsFolder(_) => format!("{written} is a directory, not a file"),
        Error::NotFolder(_) => {
            format!("Cannot write {written}: a component of the path is not a directory")
        }
        Error::NotFile(_) => {
            format!(
                "Cannot change {written}: it is a device, a pipe or a socket, not a regular file"
            )
        }
        Error::Changed(_) => format!(
            "{written} was changed by another program during the edit, so nothing was written. Read it again, then repeat the change."
        ),
        Error::Link(_) => format!(
            "{written} now leads elsewhere: a symbolic link was placed in its path after the call was allowed, so nothing was written. Find out what created the link before you repeat the change."
        ),
        Error::Cancelled => "Operation aborted".to_owned(),
        _ => error.to_string(),
    }
}
