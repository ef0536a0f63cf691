//! Outcomes of request handlers: changes to the connection's state, and responses.

use super::driver::Driver;
use super::handlers::{Opened, Opening, Outcome, Setting};
use super::session::{OpenSession, Prompt};
use super::translator::Translator;
use super::{notices, settings};
use crate::client::UserQuestion;
use crate::rpc;
use agent_client_protocol_schema::v1 as acp;
use pintle_base::transport::envelope::Id;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{ConfigResult, NamedPrompt, TurnStartResult};

impl Driver {
    pub(super) fn finish(&mut self, done: Outcome) {
        let (id, message) = match done {
            Outcome::NoResponse => return,
            Outcome::Response(id, message) => (id, Some(message)),
            Outcome::Refused(id, error) => {
                let message = rpc::error_response(&id, &error);
                (id, Some(message))
            }
            Outcome::Opened(id, kind, opened) => {
                self.opened(&id, kind, *opened);
                (id, None)
            }
            Outcome::Prompted(id, session, accepted) => {
                let TurnStartResult { turn_id, item_id, .. } = accepted;
                self.prompted(
                    &id,
                    &session,
                    Prompt { id: id.clone(), turn: turn_id, item: Some(item_id) },
                );
                (id, None)
            }
            Outcome::Compacting(id, session, turn) => {
                self.prompted(&id, &session, Prompt { id: id.clone(), turn, item: None });
                (id, None)
            }
            Outcome::Configured(id, session, setting, result) => {
                let message = self.configured(&id, &session, setting, result);
                (id, Some(message))
            }
            Outcome::Closed(id, session, message) => {
                self.forget(&session);
                (id, Some(message))
            }
        };
        self.lane.finished();
        self.is_loading = false;
        if let Some(message) = message {
            self.respond(&id, message);
        }
        self.begin_next();
    }

    fn prompted(&mut self, id: &Id, session: &SessionId, prompt: Prompt) {
        if let Some(open) = self.sessions.get_mut(session) {
            open.prompts.push(prompt);
        } else {
            let stopped = acp::PromptResponse::new(acp::StopReason::Cancelled);
            self.respond(id, rpc::response(id, &stopped));
        }
    }

    fn opened(&mut self, id: &Id, kind: Opening, opened: Opened) {
        // A loaded session's replay precedes the response.
        while let Ok(page) = self.pages.try_recv() {
            self.send_all(page);
        }
        let Opened { handle, snapshot, config, commands, unusable, replayed } = opened;
        let handle = self.methods.connection.add(handle);
        let session = handle.id.clone();
        let models = self.ctx.client.engine.models();
        let settings = settings::Settings::new(config.options, &models);
        let (modes, options) = (settings.modes(), settings.options());
        let (translator, sent_to) = replayed
            .unwrap_or_else(|| (Translator::new(self.ctx.offers, snapshot.cost_nano_usd), 0));
        let mut open = OpenSession::new(handle, snapshot.cwd.clone(), translator, settings);
        open.sent_to = sent_to;
        let response = match kind {
            Opening::New => {
                let new = acp::NewSessionResponse::new(open.id.clone());
                rpc::response(id, &new.modes(modes).config_options(options))
            }
            Opening::Loaded => rpc::response(
                id,
                &acp::LoadSessionResponse::new().modes(modes).config_options(options),
            ),
            Opening::Resumed => rpc::response(
                id,
                &acp::ResumeSessionResponse::new().modes(modes).config_options(options),
            ),
        };
        self.respond(id, response);
        let update = acp::SessionUpdate::AvailableCommandsUpdate(available(&commands));
        let mut messages = vec![open.message(update, None)];
        if let Some(title) = snapshot.title.clone().filter(|_| kind != Opening::New) {
            let info = acp::SessionInfoUpdate::new().title(title);
            messages.push(open.message(acp::SessionUpdate::SessionInfoUpdate(info), None));
        }
        if !unusable.is_empty() {
            let title = format!("Unavailable MCP servers: {}", unusable.join("; "));
            let level = pintle_protocol::event::NoticeLevel::Warning;
            let update = notices::update(self.ctx.offers, level, &title, None, "mcp-servers");
            if self.ctx.offers.notices {
                messages.push(open.message(update, None));
            } else {
                open.hold(vec![update], None);
            }
        }
        self.editor.serve(&session);
        self.sessions.insert(open);
        self.send_all(messages);
        for asked in UserQuestion::in_session(&snapshot) {
            self.ask(&session, asked);
        }
    }

    fn configured(
        &mut self,
        id: &Id,
        session: &SessionId,
        setting: Setting,
        result: ConfigResult,
    ) -> Vec<u8> {
        let options = match self.sessions.get_mut(session) {
            Some(open) => {
                let mut shown = open.settings.clone();
                shown.replace(result.options);
                shown.options()
            }
            None => Vec::new(),
        };
        match setting {
            Setting::Option => {
                rpc::response(id, &acp::SetSessionConfigOptionResponse::new(options))
            }
            Setting::Other => rpc::response(id, &acp::SetSessionModeResponse::new()),
        }
    }

    fn forget(&mut self, session: &SessionId) {
        self.methods.connection.remove(session);
        self.editor.leave(session);
        let sessions = &self.sessions;
        let withdrawn = self.questions.leave(|id| sessions.root(id) == session);
        self.send_all(withdrawn);
        let Some(mut open) = self.sessions.remove(session) else { return };
        for (id, response) in open.closed() {
            self.respond(&id, response);
        }
    }
}

/// Returns the commands that a prompt may begin with: the project's and the user's prompts and skills, and the engine's commands. Each
/// takes arguments: unmentioned ones follow its text.
fn available(commands: &[NamedPrompt]) -> acp::AvailableCommandsUpdate {
    let hint = |hint: &str| {
        acp::AvailableCommandInput::Unstructured(acp::UnstructuredCommandInput::new(hint))
    };
    let compact = acp::AvailableCommand::new("compact", "Compact the conversation to free context")
        .input(hint("instructions for the summary"));
    let prompts = commands.iter().filter(|command| command.name != "compact").map(|command| {
        let about = command.description.clone().unwrap_or_else(|| command.path.clone());
        acp::AvailableCommand::new(command.name.clone(), about)
            .input(hint(command.argument_hint.as_deref().unwrap_or("arguments")))
    });
    acp::AvailableCommandsUpdate::new(prompts.chain([compact]).collect())
}
