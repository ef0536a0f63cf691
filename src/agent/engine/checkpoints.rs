//! The places to which files of a session can go back, and what differs between two of them. The session need not be open.

use crate::background::in_background;
use crate::engine::EngineHandle;
use crate::error::{Action, Error};
use crate::file_history::content_of;
use pintle_protocol::files::FileState;
use pintle_protocol::history::{
    Checkpoint, CheckpointDiffParams, CheckpointDiffResult, HistoryPoint,
};
use pintle_protocol::ids::SessionId;
use pintle_session::history::checkpoints::checkpoints;
use pintle_session::history::{file_timeline, tree};
use pintle_session::review::{Content, between};
use pintle_session::store::blobs::Blobs;
use pintle_session::store::{Entry, Store, moves};
use std::collections::BTreeMap;
use std::path::Path;

impl EngineHandle {
    /// Returns the points to which files can be rewound.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub async fn checkpoints(&self, id: SessionId) -> Result<Vec<Checkpoint>, Error> {
        let store = self.services().store.clone();
        in_background(move || Ok(checkpoints(&read(&store, &id)?))).await
    }

    /// Compares files between two points in the history.
    ///
    /// # Errors
    /// The session or one of the points does not exist, or cannot be read.
    pub async fn compare(
        &self,
        id: SessionId,
        params: CheckpointDiffParams,
    ) -> Result<CheckpointDiffResult, Error> {
        let CheckpointDiffParams { session_id: _, from, to } = params;
        let store = self.services().store.clone();
        let cwd = {
            let (store, id) = (store.clone(), id.clone());
            in_background(move || Ok(store.entries(&id)?.header().cwd.clone())).await?
        };
        // Files are identified by their canonical paths.
        let env = &self.services().env;
        let cwd = env.canonicalize(Path::new(&cwd)).await.unwrap_or_else(|_| cwd.into());
        let compared = in_background(move || {
            let entries = read(&store, &id)?;
            let place = |point: &HistoryPoint| tree::find(&entries, point).map(|place| place.seq);
            let end = HistoryPoint {
                seq: Some(entries.last().map_or(0, |entry| entry.seq)),
                ..HistoryPoint::default()
            };
            let (from, to) = match (place(&from), place(to.as_ref().unwrap_or(&end))) {
                (Ok(from), Ok(to)) => (from, to),
                (Err(refused), _) => return Ok(Err((refused, "/from"))),
                (_, Err(refused)) => return Ok(Err((refused, "/to"))),
            };
            let folder = store.folder(&id)?;
            Ok(Ok(compare(&entries, &Blobs::new(&folder), &cwd, from, to)))
        });
        compared
            .await?
            .map_err(|(refused, field)| Error::no_point(&refused, Action::ListCheckpoints, field))
    }
}

fn read(store: &Store, id: &SessionId) -> Result<Vec<Entry>, pintle_session::store::Error> {
    let mut entries = store.entries(id)?.collect::<Result<Vec<_>, _>>()?;
    moves::relocate(&mut entries);
    Ok(entries)
}

fn compare(
    entries: &[Entry],
    blobs: &Blobs,
    cwd: &Path,
    from: u64,
    to: u64,
) -> CheckpointDiffResult {
    let (before, after) = (file_timeline::at(entries, from), file_timeline::at(entries, to));
    let mut left_out = Vec::new();
    let mut files: BTreeMap<String, [Option<Content>; 2]> = BTreeMap::new();
    for (path, was) in before {
        let is = after.get(&path).cloned().flatten();
        if was == is {
            continue;
        }
        let kept = |state: &Option<FileState>| match state {
            None => Some(None),
            Some(state) => content_of(state, blobs).map(Some),
        };
        match (kept(&was), kept(&is)) {
            (Some(was), Some(is)) => drop(files.insert(path, [was, is])),
            _ => left_out.push(path),
        }
    }
    let files = files.iter().map(|(path, [was, is])| (path.as_str(), was.as_ref(), is.as_ref()));
    let patch = between(&cwd.to_string_lossy(), files);
    left_out.extend(patch.left_out);
    CheckpointDiffResult { text: patch.text, left_out }
}
