//! `pintle sessions tree`, `outline`, `rewind`, `fork`, `merge`, `label`, `patch`, `apply`, `discard`, `review`, `keep`, `undo` and
//! `revert`: requests about a session's history and review, for a user at a terminal.
//!
//! All but `tree`, `outline`, `fork` and `discard` open the session in a separate engine and send it the protocol's commands; nothing is decided here.

mod isolation;
mod place;
mod review;
mod rewind;
mod tree;

pub(super) use place::range;

use super::terminal::{confirm, one_line};
use super::{NOTHING, StoreCommands};
use crate::cli::args::history::{Forking, History};
use crate::cli::assemble;
use pintle_agent::{
    Action, Command, EngineHandle, Error, ErrorKind, ForkSession, Hint, NewFolder, OpenConfig,
    SessionHandle, SessionRequest,
};
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_frontend::run::{FAILED, STOPPED};
use pintle_protocol::event::Event;
use pintle_protocol::history::{SessionMergeParams, SessionMergeResult};
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::SessionMerge;
use pintle_session::history::tree as ways;
use pintle_session::store::Entry;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Runs the command and returns the exit code. `stop` is cancelled by a signal.
pub(crate) async fn run(
    task: History,
    engine: EngineHandle,
    ambient: Ambient,
    stop: CancellationToken,
) -> anyhow::Result<u8> {
    let done = attempt(task, &engine, &ambient, stop).await;
    engine.shutdown().await;
    match done {
        Ok(code) => Ok(code),
        Err(error) if super::is_broken_pipe(&error) => Ok(0),
        Err(error) => match error.downcast_ref::<Refused>() {
            Some(refused) if refused.is_internal => {
                writeln!(screen::err(), "pintle: {refused}")?;
                Ok(FAILED)
            }
            Some(_) | None => Err(error),
        },
    }
}

async fn attempt(
    task: History,
    engine: &EngineHandle,
    ambient: &Ambient,
    stop: CancellationToken,
) -> anyhow::Result<u8> {
    let store = engine.store().clone();
    let id = StoreCommands { store, ambient }.named(&task.subject().id)?;
    let open = OpenSession::open(engine, ambient, id.clone(), stop.clone());
    match &task {
        // For these, another process may have the session.
        History::Fork(wanted) => fork(engine, ambient, id, wanted).await,
        History::Merge(_) => merge(engine, ambient, id, stop).await,
        History::Tree(wanted) => tree::tell(engine, &id, wanted.json),
        History::Outline(wanted) => tree::tell_outline(engine, &id, wanted.json),
        History::Rewind(wanted) => open.await?.rewind(wanted).await,
        History::Label(wanted) => open.await?.label(&wanted.to, wanted.name.clone()).await,
        History::Patch(wanted) => open.await?.patch(wanted.open).await,
        History::Apply(wanted) => open.await?.apply(wanted.on_conflict(), wanted.json).await,
        History::Discard(_) => isolation::discard(engine, id).await,
        History::Review(wanted) => open.await?.review(wanted.json).await,
        History::Keep(wanted) => open.await?.keep(&wanted.target).await,
        History::Undo(wanted) => {
            open.await?.undo(&wanted.deciding.target, wanted.discard_edits).await
        }
        History::Revert(wanted) => open.await?.revert(wanted.decision).await,
    }
}

/// A session that is open in an engine of this process.
struct OpenSession<'a> {
    engine: &'a EngineHandle,
    ambient: &'a Ambient,
    session: SessionHandle,
    stop: CancellationToken,
}

/// The user's answer.
enum Consent {
    Yes,
    No,
    /// A signal came first.
    Stopped,
}

impl<'a> OpenSession<'a> {
    async fn open(
        engine: &'a EngineHandle,
        ambient: &'a Ambient,
        id: SessionId,
        stop: CancellationToken,
    ) -> anyhow::Result<Self> {
        let own = engine.cwd_of(id.clone()).await?;
        let cwd = Some(NewFolder::IfGone(ambient.current_dir()?));
        let opened = engine.open(id.clone(), OpenConfig { cwd, ..OpenConfig::default() }).await;
        let session = opened.map_err(|error| refused(error, &id))?;
        let cwd = engine.cwd_of(id).await?;
        if cwd != own {
            writeln!(
                screen::err(),
                "pintle: the session moved to {} from {}, which no longer exists",
                one_line(&cwd),
                one_line(&own)
            )?;
        }
        Ok(Self { engine, ambient, session, stop })
    }

    async fn ask<T, C: Into<Command>>(
        &self,
        command: impl FnOnce(pintle_agent::Reply<T>) -> C,
    ) -> anyhow::Result<T> {
        self.session.ask(command).await.map_err(|error| refused(error, &self.session.id))
    }

    async fn call<R: SessionRequest>(&self, params: R::Params) -> anyhow::Result<R::Result> {
        self.session.call::<R>(params).await.map_err(|error| refused(error, &self.session.id))
    }

