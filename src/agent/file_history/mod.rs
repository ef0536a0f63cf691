//! The file changes of a turn's calls, found by comparing files before and after each call that may change some.
//!
//! A writing tool declares its files; for a command the whole directory is scanned. Changes by others between two calls are recorded
//! separately if the model had changed the file before. Invariant: the content that a call replaces is kept before the call runs.
//!
//! A file's content is kept in the session's `blobs/` before a call replaces it; for a command the directories are scanned before and after
//! (`exec/scan`). Contents that no event refers to are removed when the session is closed.

mod announced;
mod content;
pub(super) mod crash;
mod evidence;
mod outliving;
mod replace;
mod states;

pub(super) use content::{PLAIN_MODE, content_of};
pub(super) use evidence::Running;
pub(super) use replace::replace_if;
pub(super) use states::{FileStates, record};

use crate::background::in_background;
use crate::host::TurnHost;
use crate::workspace::Workspace;
use announced::AnnouncedFolder;
use evidence::{Author, Evidence};
use outliving::{Outliving, OutlivingEvidence};
use pintle_exec::scan::{self, Care, Files, Keep, Limits, Scan, ScanLimit, Scanned, StoredContent};
use pintle_exec::{After, Environment, Error, Transition, WriteLog};
use pintle_protocol::event::{Event, Notice, NoticeLevel};
use pintle_protocol::files::{ChangedBy, FileRecord, FileState, FilesChanged};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::JobRef;
use pintle_session::store::announced::Announced;
use pintle_session::store::blobs::{Blobs, hash};
use pintle_tools::{Access, ChangedFile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A session's knowledge of the files that were changed in it.
#[derive(Debug, Default)]
pub(super) struct FileHistory {
    /// Their last states in the journal.
    states: FileStates,
    /// The directory at the last scan.
    scanned: Arc<Files>,
    /// The directories that the last scan covered, if it was complete.
    scanned_roots: Option<Vec<PathBuf>>,
    /// Commands of earlier calls.
    outliving: Outliving,
    announced: AnnouncedFolder,
    /// True if the directory is too large to scan, which has been reported.
    is_blind: bool,
    /// True if a notice reported that scanning the directory took too long.
    has_told_over: bool,
    /// True if a notice reported that a content is not kept.
    has_told_loss: bool,
    /// Files known to be last changed by others.
    by_others: BTreeSet<PathBuf>,
}

/// The files before a call.
#[derive(Debug)]
pub(super) enum FilesBefore {
    /// Nothing, or unknown.
    Unknown,
    /// These files, each as it was.
    Paths(Vec<(PathBuf, Option<FileState>)>),
    /// The whole directory, for a command.
    Folder(Running),
}

/// File changes during a call, by author.
#[derive(Debug, Default, PartialEq, Eq)]
struct ObservedChanges {
    /// By others, before the call changed the file.
    before: Vec<FileRecord>,
    by_call: Vec<FileRecord>,
    /// By others, after that.
    after: Vec<FileRecord>,
}

/// The changes while a command ran, in rounds with at most one change per file, by author.
#[derive(Debug, Default)]
struct Rounds(Vec<BTreeMap<Author, Vec<FileRecord>>>);

impl Rounds {
    /// Adds a file's changes.
    fn add(
        &mut self,
        path: &Path,
        was: Option<&FileState>,
        changes: Vec<(Author, Option<FileState>)>,
    ) {
        let mut before = was.cloned();
        for (round, (author, after)) in changes.into_iter().enumerate() {
            if self.0.len() == round {
                self.0.push(BTreeMap::new());
            }
            if let Some(authors) = self.0.get_mut(round) {
                authors.entry(author).or_default().extend(record(
                    path,
                    before.as_ref(),
                    after.as_ref(),
                ));
            }
            before = after;
        }
    }
}

impl ObservedChanges {
    /// Records a file changed by a call and, if known, the call's exact edit.
    fn file(
        &mut self,
        path: &Path,
        before: Option<&FileState>,
        made: Option<&Transition>,
        after: Option<&FileState>,
        is_unsaved: bool,
    ) {
        let Some(Transition { before: from, after: to }) = made else {
            // Unsaved text was typed in by the user, unless it came from an edit.
            let by = if is_unsaved { &mut self.after } else { &mut self.by_call };
            by.extend(record(path, before, after));
            return;
        };
        self.before.extend(record(path, before, Some(from)));
        self.by_call.extend(record(path, Some(from), Some(to)));
        self.after.extend(record(path, Some(to), after));
    }
}

impl FileHistory {
    /// Starts with the files' last states in the journal.
    pub(super) fn new(states: FileStates) -> Self {
        Self { states, ..Self::default() }
    }

    /// Records the files that a call may change.
    pub(super) async fn before<H: TurnHost>(
        &mut self,
        host: &mut H,
        place: &Workspace,
        access: &Access,
    ) -> FilesBefore {
        if let Access::Write(_) | Access::Execute(_) = access {
            self.record(&host.gap().await);
        }
        match access {
            // Changes by a running program are found at the next scan.
            Access::Read(_)
            | Access::Type { .. }
            | Access::Fetch { .. }
            | Access::Other(_)
            | Access::Engine => FilesBefore::Unknown,
            Access::Write(paths) => {
                let found = host.wait(present(place, &self.states, paths)).await;
                self.note_others(host, &found);
                FilesBefore::Paths(found)
            }
            Access::Execute(_) if self.is_blind => FilesBefore::Unknown,
            Access::Execute(command) => {
                let running = Running::new(place, command);
                let Some(files) = self.scan(host, place, running.care()).await else {
                    return FilesBefore::Unknown;
                };
                self.look(host, place, files).await;
                FilesBefore::Folder(running)
            }
        }
    }

    /// Announces the possible changes of a call, in case the process is killed before it can report them.
    pub(super) async fn announce(
        &mut self,
        place: &Workspace,
        turn_id: &TurnId,
        before: &FilesBefore,
        item_id: &ItemId,
    ) {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        // These texts were never on disk, so the disk does not show what became of them.
        let unknown = place.env.unsaved(Path::new("/"));
        // After a kill there is no evidence about a change's author.
        let while_ran = match before {
            FilesBefore::Folder(running) => Some(running.command.clone()),
            FilesBefore::Unknown | FilesBefore::Paths(_) => None,
        };
        let mut announced = Announced {
            by: ChangedBy::Call { item_id: item_id.clone(), while_ran },
            turn_id: Some(turn_id.clone()),
            after_seq: None,
            folders: Vec::new(),
            before: BTreeMap::new(),
            folder_sum: None,
            unknown: unknown.iter().map(|path| text(path)).collect(),
            after: BTreeMap::new(),
        };
        match before {
            FilesBefore::Unknown => return,
            FilesBefore::Paths(found) => {
                let known = found.iter().filter(|(path, _)| !unknown.contains(path));
                announced.before = known.map(|(path, state)| (text(path), state.clone())).collect();
                announced.unknown.clear();
            }
            FilesBefore::Folder(_) => {
                let folder = self.announced.announce(&place.announcements, &self.scanned).await;
                let Some((sum, since)) = folder else { return };
                announced.folders = place.roots().await;
                announced.folder_sum = Some(sum);
                announced.before = since;
            }
        }
        crash::announce(&place.announcements, announced).await;
    }

    /// Reports a call's changes, and those of the jobs that it looked at.
    pub(super) async fn after<H: TurnHost>(
        &mut self,
        host: &mut H,
        place: &Workspace,
        before: FilesBefore,
        (item_id, writes): (&ItemId, &WriteLog),
        jobs: &[JobRef],
    ) {
        let by_call = |while_ran| ChangedBy::Call { item_id: item_id.clone(), while_ran };
        match before {
            FilesBefore::Unknown if jobs.is_empty() || self.outliving.is_empty() => {}
            FilesBefore::Unknown => {
                if let Some(files) = self.scan(host, place, Care::Metadata).await {
                    self.look(host, place, files).await;
                }
            }
            FilesBefore::Paths(found) => {
                let seen = host.wait(compared(place, found)).await;
                self.tell(host, seen.before, ChangedBy::Other {});
                self.tell(host, seen.by_call, by_call(None));
                self.tell(host, seen.after, ChangedBy::Other {});
            }
            FilesBefore::Folder(running) => {
                self.after_command(host, place, running, (item_id, writes)).await;
                if jobs.iter().any(|job| !job.has_ended) {
                    self.outliving.add(place, item_id.clone(), writes.clone());
                }
            }
        }
    }

    async fn after_command<H: TurnHost>(
        &mut self,
        host: &mut H,
        place: &Workspace,
        running: Running,
        (item_id, writes): (&ItemId, &WriteLog),
    ) {
        host.wait(running.wait_for_saves(place, writes)).await;
        let is_watched = writes.is_clean() && self.outliving.is_empty();
        let care = if is_watched { Care::Watch } else { running.care() };
        let Some(files) = self.scan(host, place, care).await else { return };
        let earlier = self.outliving.finish_look(place);
        let before = std::mem::replace(&mut self.scanned, Arc::clone(&files));
        if Arc::ptr_eq(&before, &files) {
            return;
        }
        let own = host.wait(running.evidence(place, writes)).await;
        let by = |author| match author {
            Author::Command => ChangedBy::Call { item_id: item_id.clone(), while_ran: None },
            Author::Unknown => {
                let while_ran = Some(running.command.clone());
                ChangedBy::Call { item_id: item_id.clone(), while_ran }
            }
            Author::Earlier(_) | Author::Other => ChangedBy::Other {},
        };
        self.attribute(host, place, (before, files), (Some(own), earlier), by).await;
    }

    /// Reports what earlier calls' commands and others have changed since the last look at the directory.
    async fn look<H: TurnHost>(&mut self, host: &mut H, place: &Workspace, files: Arc<Files>) {
        let earlier = self.outliving.finish_look(place);
        let roots = host.wait(place.roots()).await;
        let is_comparable = self.scanned_roots.as_ref() == Some(&roots);
        let before = std::mem::replace(&mut self.scanned, Arc::clone(&files));
        self.scanned_roots = Some(roots.clone());
        if is_comparable && !earlier.is_empty() {
            let looks = (before, Arc::clone(&files));
            self.attribute(host, place, looks, (None, earlier), |_| ChangedBy::Other {}).await;
        }
        let known = self.states.paths().filter(|path| is_in(path, &roots));
        let state = |path: &PathBuf| files.get(path).map(|seen| seen.state.clone());
        let found: Vec<_> = known.map(|path| (path.clone(), state(path))).collect();
        self.note_others(host, &found);
    }

    /// Reports the changes between two looks at the directory, by author. Without evidence about a command in between, only files changed by
    /// earlier calls' commands are reported.
    async fn attribute<H: TurnHost>(
        &mut self,
        host: &mut H,
        place: &Workspace,
        (was_files, files): (Arc<Files>, Arc<Files>),
        (own, earlier): (Option<Evidence>, OutlivingEvidence),
        by: impl Fn(Author) -> ChangedBy,
    ) {
        let roots = host.wait(place.roots()).await;
        let unsaved: Vec<PathBuf> = roots.iter().flat_map(|root| place.env.unsaved(root)).collect();
        let (blobs, known) = (place.blobs.clone(), self.states.clone());
        let rounds = in_background(move || {
            let mut rounds = Rounds::default();
            for (path, was, is) in differences(&was_files, &files) {
                let is_unsaved = is.is_some() && unsaved.contains(path);
                let is_own = |own: &Evidence| own.author(path) == Author::Command;
                let theirs = earlier.of(path).filter(|_| !own.as_ref().is_some_and(is_own));
                // Other calls may have changed the file since the last look.
                let was = if own.is_some() { was } else { known.last(path, was) };
                let changes = match (theirs, &own) {
                    (Some((number, evidence)), _) => {
                        let mut changes = evidence.changes(&blobs, path, was, is, is_unsaved);
                        for (author, _) in &mut changes {
                            if *author == Author::Command {
                                *author = Author::Earlier(number);
                            }
                        }
                        changes
                    }
                    (None, Some(own)) => own.changes(&blobs, path, was, is, is_unsaved),
                    (None, None) => continue,
                };
                rounds.add(path, was, changes);
            }
            Ok((rounds, earlier))
        });
        let (Rounds(rounds), earlier) = match host.wait(rounds).await {
            Ok(found) => found,
            Err(error) => return tracing::error!("failed to record changed files: {error}"),
        };
        for (author, changes) in rounds.into_iter().flatten() {
            let earlier = match author {
                Author::Earlier(number) => earlier.call(number).cloned(),
                Author::Command | Author::Other | Author::Unknown => None,
            };
            let by = earlier
                .map_or_else(|| by(author), |item_id| ChangedBy::Call { item_id, while_ran: None });
            self.tell(host, changes, by);
        }
    }

    /// Records file changes made by the engine itself.
    pub(super) fn record(&mut self, changes: &[FileRecord]) {
        for change in changes {
            self.by_others.remove(Path::new(&change.path));
        }
        self.states.update(changes);
    }

    /// Returns true if the file's current content comes from the session itself, from a call or from a user action in the session.
    pub(super) fn is_of_session(&self, file: &ChangedFile) -> bool {
        !self.by_others.contains(&file.path) && self.states.is_last(&file.path, file.digest)
    }

    fn tell<H: TurnHost>(&mut self, host: &mut H, changes: Vec<FileRecord>, by: ChangedBy) {
        let lost = changes
            .iter()
            .find(|change| change.before.as_ref().is_some_and(|before| before.is_lost));
        if let Some(lost) = lost
            && !std::mem::replace(&mut self.has_told_loss, true)
        {
            let notice = Notice {
                level: NoticeLevel::Warning,
                code: "contentNotKept".to_owned(),
                message: format!(
                    "the previous content of {} is not kept, so rewinding cannot restore it",
                    lost.path
                ),
                hint: Some(
                    "files over 16 MB are not kept, and no files while the disk is full".to_owned(),
                ),
            };
            host.record(Event::Notice(notice));
        }
        if !changes.is_empty() {
            self.record(&changes);
            if by == (ChangedBy::Other {}) {
                self.by_others.extend(changes.iter().map(|change| PathBuf::from(&change.path)));
            }
            host.record(Event::FilesChanged(FilesChanged { changes, by }));
        }
    }

    /// Reports that others may have changed these files after a call.
    pub(super) async fn changed_by_others<H: TurnHost>(
        &mut self,
        host: &mut H,
        place: &Workspace,
        paths: &[PathBuf],
    ) {
        let found = host.wait(present(place, &self.states, paths)).await;
        self.note_others(host, &found);
    }

    /// Reports changes to known files since they were last seen.
    fn note_others<H: TurnHost>(&mut self, host: &mut H, found: &[(PathBuf, Option<FileState>)]) {
        self.tell(host, self.states.others(found), ChangedBy::Other {});
    }

    /// Scans the directory; returns `None` if it is too large, which is reported once.
    async fn scan<H: TurnHost>(
        &mut self,
        host: &mut H,
        place: &Workspace,
        care: Care,
    ) -> Option<Arc<Files>> {
        let roots = host.wait(place.roots()).await;
        self.outliving.begin_look();
        let known = Arc::clone(&self.scanned);
        let changed = self.states.paths().filter(|path| is_in(path, &roots));
        let changed: Vec<PathBuf> = changed.cloned().collect();
        let (env, blobs) = (place.env.as_ref(), &place.blobs);
        let over = match host.wait(scan(env, blobs, roots, known, care)).await {
            Ok(Scanned { mut files, over: None }) => {
                host.wait(look_at(env, blobs, &mut files, changed)).await;
                return Some(files);
            }
            Ok(Scanned { files, over: Some(over) }) => {
                // The next scan continues from there.
                (self.scanned, self.scanned_roots) = (files, None);
                over
            }
            Err(error) => ScanLimit { why: error.to_string(), can_go_on: false },
        };
        if !over.can_go_on {
            self.is_blind = true;
            (self.scanned, self.scanned_roots) = (Arc::default(), None);
            self.outliving = Outliving::default();
        }
        self.tell_not_tracked(host, &over);
        None
    }

    fn tell_not_tracked<H: TurnHost>(&mut self, host: &mut H, over: &ScanLimit) {
        if std::mem::replace(&mut self.has_told_over, true) && over.can_go_on {
            return;
        }
        let ScanLimit { why, can_go_on } = over;
        let (which, hint) = if *can_go_on {
            (
                "this command makes",
                "tracking continues with the next command; changes by file tools can be undone",
            )
        } else {
            ("commands make", "changes by file tools can be")
        };
        let notice = Notice {
            level: NoticeLevel::Info,
            code: "commandsNotTracked".to_owned(),
            message: format!("file changes that {which} cannot be undone in this session: {why}"),
            hint: Some(hint.to_owned()),
        };
        host.record(Event::Notice(notice));
    }
}

/// Returns the files whose states differ, in path order.
fn differences<'a>(
    before: &'a Files,
    after: &'a Files,
) -> impl Iterator<Item = (&'a PathBuf, Option<&'a FileState>, Option<&'a FileState>)> {
    let states = scan::differences(before, after)
        .map(|(path, was, is)| (path, was.map(|seen| &seen.state), is.map(|seen| &seen.state)));
    states.filter(|(_, was, is)| was != is)
}

