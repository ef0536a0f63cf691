//! The client as an editor: its files and its terminals, if it offers them.

use super::files::{FileCall, FileRequest, Files};
use super::terminals::{Taken, TerminalRequest, Terminals};
use super::translator::Offers;
use agent_client_protocol_schema::v1 as acp;
use futures_util::future::OptionFuture;
use pintle_agent::{Editors, SubscriberId};
use pintle_base::transport::envelope::Id;
use pintle_protocol::ids::SessionId;
use serde_json::value::RawValue;

/// A call to the client.
pub(super) enum EditorCall {
    File(FileCall),
    /// The request for a file with this id has no response in time.
    FileOverdue(String),
    Terminal(TerminalRequest),
}

/// The client's files and terminals.
pub(super) struct Editor {
    /// `None` unless the client reads and writes files.
    files: Option<Files>,
    /// `None` unless commands run in the client's terminals.
    terminals: Option<Terminals>,
    may_use_terminals: bool,
}

impl Editor {
    pub(super) fn new(may_use_terminals: bool) -> Self {
        Self { files: None, terminals: None, may_use_terminals }
    }

    /// Uses the client's files and terminals, where its capabilities offer them.
    pub(super) fn connect(
        &mut self,
        editors: Option<&Editors>,
        id: SubscriberId,
        capabilities: &acp::ClientCapabilities,
        offers: Offers,
    ) {
        let Some(Editors { documents, terminals, .. }) = editors else { return };
        let fs = &capabilities.fs;
        if fs.read_text_file && fs.write_text_file {
            self.files = Some(Files::connect(documents, id.0));
        }
        // A client that shows the engine's output needs no terminal: the command runs on the engine's side, which keeps all of its output.
        if self.may_use_terminals && capabilities.terminal && !offers.terminal_output {
            self.terminals = Some(Terminals::new(terminals));
        }
    }

    /// Waits for the next call to the client. Cancel-safe.
    pub(super) async fn next(&mut self) -> EditorCall {
        let terminals = self.terminals.as_mut().map(Terminals::next);
        let files = self.files.as_mut().map(Files::next);
        tokio::select! {
            biased;
            Some(request) = OptionFuture::from(terminals) => EditorCall::Terminal(request),
            Some(request) = OptionFuture::from(files) => match request {
                FileRequest::Call(call) => EditorCall::File(call),
                FileRequest::Overdue(id) => EditorCall::FileOverdue(id),
            },
            else => std::future::pending().await,
        }
    }

    /// Returns the requests for a file, in this session.
    pub(super) fn request_file(
        &mut self,
        session: &acp::SessionId,
        call: FileCall,
    ) -> Vec<Vec<u8>> {
        self.files.as_mut().map(|files| files.request(session, call)).unwrap_or_default()
    }

    /// Fails a request for a file without a response in time, and returns its cancellation.
    pub(super) fn give_up_file(&mut self, id: String) -> Option<Vec<u8>> {
        self.files.as_mut()?.give_up(id)
    }

    /// Returns the request about a terminal.
    pub(super) fn request_terminal(&mut self, request: TerminalRequest) -> Option<Vec<u8>> {
        self.terminals.as_mut()?.request(request)
    }

    /// Consumes a response to one of these calls; returns any other.
    pub(super) fn responded(&mut self, id: &Id, outcome: Result<Box<RawValue>, String>) -> Taken {
        let outcome = match &mut self.files {
            Some(files) => files.responded(id, outcome),
            None => Some(outcome),
        };
        match (outcome, &mut self.terminals) {
            (None, _) => Taken::Done,
            (Some(outcome), Some(terminals)) => terminals.responded(id, outcome),
            (Some(outcome), None) => Taken::NotOurs(outcome),
        }
    }

    /// Runs the commands of this session in the client's terminals.
    pub(super) fn serve(&self, session: &SessionId) {
        if let Some(terminals) = &self.terminals {
            terminals.serve(session);
        }
    }

    /// Stops running a closed session's commands in the client.
    pub(super) fn leave(&self, session: &SessionId) {
        if let Some(terminals) = &self.terminals {
            terminals.leave(session);
        }
    }

    /// Fails all calls: the client no longer responds.
    pub(super) fn disconnect(&mut self) {
        if let Some(mut files) = self.files.take() {
            files.disconnect();
        }
        if let Some(mut terminals) = self.terminals.take() {
            terminals.disconnect();
        }
    }
}
