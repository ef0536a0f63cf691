//! Opens stored sessions: in their directory or a new one, after closing what an interrupted engine left unfinished.

use super::Engine;
use super::opening::Opening;
use crate::background::in_background;
use crate::command::{NewFolder, OpenConfig, SessionHandle, SettingsCommand};
use crate::error::Error;
use crate::file_history::{FileHistory, crash};
use crate::kept_edits;
use crate::session::Settings;
use crate::turn::context::TurnState;
use crate::workspace;
use pintle_exec as exec;
use pintle_os::names;
use pintle_protocol::event::{Event, EventRecord, Notice, NoticeLevel, SessionCreated};
use pintle_protocol::ids::SessionId;
use pintle_protocol::session::SessionMoved;
use pintle_session::history::recovery::Recovery;
use pintle_session::store::artifacts;
use pintle_session::store::moves::Moves;
use pintle_session::store::seen;
use pintle_session::store::streaming::StreamingFile;
use pintle_session::store::{Fold, Journal, Resumed, Store};
use std::iter;
use std::path::{Path, PathBuf};

impl Engine {
    /// Opens a stored session, or configures it if it is open.
    pub(super) async fn open(
        &mut self,
        id: &SessionId,
        mut config: OpenConfig,
    ) -> Result<SessionHandle, Error> {
        if let Some(handle) = self.configure_open(id, &config).await? {
            return Ok(handle);
        }
        config.check_open()?;
        let store = self.services.store.clone();
        let wanted = id.clone();
        let Resumed { mut journal, fold, warnings } =
            in_background(move || store.resume::<Opening>(&wanted)).await?;
        let mut opening = match fold {
            Some(opening) => opening,
            None => replayed(&journal).await?,
        };
        let is_discarded = self.leave_discarded(&journal.header().cwd, &mut config).await?;
        self.relocate(&mut journal, &mut opening, &config, is_discarded).await?;
        let moves = opening.moves();
        let mut found = opening.recovery(self.services.ambient.now_ms());
        let permission_mode = config.permission_mode.or(self.services.permissions.named_mode);
        let mut settings = self.stored_settings(config, found.created.as_ref()).await?;
        settings.isolation = self.isolation_at(&journal.header().cwd).await?;
        let is_damaged = !warnings.is_empty();
        self.report_damage(&mut journal, warnings)?;
        // Before files are looked at, which it may still change.
        found.earlier.ended = self.services.here.end_abandoned(id.as_str()).await;
        found.earlier.seen = seen::saved_now(journal.folder(), &moves);
        self.close_unfinished(&mut journal, &mut opening, &mut found, &moves).await?;
        if found.earlier.is_retitled
            && let Err(error) = journal.keep_title(settings.title.as_deref())
        {
            tracing::warn!("failed to update the title in lists: {error}");
        }
        // Damage is reported whenever the session is opened.
        if !is_damaged
            && self.services.store.is_due(&journal)
            && let Some(state) = opening.saved_state()
        {
            save(journal.saver(state)).await;
        }
        let opened = opening.finish();
        found.earlier.touched = opened.touched;
        let mut state = TurnState {
            prompt_state: Box::new(opened.prompt_state),
            files: Box::new(FileHistory::new(opened.files)),
            ..TurnState::default()
        };
        match opened.conversation {
            Ok(conversation) => state.conversation = conversation,
            Err(size) => state.leave_unread(size),
        }
        let handle = self.spawn(journal, settings, state, found.earlier);
        // The session keeps a stricter mode and reports that, as an already open one does.
        let config = OpenConfig { permission_mode, ..OpenConfig::default() };
        handle.ask(|reply| SettingsCommand::Configure { config, reply }).await?;
        Ok(handle)
    }

