//! The commands of `workspace/executeCommand` that the session carries out.

use super::effects::Carried;
use super::review;
use super::rewind;
use super::session::Opener;
use super::wire;
use crate::client::snapshot;
use crate::rpc::{HandlerResult, Lane};
use jsonrpsee::types::ErrorObjectOwned;
use pintle_agent::{Filter, SessionHandle};
use pintle_base::transport::envelope::Id;
use pintle_protocol::content::Input;
use pintle_protocol::event::StateValue;
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_protocol::methods::{Disposition, TurnInterrupt, TurnStart, WhenBusy};
use pintle_protocol::review::ReviewAction;
use pintle_protocol::turn::{TurnInterruptParams, TurnStartParams, TurnSteerParams};
use serde_json::{Value, json};

/// Session limit for the answer to `pintle.sessions`.
const MAX_SESSIONS: usize = 50;

/// A command that the session carries out.
#[derive(Debug)]
pub(super) enum SessionCommand {
    /// Begin a turn with this message, or steer the running one.
    Prompt(Vec<Input>),
    /// Steer the running turn.
    Steer(Vec<Input>),
    /// Begin a turn with this message once the earlier ones have ended.
    Queue(Vec<Input>),
    /// Stop the running turn, and remove queued messages.
    Stop,
    /// Leave the session; the next message begins another.
    New,
    /// Continue a stored session.
    Open(SessionId),
    /// Decide about changes.
    Decide(ReviewAction),
    /// Revert a decision, or the last one that was made here.
    Revert(Option<u64>),
    /// Remove the last messages, if the user agrees.
    Rewind(usize),
}

/// The commands of requests, carried out one at a time.
#[derive(Debug, Default)]
pub(super) struct Commands {
    lane: Lane<(Id, SessionCommand)>,
    /// The running decision's request, until it is answered.
    decision: Option<Id>,
    /// True if the running decision was answered before its outcome was known.
    is_answered: bool,
}

impl Commands {
    pub(super) fn push(&mut self, id: Id, command: SessionCommand) {
        self.lane.push((id, command));
    }

    /// Returns the next command with its request, unless one is running.
    pub(super) fn begin(&mut self) -> Option<(Id, SessionCommand)> {
        let (id, command) = self.lane.next()?;
        self.lane.begun();
        let is_decision = matches!(command, SessionCommand::Decide(_) | SessionCommand::Revert(_));
        self.decision = is_decision.then(|| id.clone());
        Some((id, command))
    }

    /// Returns the running decision's request, to be answered before its outcome is known.
    pub(super) fn answer_decision(&mut self) -> Option<Id> {
        let decision = self.decision.take()?;
        self.is_answered = true;
        Some(decision)
    }

    /// The running command has ended. Returns true if its request is answered already.
    pub(super) fn finished(&mut self) -> bool {
        self.lane.finished();
        self.decision = None;
        std::mem::take(&mut self.is_answered)
    }

    /// Withdraws the first matching request that has not begun.
    pub(super) fn withdraw(&mut self, is_it: impl Fn(&Id) -> bool) -> Option<Id> {
        self.lane.withdraw(|(id, _)| is_it(id)).map(|(id, _)| id)
    }
}

pub(super) fn no_session() -> ErrorObjectOwned {
    let hint = "start one with the command `pintle.prompt`, or continue one with `pintle.sessions`";
    wire::failed("no session yet", hint)
}

/// Lists the directory's stored sessions, newest first.
pub(super) async fn list(opener: Opener, current: Option<SessionId>) -> HandlerResult<Value> {
    let cwd = Some(opener.folder.to_string_lossy().into_owned());
    let filter = Filter { cwd, archived: Some(false), ..Filter::default() };
    let listed = opener.client.engine.list(filter, None, MAX_SESSIONS).await;
    let (found, _) = listed.map_err(|error| wire::refused(&error))?;
    let each = found.into_iter().map(|summary| {
        json!({
            "sessionId": summary.session_id,
            "title": summary.title,
            "updatedMs": summary.updated_ms,
            "current": current.as_ref() == Some(&summary.session_id),
        })
    });
    Ok(Value::Array(each.collect()))
}

impl SessionCommand {
    /// Carries the command out. A message's response reports that it was accepted: its turn continues.
    /// `last_decision` is the last one that was made here.
    pub(super) async fn run(
        self,
        opener: Opener,
        session: Option<SessionHandle>,
        last_decision: Option<u64>,
    ) -> Carried {
        let mut carried = Carried {
            opened: None,
            is_left: false,
            returned: Vec::new(),
            told: None,
            proposal: None,
            result: Ok(Value::Null),
        };
        carried.result = self.carry_out(&opener, session, last_decision, &mut carried).await;
        carried
    }