    /// Returns a file as the session names it.
    async fn path(&self, named: &Path) -> anyhow::Result<String> {
        let path = self.ambient.absolute(named)?;
        let whole = self.engine.canonicalize(&path).await;
        let whole: PathBuf = whole.map_err(|error| refused(error, &self.session.id))?;
        Ok(whole.to_string_lossy().into_owned())
    }

    /// Asks the user at the terminal; without a terminal, the user cannot be asked.
    async fn consent(&self, question: &str) -> anyhow::Result<Consent> {
        // Runs on a separate thread, so that a signal is handled meanwhile.
        let question = question.to_owned();
        let asked = tokio::task::spawn_blocking(move || confirm(&question, "nothing changed"));
        let is_agreed = tokio::select! {
            answer = asked => answer??,
            () = self.stop.cancelled() => return Ok(Consent::Stopped),
        };
        Ok(if is_agreed { Consent::Yes } else { Consent::No })
    }
}

/// Prints lines on stdout.
fn print(lines: &[String]) -> io::Result<()> {
    let mut out = screen::out();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

/// Forks without opening the other session.
async fn fork(
    engine: &EngineHandle,
    ambient: &Ambient,
    of: SessionId,
    wanted: &Forking,
) -> anyhow::Result<u8> {
    let here = ambient.current_dir()?;
    let cwd = match &wanted.directory {
        Some(named) => NewFolder::Move(assemble::folder(&here.join(named))?),
        None => NewFolder::IfGone(here),
    };
    let at = match &wanted.to {
        None => None,
        Some(to) => {
            let entries = engine.store().entries(&of)?;
            let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
            Some(place::find(&ways::nodes(&entries), to, &of)?)
        }
    };
    let (title, cause) = (None, None);
    let config = OpenConfig { cwd: Some(cwd), ..OpenConfig::default() };
    let own = engine.cwd_of(of.clone()).await?;
    let fork = ForkSession { of: of.clone(), at, title, config, cause };
    let session = engine.fork(fork).await.map_err(|error| refused(error, &of))?;
    let cwd = engine.cwd_of(session.id.clone()).await?;
    if wanted.directory.is_none() && cwd != own {
        writeln!(screen::err(), "pintle: the fork uses {cwd}, since {own} no longer exists")?;
    }
    writeln!(screen::out(), "{}", session.id)?;
    Ok(0)
}

/// Merges a fork, which another process may have, into the session that it was made of.
async fn merge(
    engine: &EngineHandle,
    ambient: &Ambient,
    fork: SessionId,
    stop: CancellationToken,
) -> anyhow::Result<u8> {
    let mut entries = engine.store().entries(&fork)?;
    let created = entries.find_map(|entry| {
        let Event::SessionCreated(created) = entry.ok()?.record?.event else { return None };
        Some(created)
    });
    let Some(from) = created.and_then(|created| created.forked_from) else {
        anyhow::bail!(
            "session {fork} is not a fork\n  a session created by `pintle sessions fork` can be merged into its original"
        );
    };
    let id = from.session_id;
    let open = OpenSession::open(engine, ambient, id.clone(), stop).await?;
    let merged =
        open.call::<SessionMerge>(SessionMergeParams { session_id: None, fork_id: fork }).await?;
    let SessionMergeResult { to_seq, from_seq, copied_seq, added, .. } = merged;
    let said = [
        format!("merged {} items into session {id}, after event {to_seq}", added.len()),
        format!("now at event {copied_seq}"),
        format!("to undo: pintle sessions rewind {id} --to {from_seq}"),
    ];
    print(&said)?;
    Ok(0)
}

/// An engine refusal, worded for a user at a terminal.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Refused {
    message: String,
    /// The engine could not do its job.
    is_internal: bool,
}

fn refused(error: Error, id: &SessionId) -> anyhow::Error {
    let Error { kind, mut message, hint, .. } = error;
    if let Some(hint) = hint {
        message = format!("{message}\n  {}", hint_words(&hint, id));
    }
    Refused { message, is_internal: kind == ErrorKind::Internal }.into()
}

/// Returns a hint, worded for the users of these commands.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other actions have no separate command")]
fn hint_words(hint: &Hint, id: &SessionId) -> String {
    let Hint::Action(action) = hint else { return hint.to_string() };
    match action {
        Action::GoTo(seq) => {
            format!("rewind to its end: pintle sessions rewind {id} --to {seq}")
        }
        Action::Fork => {
            "only forks created from this session by `pintle sessions fork` can be merged into it"
                .to_owned()
        }
        Action::ListHistory => format!("run `pintle sessions tree {id}` to list the points"),
        Action::ListChangedFiles => {
            format!("run `pintle sessions review {id}` to list the changed files")
        }
        Action::ListHunks => format!("run `pintle sessions review {id}` to list the open hunks"),
        _ => hint.to_string(),
    }
}
