//! Rewinding the session's history: the user sees the message that is removed and what becomes of each file, and chooses.

use super::effects::{Effects, Outcome};
use super::wire::{self, Reply};
use crate::rpc::HandlerResult;
use ls_types as lsp;
use pintle_agent::{EngineHandle, Error, SessionHandle};
use pintle_base::transport::envelope::Id;
use pintle_protocol::content::Input;
use pintle_protocol::files::{FileAction, FileFate, RewindScope};
use pintle_protocol::history::{HistoryPoint, SessionRewindParams, SessionRewindResult};
use pintle_protocol::ids::ItemId;
use pintle_protocol::methods::SessionRewind;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Maximum number of named files; beyond that, only the count is given.
const MAX_NAMED_FILES: usize = 20;

/// The maximum length of the message that is shown, in characters.
const MAX_SHOWN_CHARS: usize = 400;

const BOTH: &str = "Conversation and files";
const CONVERSATION: &str = "Only the conversation";
const FILES: &str = "Only the files";

/// A place to rewind to, with the facts that the user needs.
#[derive(Debug)]
pub(super) struct Proposal {
    session: SessionHandle,
    /// The message before which the session continues.
    item_id: ItemId,
    text: String,
    has_files: bool,
}

/// Proposals without a response, by their number.
#[derive(Debug, Default)]
pub(super) struct Rewinds {
    count: u64,
    open: BTreeMap<u64, Proposal>,
}

/// Previews removing the last messages, without changing anything.
pub(super) async fn look(
    engine: &EngineHandle,
    session: SessionHandle,
    count: usize,
) -> HandlerResult<Proposal> {
    let messages = engine.messages(session.id.clone()).await;
    let mut messages = messages.map_err(|error| wire::refused(&error))?;
    let known = messages.len();
    let missing = || {
        let text = match known {
            0 => "the session has no message to remove".to_owned(),
            1 => "the session has only one message".to_owned(),
            known => format!("the session has only {known} messages"),
        };
        wire::failed(&text, "use a smaller number")
    };
    let at = known.checked_sub(count).ok_or_else(missing)?;
    let (item_id, content) = messages.swap_remove(at);
    let scope = RewindScope::Both;
    let dry_run = SessionRewindParams { dry_run: true, scope, ..before(item_id.clone()) };
    let looked = session.call::<SessionRewind>(dry_run).await;
    let looked = looked.map_err(|error| wire::refused(&error))?;
    let text = question(&Input::texts(&content), count, &looked.files);
    Ok(Proposal { session, item_id, text, has_files: !looked.files.is_empty() })
}

fn before(item_id: ItemId) -> SessionRewindParams {
    let to = HistoryPoint { item_id: Some(item_id), ..HistoryPoint::default() };
    SessionRewindParams { to, ..SessionRewindParams::default() }
}

fn question(message: &str, count: usize, files: &[FileFate]) -> String {
    let mut text = match count {
        1 => "pintle: remove the last message and everything after it?".to_owned(),
        count => format!("pintle: remove the last {count} messages and everything after them?"),
    };
    let mut shown: String = message.chars().take(MAX_SHOWN_CHARS).collect();
    if shown.len() < message.len() {
        shown.push('…');
    }
    let _ = write!(text, "\n\n{shown}");
    if files.is_empty() {
        text.push_str("\n\nNo file has changed since.");
    }
    for (heading, action) in [
        ("will be restored", FileAction::Restore),
        ("will be removed", FileAction::Remove),
        ("will be kept, since others have changed them", FileAction::Leave),
    ] {
        let those: Vec<&FileFate> = files.iter().filter(|fate| fate.action == action).collect();
        if those.is_empty() {
            continue;
        }
        let _ = write!(text, "\n\nFiles that {heading}:");
        for fate in those.iter().take(MAX_NAMED_FILES) {
            let _ = write!(text, "\n{}", fate.path);
        }
        if those.len() > MAX_NAMED_FILES {
            let _ = write!(text, "\n… and {} more", those.len() - MAX_NAMED_FILES);
        }
    }
    text
}

impl Rewinds {
    /// Returns the request that asks the user whether to go back.
    pub(super) fn ask(&mut self, proposal: Proposal) -> Vec<u8> {
        let titles: &[&str] =
            if proposal.has_files { &[BOTH, CONVERSATION, FILES] } else { &[CONVERSATION] };
        self.count += 1;
        let request =
            wire::ask(&format!("rewind-{}", self.count), &proposal.text, titles.iter().copied());
        self.open.insert(self.count, proposal);
        request
    }

    /// Consumes a response to one of these requests; returns any other. Anything but an action that was offered changes nothing.
    pub(super) fn responded(&mut self, id: &Id, reply: Reply) -> Result<Effects, Reply> {
        let number = wire::number(id, "rewind-");
        let Some(proposal) = number.and_then(|number| self.open.remove(&number)) else {
            return Err(reply);
        };
        let Proposal { session, item_id, has_files, .. } = proposal;
        let scope = match wire::chosen(reply).as_deref() {
            Some(BOTH) if has_files => RewindScope::Both,
            Some(FILES) if has_files => RewindScope::Files,
            Some(CONVERSATION) => RewindScope::Conversation,
            Some(_) | None => return Ok(Effects::default()),
        };
        let rewind = SessionRewindParams { scope, ..before(item_id) };
        Ok(Effects::work(
            async move { Outcome::Rewound(session.call::<SessionRewind>(rewind).await) },
        ))
    }
}

/// Returns the message about a rewind's result, and the removed prompt's text.
pub(super) fn rewound(rewound: Result<SessionRewindResult, Error>) -> (Vec<u8>, String) {
    let result = match rewound {
        Ok(result) => result,
        Err(error) => {
            let text = wire::with_hint(&error.message, error.hint.as_ref());
            let text = format!("pintle did not rewind: {text}");
            return (wire::show(lsp::MessageType::ERROR, &text), String::new());
        }
    };
    let left = result.files.iter().filter(|fate| fate.action == FileAction::Leave).count();
    let text = match (result.files.len() - left, left) {
        (0, 0) => "pintle rewound the session".to_owned(),
        (done, 0) => format!("pintle rewound the session, with {done} of the files"),
        (done, left) => {
            format!("pintle rewound the session, with {done} of the files; {left} are unchanged")
        }
    };
    (wire::show(lsp::MessageType::INFO, &text), Input::texts(&result.input))
}
