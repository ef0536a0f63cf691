//! Handles the engine's responses.

use super::{Items, Out, REFUSED, Reader, TAIL, Target, Turn, View, parsed};
use crate::cli::chat::cards;
use crate::cli::chat::hunks::Listed;
use crate::cli::chat::look::Ink;
use crate::cli::chat::rules::Removable;
use crate::cli::chat::wire::Pending;
use crate::cli::sessions::one_line;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::config::ConfigResult;
use pintle_protocol::context::ContextReadResult;
use pintle_protocol::event::StateValue;
use pintle_protocol::isolation::IsolationApplyResult;
use pintle_protocol::methods::{
    Empty, JobListResult, ModelsList, NamedPrompt, PromptList, PromptListResult, SessionClose,
    SessionCreate, SessionOpen, SkillList, SkillListResult,
};
use pintle_protocol::models::ModelsListResult;
use pintle_protocol::permission::PermissionListResult;
use pintle_protocol::review::{Outcome, ReviewDecideResult, ReviewListResult};
use pintle_protocol::session::{
    SessionEventsResult, SessionOpenParams, SessionParams, SessionResult,
};
use pintle_protocol::shell::{ShellRunResult, ShellWriteResult};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::Arc;

impl View {
    pub(super) fn response(&mut self, message: &Value, draft: Option<u64>, out: &mut Vec<Out>) {
        let Some(pending) = self.wire.answered(message) else { return };
        let error = &message["error"];
        if error.is_object() {
            self.refused(pending, error, out);
            return;
        }
        let result = &message["result"];
        match pending {
            Pending::Initialize => self.open(out),
            Pending::Open => {
                if let Some(opened) = parsed::<SessionResult>(result) {
                    self.opened(&opened, out);
                }
            }
            // Its events follow.
            Pending::Start => self.turn_is(StateValue::Running),
            Pending::Prompts => {
                let listed = parsed::<PromptListResult>(result).map(|result| result.prompts);
                self.add_prompts(listed.unwrap_or_default());
            }
            Pending::Skills => {
                let listed = parsed::<SkillListResult>(result).map(|result| result.skills);
                self.add_prompts(listed.unwrap_or_default());
            }
            Pending::Models => {
                if let Some(listed) = parsed::<ModelsListResult>(result) {
                    let known = Arc::make_mut(&mut self.known);
                    known.models = listed.models.into_iter().map(|model| model.model).collect();
                    known.efforts = listed.efforts;
                }
            }
            Pending::Shown(id) | Pending::Changed(id) => {
                if let Some(result) = parsed::<ConfigResult>(result) {
                    self.setting(id, matches!(pending, Pending::Changed(_)), &result, out);
                }
            }
            Pending::Review => {
                if let Some(result) = parsed::<ReviewListResult>(result) {
                    let text = self.listed.list(result.hunks, &self.known.cwd, self.look);
                    self.print(&text, out);
                }
            }
            Pending::Decide => {
                if let Some(result) = parsed::<ReviewDecideResult>(result) {
                    self.decided(&result, out);
                }
            }
            Pending::Context => {
                if let Some(context) = parsed::<ContextReadResult>(result) {
                    self.print(&context_text(&context), out);
                }
            }
            Pending::Rules => {
                if let Some(listed) = parsed::<PermissionListResult>(result) {
                    let text = self.removable.list(listed, self.look);
                    self.print(&text, out);
                }
            }
            Pending::Forget(rule) => self.print_line(&format!("removed {}", one_line(&rule)), out),
            Pending::Shell => {
                if let Some(ran) = parsed::<ShellRunResult>(result) {
                    self.ran(&ran, out);
                }
            }
            Pending::Jobs => {
                if let Some(listed) = parsed::<JobListResult>(result) {
                    self.print(&cards::jobs(&listed.jobs, self.look), out);
                }
            }
            Pending::Type => {
                if let Some(written) = parsed::<ShellWriteResult>(result) {
                    self.print(&cards::screen(&written.screen, self.look), out);
                }
            }
            Pending::Apply => {
                if let Some(applied) = parsed::<IsolationApplyResult>(result) {
                    self.print(&cards::applied(&applied, &self.project, self.look), out);
                }
            }
            Pending::New => {
                if let Some(opened) = parsed::<SessionResult>(result) {
                    let session_id = self.session.take();
                    self.send::<SessionClose>(&SessionParams { session_id }, Pending::Close, out);
                    self.target = Target::New(Box::default());
                    (self.items, self.listed) = (Items::default(), Listed::default());
                    self.removable = Removable::default();
                    self.opened(&opened, out);
                }
            }
            Pending::Missed(head) => self.missed(head, result, draft, out),
            Pending::Steer(_) | Pending::Interrupt | Pending::Compact | Pending::Close => {}
        }
    }