/// Returns the current states of the files in a call's arguments.
async fn present(
    place: &Workspace,
    known: &FileStates,
    paths: &[PathBuf],
) -> Vec<(PathBuf, Option<FileState>)> {
    let mut real = Vec::new();
    for path in paths {
        let path = place.env.canonicalize(path).await.unwrap_or_else(|_| path.clone());
        // Edits of its open document up to here belong to earlier calls.
        transition(place, &path, None).await;
        real.push(path);
    }
    // A file that cannot be read is not replaced by the tool either.
    settled(place.env.as_ref(), &place.blobs, known, real).await
}

/// Compares files with their states before a call.
async fn compared(place: &Workspace, before: Vec<(PathBuf, Option<FileState>)>) -> ObservedChanges {
    let mut seen = ObservedChanges::default();
    for (path, before) in before {
        match state(place.env.as_ref(), &place.blobs, &path).await {
            Ok(after) => {
                let made = transition(place, &path, before.as_ref()).await;
                let is_unsaved = place.env.unsaved(&path).contains(&path);
                let (before, after) = (before.as_ref(), after.as_ref());
                seen.file(&path, before, made.as_ref(), after, is_unsaved);
            }
            Err(error) => tracing::warn!("{}: {error}", path.display()),
        }
    }
    seen
}

