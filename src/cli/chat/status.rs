//! The state line: the session's work, model, permissions, context and cost. Pure.

use super::look::{Ink, Look};
use pintle_base::text::money::usd;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::content::add_cost;
use pintle_protocol::context::ContextUsage;
use pintle_protocol::event::{ConfigChanged, StateValue, StepCompleted, TurnCompleted};
use pintle_protocol::plan::WorkMode;
use pintle_protocol::session::SessionResult;

/// A session's state, as far as the line shows it.
#[derive(Debug, Default)]
pub(super) struct Status {
    model: String,
    permission: PermissionMode,
    mode: WorkMode,
    context: ContextUsage,
    /// Cost of the turns that have ended, in billionths of a US dollar; `None` if no price is known.
    cost: Option<u64>,
    /// The same for the running turn.
    turn_cost: Option<u64>,
    state: Option<StateValue>,
    /// Title of the running call.
    call: Option<String>,
    queued: usize,
}

impl Status {
    pub(super) fn opened(&mut self, session: &SessionResult) {
        *self = Self {
            model: session.model.clone(),
            permission: session.permission_mode,
            mode: session.mode,
            context: session.context.clone(),
            cost: session.cost_nano_usd,
            state: Some(session.state.value),
            queued: session.queue.len(),
            ..Self::default()
        };
    }

    pub(super) fn config(&mut self, config: &ConfigChanged) {
        self.model.clone_from(&config.model);
        (self.permission, self.mode) = (config.permission_mode, config.mode);
    }

    pub(super) fn context(&mut self, context: &ContextUsage) {
        self.context = context.clone();
    }

    pub(super) fn step(&mut self, step: &StepCompleted) {
        self.turn_cost = step.turn_cost_nano_usd;
    }

    pub(super) fn turn_ended(&mut self, turn: &TurnCompleted) {
        add_cost(&mut self.cost, turn.cost_nano_usd);
        (self.turn_cost, self.call) = (None, None);
    }

    pub(super) fn state(&mut self, state: StateValue) {
        self.state = Some(state);
    }

    /// Sets the title of the running call; `None` between calls.
    pub(super) fn call(&mut self, title: Option<&str>) {
        self.call = title.map(str::to_owned);
    }

    pub(super) fn queued(&mut self, count: usize) {
        self.queued = count;
    }

    pub(super) fn queued_count(&self) -> usize {
        self.queued
    }

    /// Returns the line, of at most the terminal's width. `keys` answer the open request.
    pub(super) fn line(&self, keys: Option<&str>, look: Look) -> String {
        if self.state.is_none() {
            return String::new();
        }
        let mut parts = vec![self.model.clone(), self.permission.name().to_owned()];
        if self.mode == WorkMode::Plan {
            parts.push("plan".to_owned());
        }
        match (self.context.tokens, self.context.window) {
            (0, _) => {}
            (tokens, None) => parts.push(format!("{} tokens", thousands(tokens))),
            (tokens, Some(window)) => {
                parts.push(format!("{} of {}", thousands(tokens), thousands(window)));
            }
        }
        let mut cost = self.cost;
        add_cost(&mut cost, self.turn_cost);
        parts.extend(cost.map(usd));
        if self.queued > 0 {
            parts.push(format!("{} queued", self.queued));
        }
        let work = match (self.state, &self.call) {
            (Some(StateValue::Running), Some(call)) => format!("running {call}"),
            (Some(StateValue::Running), None) => "working".to_owned(),
            (Some(StateValue::Retrying), _) => "waiting to retry".to_owned(),
            (Some(StateValue::Compacting), _) => "summarizing".to_owned(),
            (Some(StateValue::Idle | StateValue::Blocked) | None, _) => String::new(),
        };
        let work = match keys {
            Some(keys) => format!("waiting for {keys}"),
            None => work,
        };
        // What happens now comes first, since a narrow terminal cuts the end.
        if !work.is_empty() {
            parts.insert(0, work);
        }
        let ink = if keys.is_some() { Ink::Attention } else { Ink::Dim };
        look.paint(ink, &Look::cut(&parts.join(" · "), look.columns.saturating_sub(1)))
    }
}

/// Formats a count of tokens: 950, 12k, 1.2M.
fn thousands(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_happens_and_fits() {
        let look = |columns| Look { columns, is_styled: false };
        let mut status = Status::default();
        assert_eq!(status.line(None, look(80)), "");
        status.model = "anthropic/opus".to_owned();
        status.state(StateValue::Idle);
        assert_eq!(status.line(None, look(80)), "anthropic/opus · ask");
        status.context = ContextUsage { tokens: 12_345, window: Some(1_200_000) };
        (status.cost, status.turn_cost, status.mode) =
            (Some(1_500_000_000), Some(20_000_000), WorkMode::Plan);
        status.queued(2);
        status.state(StateValue::Running);
        assert_eq!(
            status.line(None, look(80)),
            "working · anthropic/opus · ask · plan · 12k of 1.2M · $1.52 · 2 queued"
        );
        status.call(Some("bash: cargo test\n\u{1b}[2J"));
        assert_eq!(status.line(None, look(40)), "running bash: cargo test␊␛[2J · anthro…");
        status.state(StateValue::Blocked);
        assert!(status.line(Some("y/n"), look(80)).starts_with("waiting for y/n · anthropic"));
    }
}