    /// Prints why a request was refused.
    fn refused(&mut self, pending: Pending, error: &Value, out: &mut Vec<Out>) {
        let code = error.pointer("/data/code").and_then(Value::as_str);
        let (is_late, is_missing) = (code == Some("noActiveTurn"), code == Some("notFound"));
        let pending = match pending {
            Pending::Steer(input) if is_late => {
                self.start(input, out);
                return;
            }
            pending => pending,
        };
        let what = one_line(error["message"].as_str().unwrap_or("the engine rejected the request"));
        let hint = error.pointer("/data/hint").and_then(Value::as_str);
        // The next step in the chat's words.
        let hint = match pending {
            Pending::Decide => Some("run /review again"),
            Pending::Forget(_) if is_missing => Some("run /rules again"),
            _ => hint,
        };
        let hint = hint.map_or_else(String::new, |hint| format!("\n  {}", one_line(hint)));
        match pending {
            // Names to complete are not worth an error.
            Pending::Prompts | Pending::Skills | Pending::Models => return,
            Pending::Missed(_) => self.held = None,
            _ => {}
        }
        self.print_line(&format!("! {what}{hint}"), out);
        if matches!(pending, Pending::Initialize | Pending::Open) {
            out.push(Out::Leave(REFUSED));
        }
    }

    fn open(&mut self, out: &mut Vec<Out>) {
        match self.target.clone() {
            Target::Stored(params) => {
                let tail = if self.reader == Reader::User { TAIL } else { 0 };
                let params = SessionOpenParams { tail: Some(tail), ..*params };
                self.send::<SessionOpen>(&params, Pending::Open, out);
            }
            Target::New(params) => self.send::<SessionCreate>(&params, Pending::Open, out),
        }
    }

    fn opened(&mut self, opened: &SessionResult, out: &mut Vec<Out>) {
        self.session = Some(opened.session_id.clone());
        Arc::make_mut(&mut self.known).cwd.clone_from(&opened.cwd);
        let isolation = opened.isolation.as_ref();
        self.project.clone_from(isolation.map_or(&opened.cwd, |isolation| &isolation.cwd));
        self.status.opened(opened);
        self.turn_is(opened.state.value);
        if self.reader == Reader::User {
            self.print(&self.greeting(opened), out);
            let params = SessionParams { session_id: self.session.clone() };
            self.send::<PromptList>(&params, Pending::Prompts, out);
            self.send::<SkillList>(&params, Pending::Skills, out);
            self.send::<ModelsList>(&Empty {}, Pending::Models, out);
        }
        for line in self.early.take().unwrap_or_default() {
            match self.reader {
                Reader::Program => self.prompt(&line, &[], out),
                Reader::User => self.user_typed(&line, None, &[], out),
            }
        }
    }

    fn greeting(&self, opened: &SessionResult) -> String {
        let title = match (&opened.title, &self.target) {
            (Some(title), _) => one_line(title),
            (None, Target::New(_)) => "new session".to_owned(),
            (None, Target::Stored(_)) => "(no title)".to_owned(),
        };
        let place = match &opened.isolation {
            None => one_line(&opened.cwd),
            Some(isolation) => format!(
                "{} of {} (/apply applies its changes)",
                cards::kind(isolation.kind),
                one_line(&isolation.cwd)
            ),
        };
        let facts =
            format!("{place} · {} · {}", one_line(&opened.model), opened.permission_mode.name());
        let id: String = opened.session_id.as_str().chars().take(13).collect();
        let keys = format!("/help for commands and keys · `pintle attach {id}` to return");
        let [title, facts, keys] = [(Ink::Bold, title), (Ink::Plain, facts), (Ink::Dim, keys)]
            .map(|(ink, text)| self.look.paint(ink, &text));
        format!("{title}\n{facts}\n{keys}\n\n")
    }