    async fn carry_out(
        self,
        opener: &Opener,
        session: Option<SessionHandle>,
        last_decision: Option<u64>,
        carried: &mut Carried,
    ) -> HandlerResult<Value> {
        let (input, may_steer) = match self {
            Self::Prompt(input) => (input, true),
            Self::Queue(input) => (input, false),
            Self::Steer(input) => {
                let accepted = match session {
                    Some(session) => steer(&session, input).await?.map(|it| (session, it)),
                    None => None,
                };
                let idle =
                    || wire::failed("no turn runs", "start one with the command `pintle.prompt`");
                let (session, accepted) = accepted.ok_or_else(idle)?;
                return Ok(turn_response(&session, &accepted, "steered"));
            }
            Self::Stop => {
                let Some(session) = session else { return Ok(json!({"stopped": false})) };
                let stop = TurnInterruptParams::default();
                let stopped = session
                    .call::<TurnInterrupt>(stop)
                    .await
                    .map_err(|error| wire::refused(&error))?;
                carried.returned = stopped.returned;
                return Ok(json!({"stopped": stopped.turn_id.is_some()}));
            }
            Self::Decide(action) => {
                let session = session.ok_or_else(no_session)?;
                let (result, told) = review::decide(&session, action).await?;
                carried.told = told;
                return Ok(result);
            }
            Self::Revert(named) => {
                let decision = named.or(last_decision).ok_or_else(|| {
                    wire::failed("no decisions in this session", "send the decision's number")
                })?;
                let session = session.ok_or_else(no_session)?;
                let revert = ReviewAction::Revert { decision };
                let (result, told) = review::decide(&session, revert).await?;
                carried.told = told;
                return Ok(result);
            }
            Self::Rewind(count) => {
                let session = session.ok_or_else(no_session)?;
                carried.proposal = Some(rewind::look(&opener.client.engine, session, count).await?);
                return Ok(Value::Null);
            }
            Self::New => {
                if let Some(session) = session {
                    leave(&session, opener).await?;
                    carried.is_left = true;
                }
                return Ok(Value::Null);
            }
            Self::Open(id) => {
                if session.as_ref().is_some_and(|session| session.id == id) {
                    return Ok(json!({"sessionId": id}));
                }
                if let Some(session) = session {
                    leave(&session, opener).await?;
                    carried.is_left = true;
                }
                carried.opened = Some(opener.open(id.clone()).await?);
                return Ok(json!({"sessionId": id}));
            }
        };
        let session = match session {
            Some(session) => session,
            None => carried.opened.insert(opener.create().await?).session.clone(),
        };
        if may_steer && let Some(turn) = steer(&session, input.clone()).await? {
            return Ok(turn_response(&session, &turn, "steered"));
        }
        let when_busy = WhenBusy::Queue;
        let start = TurnStartParams { input, when_busy, ..TurnStartParams::default() };
        let accepted =
            session.call::<TurnStart>(start).await.map_err(|error| wire::refused(&error))?;
        let disposition = match accepted.disposition {
            Disposition::Started => "started",
            Disposition::Queued => "queued",
        };
        Ok(turn_response(&session, &accepted.turn_id, disposition))
    }
}

/// Puts a message into the running turn, and returns that turn; `None` if none runs.
async fn steer(session: &SessionHandle, input: Vec<Input>) -> HandlerResult<Option<TurnId>> {
    let steer = TurnSteerParams { input, ..TurnSteerParams::default() };
    let steered = session.steer(steer).await.map_err(|error| wire::refused(&error))?;
    Ok(steered.map(|steered| steered.turn_id))
}

fn turn_response(session: &SessionHandle, turn: &TurnId, disposition: &str) -> Value {
    json!({"sessionId": session.id, "turnId": turn, "disposition": disposition})
}

/// Closes the session, unless a turn runs in it.
async fn leave(session: &SessionHandle, opener: &Opener) -> HandlerResult<()> {
    let failed = |error: pintle_agent::Error| -> ErrorObjectOwned { wire::refused(&error) };
    if snapshot(session).await.map_err(failed)?.state.value != StateValue::Idle {
        let hint = "stop it with the command `pintle.stop`";
        return Err(wire::failed("a turn is running in the session", hint));
    }
    opener.client.close(session).await.map_err(failed)
}