fn is_in(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

/// Returns the files in directories, and keeps contents that are not known yet.
///
/// # Errors
/// There are too many files.
pub(super) async fn scanned(
    env: &dyn Environment,
    blobs: &Blobs,
    roots: Vec<PathBuf>,
) -> Result<Arc<Files>, Error> {
    let Scanned { files, over } = scan(env, blobs, roots, Arc::default(), Care::Metadata).await?;
    over.map_or(Ok(files), |over| Err(Error::Refused(over.why)))
}

async fn scan(
    env: &dyn Environment,
    blobs: &Blobs,
    roots: Vec<PathBuf>,
    known: Arc<Files>,
    care: Care,
) -> Result<Scanned, Error> {
    let mut all = Files::default();
    let mut all_over = None;
    let is_one = roots.len() == 1;
    for root in roots {
        let known = if is_one {
            Arc::clone(&known)
        } else {
            let here = known.iter().filter(|(path, _)| path.starts_with(&root));
            Arc::new(here.map(|(path, seen)| (path.clone(), seen.clone())).collect())
        };
        let scan = Scan { root, known, keep: keeper(blobs), limits: Limits::default(), care };
        // A call that was stopped has changed files all the same.
        let Scanned { files, over } = env.scan(scan, &CancellationToken::new()).await?;
        if is_one {
            return Ok(Scanned { files, over });
        }
        all_over = all_over.or(over);
        all.extend(Arc::unwrap_or_clone(files));
    }
    let files = if all == *known { known } else { Arc::new(all) };
    Ok(Scanned { files, over: all_over })
}

/// Looks at files that a scan passes over, such as ignored ones.
pub(super) async fn look_at(
    env: &dyn Environment,
    blobs: &Blobs,
    files: &mut Arc<Files>,
    paths: Vec<PathBuf>,
) {
    for path in paths {
        if files.contains_key(&path) {
            continue;
        }
        match state(env, blobs, &path).await {
            // No scan goes by this mark.
            Ok(Some(state)) => {
                Arc::make_mut(files).insert(path, scan::ScannedFile { mark: 0, state });
            }
            Ok(None) => {}
            Err(error) => tracing::debug!("{}: {error}", path.display()),
        }
    }
}

/// Returns an open document's edits, including any typing meanwhile, as one transition.
async fn transition(
    place: &Workspace,
    path: &Path,
    before: Option<&FileState>,
) -> Option<Transition> {
    let told = place.env.transitions(path, keeper(&place.blobs)).await;
    let made = told.unwrap_or_else(|error| {
        tracing::warn!("{}: {error}", path.display());
        Vec::new()
    });
    let mode = before.and_then(|before| before.mode);
    let (first, last) = (made.first()?, made.last()?);
    Some(Transition {
        before: FileState { mode, ..first.before.clone() },
        after: FileState { mode, ..last.after.clone() },
    })
}

/// Returns a file's current state, and keeps its content.
///
/// # Errors
/// The file cannot be read, or its content cannot be kept.
pub(super) async fn state(
    env: &dyn Environment,
    blobs: &Blobs,
    path: &Path,
) -> Result<Option<FileState>, Error> {
    env.remember(path, keeper(blobs), Limits::default().file_bytes).await
}

/// Returns current file states, and keeps the contents. Others may be writing the files; unreadable ones are omitted.
///
/// Editors empty a file before they write it. Files that are not in their last known state are read again, all together, until they stay
/// the same.
pub(super) async fn settled(
    env: &dyn Environment,
    blobs: &Blobs,
    known: &FileStates,
    paths: Vec<PathBuf>,
) -> Vec<(PathBuf, Option<FileState>)> {
    /// How long the files must stay the same.
    const SETTLED_AFTER: Duration = Duration::from_millis(20);
    /// Files that change all the time are taken as they are then.
    const MAX_ROUNDS: usize = 25;
    let mut found = Vec::new();
    for path in paths {
        match state(env, blobs, &path).await {
            Ok(state) => found.push((path, state)),
            Err(error) => tracing::debug!("{}: {error}", path.display()),
        }
    }
    // Editors always report complete text.
    let unsaved = env.unsaved(Path::new("/"));
    let is_unsettled = |(path, state): &(PathBuf, Option<FileState>)| {
        known.is_changed(path, state.as_ref()) && !unsaved.contains(path)
    };
    let mut unsettled: Vec<usize> =
        found.iter().enumerate().filter(|(_, each)| is_unsettled(each)).map(|(at, _)| at).collect();
    for _ in 0..MAX_ROUNDS {
        if unsettled.is_empty() {
            break;
        }
        tokio::time::sleep(SETTLED_AFTER).await;
        let mut still = Vec::new();
        for at in unsettled {
            let Some((path, seen)) = found.get_mut(at) else { continue };
            // A file that can no longer be read keeps its last state.
            if let Ok(now) = state(env, blobs, path).await
                && now != *seen
            {
                *seen = now;
                still.push(at);
            }
        }
        unsettled = still;
    }
    found
}

/// Restores a file to an earlier state, if its state is the expected one. Returns its new state.
///
/// # Errors
/// A message: the file has changed meanwhile, its earlier content is not kept, or the write failed.
pub(super) async fn put_back(
    env: &dyn Environment,
    blobs: &Blobs,
    path: &Path,
    then: Option<&FileState>,
    present: Option<&FileState>,
) -> Result<Option<FileState>, String> {
    let words = |error: Error| error.to_string();
    let after = match then {
        None => After::Remove,
        Some(then) => {
            let (blobs, sha256) = (blobs.clone(), then.sha256.clone());
            let content = in_background(move || blobs.get(&sha256)).await;
            After::Write(content.map_err(|error| error.to_string())?.into())
        }
    };
    let expected = present.map(|present| present.sha256.clone());
    let is_expected = move |found: Option<&[u8]>| found.map(hash) == expected;
    replace_if(env, path, is_expected, after).await.map_err(words)?;
    if let Some(mode) = then.and_then(|then| then.mode)
        && let Err(error) = env.set_mode(path, mode).await
    {
        tracing::warn!("{}: {error}", path.display());
    }
    state(env, blobs, path).await.map_err(words)
}

/// Returns a file's state with this content, which is kept.
fn state_of_content(blobs: &Blobs, content: &[u8], mode: Option<u32>) -> FileState {
    let StoredContent { sha256, is_lost } = keeper(blobs)(content);
    FileState { sha256, size: content.len() as u64, mode, is_lost }
}

/// Keeps contents among these blobs.
fn keeper(blobs: &Blobs) -> Keep {
    let blobs = blobs.clone();
    Arc::new(move |content: &[u8]| match blobs.put(content) {
        Ok(sha256) => StoredContent { sha256, is_lost: false },
        Err(error) => {
            tracing::warn!("failed to keep a file's previous content: {error}");
            StoredContent { sha256: hash(content), is_lost: true }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_exec::memory::Memory;
    use pintle_protocol::files::FileRecord;

    /// An editor that saves empties the file first.
    #[tokio::test]
    async fn a_file_that_is_just_being_written_is_read_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(folder.path());
        let path = Path::new("/w/f");
        let of = |text: &str| Some(state_of_content(&blobs, text.as_bytes(), None));
        // The known text, the one found first, the one written meanwhile, and the result.
        for (known, first, written, want) in [
            (Some("agent"), "", Some("agent and user"), "agent and user"),
            (Some("agent"), "agent and", Some("agent and user"), "agent and user"),
            (Some("agent"), "user", None, "user"),
            (Some("agent"), "", None, ""),
            // These have nothing to wait for.
            (Some("agent"), "agent", Some("later"), "agent"),
            (None, "first", Some("later"), "first"),
        ] {
            let env = Memory::new([("/w/f", first)]);
            let mut states = FileStates::default();
            if let Some(known) = known {
                let change = FileRecord { path: "/w/f".to_owned(), before: None, after: of(known) };
                states.update(&[change]);
            }
            let write = async {
                if let Some(written) = written {
                    env.write(path, written.into()).await.unwrap();
                }
            };
            let paths = vec![path.to_path_buf()];
            let (found, ()) = tokio::join!(settled(&env, &blobs, &states, paths), write);
            let found = found[0].1.as_ref().unwrap();
            assert_eq!(found.sha256, hash(want.as_bytes()), "{known:?}, {first}, {written:?}");
        }
    }
}