    fn add_prompts(&mut self, prompts: Vec<NamedPrompt>) {
        let named = |prompt: NamedPrompt| (prompt.name, prompt.description.unwrap_or_default());
        let known = &mut Arc::make_mut(&mut self.known).prompts;
        known.extend(prompts.into_iter().map(named));
        known.sort();
        known.dedup_by(|a, b| a.0 == b.0);
    }

    fn setting(&mut self, id: &str, is_change: bool, result: &ConfigResult, out: &mut Vec<Out>) {
        if let Some(rejected) = result.rejected.first() {
            self.print_line(&format!("! {}", one_line(&rejected.reason)), out);
            return;
        }
        let Some(option) = result.options.iter().find(|option| option.id == id) else { return };
        let plain = |value: &str| match PermissionMode::named(value) {
            Some(mode) if id == "permissionMode" => mode.name().to_owned(),
            Some(_) | None => one_line(value),
        };
        let mut text = format!("{}: {}", one_line(&option.name), plain(&option.value));
        if !is_change && !option.choices.is_empty() {
            let choices: Vec<String> = option.choices.iter().map(|choice| plain(choice)).collect();
            let _ = write!(text, " (of {})", choices.join(", "));
        }
        if is_change && self.turn != Turn::None {
            text.push_str(" from the next turn on");
        }
        self.print_line(&text, out);
    }

    fn decided(&mut self, result: &ReviewDecideResult, out: &mut Vec<Out>) {
        if result.is_queued {
            self.print_line("* carried out at the turn's next step", out);
            return;
        }
        for part in &result.decision.parts {
            if let Some(cause) = &part.cause {
                self.print_line(
                    &format!(
                        "! {} left: its author is {}; decide about it by its number",
                        one_line(&part.path),
                        one_line(cause)
                    ),
                    out,
                );
            } else if part.outcome == Outcome::Conflict {
                self.print_line(
                    &format!(
                        "! {} left: its lines have changed since; run /review again",
                        one_line(&part.path)
                    ),
                    out,
                );
            }
        }
    }

    fn ran(&mut self, ran: &ShellRunResult, out: &mut Vec<Out>) {
        let mut text = self.look.paint(Ink::Plain, ran.output.trim_end());
        if !text.is_empty() {
            text.push('\n');
        }
        match ran.exit_code {
            Some(0) => {}
            Some(code) => {
                let _ =
                    writeln!(text, "{}", self.look.paint(Ink::Error, &format!("exit code {code}")));
            }
            None if ran.cancelled => text.push_str("stopped\n"),
            None => {}
        }
        if text.is_empty() {
            text = format!("{}\n", self.look.paint(Ink::Dim, "(no output)"));
        }
        if let Some(path) = &ran.full_output_path {
            let _ = writeln!(
                text,
                "{}",
                self.look.paint(Ink::Dim, &format!("the whole output: {path}"))
            );
        }
        self.print(&text, out);
    }

    /// Takes a page of missed events, then the messages that were held back behind them.
    fn missed(&mut self, head: u64, result: &Value, draft: Option<u64>, out: &mut Vec<Out>) {
        let page = parsed::<SessionEventsResult>(result);
        let mut last = head;
        for record in page.iter().flat_map(|page| &page.events) {
            last = record.seq;
            if record.seq <= head {
                self.durable(record, out);
            }
        }
        if page.is_some_and(|page| page.more) && last < head {
            self.read_missed(last, head, out);
            return;
        }
        for message in self.held.take().unwrap_or_default() {
            self.take(&message, draft, out);
        }
    }
}

/// Returns the shares of the model's context as a table.
fn context_text(context: &ContextReadResult) -> String {
    let mut text = match context.usage.window {
        Some(window) => format!("{} of {window} tokens\n", context.usage.tokens),
        None => format!("{} tokens\n", context.usage.tokens),
    };
    for source in &context.sources {
        let _ =
            writeln!(text, "{:>9}  {} ({})", source.tokens, one_line(&source.source), source.count);
    }
    text
}
