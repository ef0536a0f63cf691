//! The engine's notices: sent as notices if the client supports them, else as messages. Pure.

use super::translator::{Offers, chunk};
use super::wire;
use agent_client_protocol_schema::v1 as acp;
use pintle_protocol::event::{Notice, NoticeLevel, RetryScheduled};

/// Returns the update for an engine notice. `id` names the chunk that it becomes for a client without notices.
pub(super) fn update(
    offers: Offers,
    level: NoticeLevel,
    title: &str,
    more: Option<&str>,
    id: &str,
) -> acp::SessionUpdate {
    if offers.notices {
        let severity = match level {
            NoticeLevel::Info => acp::NoticeSeverity::Info,
            NoticeLevel::Warning => acp::NoticeSeverity::Warning,
            NoticeLevel::Error => acp::NoticeSeverity::Error,
        };
        let notice = acp::Notice::new(severity, wire::cut(title));
        return acp::SessionUpdate::Notice(notice.description(more.map(wire::cut)));
    }
    let more = more.map(|more| format!(" ({more})")).unwrap_or_default();
    let text = format!("\n[{title}{more}]\n");
    acp::SessionUpdate::AgentMessageChunk(chunk(wire::cut(&text), id))
}

pub(super) fn notice(offers: Offers, notice: &Notice, seq: u64) -> acp::SessionUpdate {
    let Notice { level, message, hint, .. } = notice;
    update(offers, *level, message, hint.as_deref(), &format!("notice-{seq}"))
}

pub(super) fn retries(offers: Offers, retry: &RetryScheduled, seq: u64) -> acp::SessionUpdate {
    let RetryScheduled { attempt, of, delay_ms, message, .. } = retry;
    let seconds = delay_ms.div_ceil(1000);
    let title = format!("The provider failed; retry {attempt} of {of} in {seconds} s");
    if offers.notices {
        return update(offers, NoticeLevel::Warning, &title, Some(message), "");
    }
    let text = format!("\n[{title}: {message}]\n");
    acp::SessionUpdate::AgentThoughtChunk(chunk(wire::cut(&text), &format!("retry-{seq}")))
}
