//! What came of requests: the connection's state after it, and the answers.

use super::driver::Driver;
use super::open::{Open, Prompt};
use super::requests::{Done, How, Opened, Setting};
use super::story::Story;
use super::{notices, settings, wire};
use crate::agent::Accepted;
use agent_client_protocol_schema::v1 as acp;
use jsonrpsee::types::Id;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{CommandListResult, ConfigResult};

impl Driver {
    pub(super) fn finish(&mut self, done: Done) {
        let (id, message) = match done {
            Done::Told => return,
            Done::Answer(id, message) => (id, Some(message)),
            Done::Refused(id, error) => {
                let message = wire::refusal(&id, &error);
                (id, Some(message))
            }
            Done::Opened(id, how, opened) => {
                self.opened(&id, how, *opened);
                (id, None)
            }
            Done::Prompted(id, session, accepted) => {
                let Accepted { turn_id, item_id, .. } = accepted;
                self.prompted(
                    &id,
                    &session,
                    Prompt { id: id.clone(), turn: turn_id, item: Some(item_id) },
                );
                (id, None)
            }
            Done::Compacting(id, session, turn) => {
                self.prompted(&id, &session, Prompt { id: id.clone(), turn, item: None });
                (id, None)
            }
            Done::Configured(id, session, setting, result) => {
                let message = self.configured(&id, &session, setting, result);
                (id, Some(message))
            }
            Done::Closed(id, session, message) => {
                self.forget(&session);
                (id, Some(message))
            }
        };
        if self.busy.as_ref() == Some(&id) {
            self.busy = None;
            self.is_loading = false;
        }
        if let Some(message) = message {
            self.answer(&id, message);
        }
        self.begin_next();
    }

    fn prompted(&mut self, id: &Id<'static>, session: &SessionId, prompt: Prompt) {
        if let Some(open) = self.sessions.get_mut(session) {
            open.prompts.push(prompt);
        } else {
            let stopped = acp::PromptResponse::new(acp::StopReason::Cancelled);
            self.answer(id, wire::response(id, &stopped));
        }
    }

    fn opened(&mut self, id: &Id<'static>, how: How, opened: Opened) {
        // What is told of a session that is loaded stands before the answer.
        while let Ok(page) = self.pages.try_recv() {
            self.send_all(page);
        }
        let Opened { handle, snapshot, config, commands, servers, told } = opened;
        let session = handle.id.clone();
        let known = self.desk.engine.models();
        let settings = settings::Settings::new(config.options, &known);
        let (modes, options) = (settings.modes(), settings.options());
        let (story, told_to) =
            told.unwrap_or_else(|| (Story::new(self.desk.offers, snapshot.cost_nano_usd), 0));
        let mut open = Open::new(handle.clone(), snapshot.cwd.clone(), story, settings);
        open.told_to = told_to;
        if let Some(before) = self.sessions.remove(&session) {
            open.take_over(before);
        }
        let answer = match how {
            How::New => {
                let new = acp::NewSessionResponse::new(open.id.clone());
                wire::response(id, &new.modes(modes).config_options(options))
            }
            How::Loaded => wire::response(
                id,
                &acp::LoadSessionResponse::new().modes(modes).config_options(options),
            ),
            How::Resumed => wire::response(
                id,
                &acp::ResumeSessionResponse::new().modes(modes).config_options(options),
            ),
        };
        self.answer(id, answer);
        let update = acp::SessionUpdate::AvailableCommandsUpdate(available(&commands));
        let mut messages = vec![open.message(update, None)];
        if let Some(title) = snapshot.title.clone().filter(|_| how != How::New) {
            let info = acp::SessionInfoUpdate::new().title(title);
            messages.push(open.message(acp::SessionUpdate::SessionInfoUpdate(info), None));
        }
        if !servers.is_empty() {
            let title = format!(
                "MCP servers are not started, since this engine has no MCP client yet: {}",
                servers.join(", ")
            );
            let level = pintle_protocol::event::NoticeLevel::Warning;
            let update = notices::said(self.desk.offers, level, &title, None, "mcp-servers");
            if self.desk.offers.notices {
                messages.push(open.message(update, None));
            } else {
                open.hold(vec![update], None);
            }
        }
        open.servers = servers;
        self.own.0.add(handle);
        if let Some(terminals) = &self.terminals {
            terminals.serve(&session);
        }
        self.sessions.insert(session.clone(), open);
        self.send_all(messages);
        for approval in &snapshot.approvals {
            self.ask_permission(&session, approval);
        }
        for question in &snapshot.questions {
            self.ask_question(&session, question);
        }
    }

    fn configured(
        &mut self,
        id: &Id<'static>,
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
                wire::response(id, &acp::SetSessionConfigOptionResponse::new(options))
            }
            Setting::Other => wire::response(id, &acp::SetSessionModeResponse::new()),
        }
    }

    fn forget(&mut self, session: &SessionId) {
        self.own.0.remove(session);
        if let Some(terminals) = &self.terminals {
            terminals.leave(session);
        }
        let Some(mut open) = self.sessions.remove(session) else { return };
        let gone =
            |child: &SessionId, root: &mut SessionId| (root == session).then(|| child.clone());
        let gone: Vec<SessionId> =
            self.parents.iter_mut().filter_map(|(child, root)| gone(child, root)).collect();
        for child in gone {
            self.parents.remove(&child);
            self.children.remove(&child);
        }
        for (id, answer) in open.closed() {
            self.answer(&id, answer);
        }
    }
}

/// The commands that a prompt may begin with: the project's and the user's prompts, and the engine's own.
fn available(commands: &CommandListResult) -> acp::AvailableCommandsUpdate {
    let hint = |hint: &str| {
        acp::AvailableCommandInput::Unstructured(acp::UnstructuredCommandInput::new(hint))
    };
    let compact = acp::AvailableCommand::new("compact", "Sum up the conversation to make room")
        .input(hint("what the summary is to take care of"));
    let known =
        commands.commands.iter().filter(|command| command.name != "compact").map(|command| {
            let about = command.description.clone().unwrap_or_else(|| command.path.clone());
            acp::AvailableCommand::new(command.name.clone(), about)
                .input(command.argument_hint.as_deref().map(hint))
        });
    acp::AvailableCommandsUpdate::new(known.chain([compact]).collect())
}
