//! Going back in the session's history: a person is shown the message that is taken back and what becomes of each file, and chooses.

use super::driver::{Driver, Outcome};
use super::wire::{self, HandlerResult};
use futures_util::future::FutureExt;
use ls_types as lsp;
use pintle_agent::{EngineHandle, Error, SessionHandle};
use pintle_base::text::visible::visible;
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::content::Input;
use pintle_protocol::files::{FileAction, FileFate, RewindScope};
use pintle_protocol::history::{HistoryPoint, SessionRewindParams, SessionRewindResult};
use pintle_protocol::ids::ItemId;
use pintle_protocol::methods::SessionRewind;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// The maximum number of files that are named; of more, the count is given.
const MAX_NAMED_FILES: usize = 20;

/// The maximum length of the message that is shown, in characters.
const MAX_SHOWN_CHARS: usize = 400;

const BOTH: &str = "Conversation and files";
const CONVERSATION: &str = "Only the conversation";
const FILES: &str = "Only the files";

/// The client's response to a request: its result, or the message of its error.
type Reply = Result<Box<RawValue>, String>;

/// A place to go back to, with what a person has to know.
#[derive(Debug)]
pub(super) struct Proposal {
    session: SessionHandle,
    /// The message before which the session goes on.
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

/// Looks what it would mean to take the last messages back; one changes nothing.
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
    let text = question(&text_of(&content), count, &looked.files);
    Ok(Proposal { session, item_id, text, has_files: !looked.files.is_empty() })
}

fn before(item_id: ItemId) -> SessionRewindParams {
    let to = HistoryPoint { item_id: Some(item_id), ..HistoryPoint::default() };
    SessionRewindParams { to, ..SessionRewindParams::default() }
}

fn text_of(content: &[Input]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        Input::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
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
    /// Returns the request that asks a person.
    fn ask(&mut self, proposal: Proposal) -> Vec<u8> {
        let titles: &[&str] =
            if proposal.has_files { &[BOTH, CONVERSATION, FILES] } else { &[CONVERSATION] };
        let action = |title: &&str| lsp::MessageActionItem {
            title: (*title).to_owned(),
            properties: HashMap::new(),
        };
        let params = lsp::ShowMessageRequestParams {
            typ: lsp::MessageType::WARNING,
            message: visible(&proposal.text).into_owned(),
            actions: Some(titles.iter().map(action).collect()),
        };
        self.count += 1;
        self.open.insert(self.count, proposal);
        envelope::request(&format!("rewind-{}", self.count), "window/showMessageRequest", &params)
    }

    /// Consumes a response to one of these requests; returns any other. Anything but an action that was offered changes nothing.
    fn responded(
        &mut self,
        id: &Id,
        outcome: Reply,
    ) -> Result<Option<(Proposal, RewindScope)>, Reply> {
        let number = match id {
            Id::Str(id) => id.strip_prefix("rewind-").and_then(|number| number.parse().ok()),
            Id::Null | Id::Number(_) => None,
        };
        let Some(proposal) = number.and_then(|number: u64| self.open.remove(&number)) else {
            return Err(outcome);
        };
        let chosen = outcome.ok().and_then(|raw| {
            serde_json::from_str::<Option<lsp::MessageActionItem>>(raw.get()).ok().flatten()
        });
        let scope = chosen.and_then(|chosen| match chosen.title.as_str() {
            BOTH if proposal.has_files => Some(RewindScope::Both),
            FILES if proposal.has_files => Some(RewindScope::Files),
            CONVERSATION => Some(RewindScope::Conversation),
            _ => None,
        });
        Ok(scope.map(|scope| (proposal, scope)))
    }
}

impl Driver {
    /// Asks a person whether to go back.
    pub(super) fn propose(&mut self, proposal: Proposal) {
        let request = self.rewinds.ask(proposal);
        self.send_all([request]);
    }

    /// Consumes a response about going back; returns any other.
    pub(super) fn rewind_chosen(&mut self, id: &Id, outcome: Reply) -> Result<(), Reply> {
        if let Some((Proposal { session, item_id, .. }, scope)) =
            self.rewinds.responded(id, outcome)?
        {
            let rewind = SessionRewindParams { scope, ..before(item_id) };
            let rewound =
                async move { Outcome::Rewound(session.call::<SessionRewind>(rewind).await) };
            self.running.push(rewound.boxed());
        }
        Ok(())
    }

    /// Tells the person what came of going back, and has the message edited if the client can show it.
    pub(super) fn rewound(&mut self, rewound: Result<SessionRewindResult, Error>) {
        let result = match rewound {
            Ok(result) => result,
            Err(error) => {
                let text = wire::with_hint(&error.message, error.hint.as_ref());
                let text = format!("pintle did not rewind: {text}");
                return self.send_all([wire::show(lsp::MessageType::ERROR, &text)]);
            }
        };
        let left = result.files.iter().filter(|fate| fate.action == FileAction::Leave).count();
        let text = match (result.files.len() - left, left) {
            (0, 0) => "pintle rewound the session".to_owned(),
            (done, 0) => format!("pintle rewound the session and {done} of the files"),
            (done, left) => {
                format!("pintle rewound the session and {done} of the files; {left} were kept")
            }
        };
        self.send_all([wire::show(lsp::MessageType::INFO, &text)]);
        let message = text_of(&result.input);
        if self.offers.show_document
            && !message.is_empty()
            && let Err(error) = self.begin_draft(None, None, &message)
        {
            tracing::warn!("failed to show the message again: {}", error.message());
        }
    }
}