    /// Configures a session that is already open. Returns `None` if it is not, or once one that was closing has ended.
    async fn configure_open(
        &mut self,
        id: &SessionId,
        config: &OpenConfig,
    ) -> Result<Option<SessionHandle>, Error> {
        let Some(handle) = self.open.get(id).cloned() else { return Ok(None) };
        workspace::check_all(self.services.env.as_ref(), config.additional.as_ref()).await?;
        let configured =
            handle.ask(|reply| SettingsCommand::Configure { config: config.clone(), reply });
        match configured.await {
            Ok(()) => Ok(Some(handle)),
            // Wait until its journal is free.
            Err(error) if error.is_closed_session() => {
                while self.open.contains_key(id)
                    && let Some(ended) = self.tasks.join_next().await
                {
                    self.forget(ended);
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Moves a session to the directory that the configuration specifies, if any.
    async fn relocate(
        &self,
        journal: &mut Journal,
        opening: &mut Opening,
        config: &OpenConfig,
        is_discarded: bool,
    ) -> Result<(), Error> {
        let from = journal.header().cwd.clone();
        let cwd = self.folder_of(&from, config).await?;
        if cwd == from {
            return Ok(());
        }
        journal.move_to(&cwd)?;
        let moved = Event::SessionMoved(SessionMoved { from, cwd, is_discarded });
        let moved = self.append(journal, None, moved, None)?;
        if !opening.take(&moved) {
            *opening = replayed(journal).await?;
        }
        Ok(())
    }

    /// Returns a stored session's settings: the stored ones, unless the configuration specifies others.
    async fn stored_settings(
        &self,
        config: OpenConfig,
        created: Option<&SessionCreated>,
    ) -> Result<Settings, Error> {
        let parent = created.and_then(|created| created.parent.as_ref());
        let mut settings = self.settings(
            config.over(created),
            created.and_then(|created| created.title.clone()),
            parent.is_some(),
            created.and_then(|created| created.role.clone()),
        )?;
        if let Some(parent) = parent {
            let (store, parent) = (self.services.store.clone(), parent.session_id.clone());
            let above = in_background(move || Ok(ancestors(&store, parent))).await?;
            let depth = self.services.defaults.limits.subagent_depth;
            settings.limits.subagent_depth = above.map_or(0, |above| depth.saturating_sub(above));
        }
        Ok(settings)
    }

    fn report_damage(&self, journal: &mut Journal, warnings: Vec<String>) -> Result<(), Error> {
        for message in warnings {
            let notice = Notice {
                level: NoticeLevel::Warning,
                code: "journalDamaged".to_owned(),
                message,
                hint: None,
            };
            self.append(journal, None, Event::Notice(notice), None)?;
        }
        Ok(())
    }

    /// Records the end of everything that was interrupted: streamed text, changes by a command, edits to proposals, items and turns.
    async fn close_unfinished(
        &self,
        journal: &mut Journal,
        opening: &mut Opening,
        found: &mut Recovery,
        moves: &Moves,
    ) -> Result<(), Error> {
        let mut streaming = StreamingFile::new(journal.folder());
        let streamed = streaming.saved();
        found.restore_streamed(streamed);
        let announced = crash::announced(journal).await;
        let untold = match announced.filter(|announced| opening.may_be_open(announced)) {
            None => None,
            Some(announced) => {
                let mut entries = in_background(journal.reader()).await?;
                // Later ones are about this opening itself.
                entries.retain(|entry| entry.seq <= opening.seq());
                let env = self.services.env.as_ref();
                crash::untold(env, journal, announced, &entries, moves).await
            }
        };
        let closing = std::mem::take(&mut found.closing);
        let artifacts = journal.folder().join(artifacts::FOLDER);
        let items = closing.iter().filter_map(|(_, event)| event.item());
        let unapplied: Vec<Event> =
            items.flat_map(|item| kept_edits::interrupted(&artifacts, &item.id)).collect();
        // What is closed here is part of the history that the model sees.
        let unapplied = unapplied.into_iter().map(|notice| (None, notice));
        for (turn, event) in untold.into_iter().chain(closing).chain(unapplied) {
            let entry = self.append(journal, turn, event, None)?;
            entry.record.iter().for_each(|record| found.earlier.keys.record(record));
            // None of these changes the meaning of earlier events.
            opening.take(&entry);
        }
        streaming.clear();
        Ok(())
    }

    /// Returns the working directory of a stored session when it is opened: the stored one, unless the configuration specifies another one.
    pub(super) async fn folder_of(&self, own: &str, config: &OpenConfig) -> Result<String, Error> {
        let env = self.services.env.as_ref();
        let is_gone = || async {
            matches!(
                env.stat(Path::new(own)).await,
                Err(exec::Error::NotFound(_) | exec::Error::NotFolder(_))
            )
        };
        let wanted = match &config.cwd {
            Some(NewFolder::Move(folder)) => Some(folder),
            Some(NewFolder::IfGone(folder))
                if is_gone().await || self.has_moved(own, folder).await? =>
            {
                Some(folder)
            }
            Some(NewFolder::IfGone(_)) | None => None,
        };
        let Some(wanted) = wanted else {
            let checked = self.check_folders(own, config).await;
            return checked.map(|()| own.to_owned()).map_err(|error| {
                error.hint("if the directory was moved, open the session with the new path (`cwd`, or `pintle run --session ID -C DIR`)")
            });
        };
        let wanted =
            if is_gone().await { self.place_in(own, wanted).await? } else { wanted.clone() };
        let wanted = names::given(wanted.to_string_lossy().into_owned());
        self.check_folders(&wanted, config).await?;
        let real = |path: &str| {
            let path = PathBuf::from(path);
            async move { env.canonicalize(&path).await.unwrap_or(path) }
        };
        let is_same = real(own).await == real(&wanted).await;
        Ok(if is_same { own.to_owned() } else { wanted })
    }

    /// Returns true if the session's working directory was moved to `folder`, even if another directory has taken its old path.
    async fn has_moved(&self, own: &str, folder: &Path) -> Result<bool, Error> {
        if !self.services.env.is_this_machine() {
            return Ok(false);
        }
        let (store, own, folder) =
            (self.services.store.clone(), PathBuf::from(own), folder.to_owned());
        in_background(move || Ok(own != folder && store.has_moved(&own, &folder))).await
    }

    /// Returns the new path of a session's missing directory: the specified directory, or one below it that the store recognizes.
    async fn place_in(&self, own: &str, folder: &Path) -> Result<PathBuf, Error> {
        if !self.services.env.is_this_machine() {
            return Ok(folder.to_owned());
        }
        let (store, own, folder) =
            (self.services.store.clone(), PathBuf::from(own), folder.to_owned());
        in_background(move || {
            let names = own.components().collect::<Vec<_>>();
            let below = (1..names.len()).map(|first| names.iter().skip(first).collect::<PathBuf>());
            let places = iter::once(folder.clone()).chain(below.map(|below| folder.join(below)));
            let is_own = |place: &PathBuf| place.is_dir() && store.has_moved(&own, place);
            Ok(places.into_iter().find(is_own).unwrap_or(folder))
        })
        .await
    }
}

/// Reads all of a journal, whose entries change the meaning of earlier ones.
async fn replayed(journal: &Journal) -> Result<Opening, Error> {
    let read = journal.reader();
    in_background(move || Ok(Opening::replay(&read()?))).await
}

/// Saves a session's state. If this fails, opening the session takes longer.
async fn save(save: impl FnOnce() -> std::io::Result<()> + Send + 'static) {
    if let Ok(Err(error)) = tokio::task::spawn_blocking(save).await {
        tracing::debug!("failed to save a session's state: {error}");
    }
}

/// Counts the sessions above a sub-agent's, starting with its parent; `None` if one of them is gone.
fn ancestors(store: &Store, mut parent: SessionId) -> Option<u32> {
    /// More than any setting allows: in a journal edited by hand, a session may be its own parent.
    const MAX_DEPTH: u32 = 64;
    for above in 1..=MAX_DEPTH {
        let first = store.page(&parent, 0, 1).ok()?.events.into_iter().next()?;
        let record: EventRecord = serde_json::from_str(first.get()).ok()?;
        let Event::SessionCreated(created) = record.event else { return None };
        match created.parent {
            None => return Some(above),
            Some(next) => parent = next.session_id,
        }
    }
    None
}
