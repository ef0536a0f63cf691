//! The notifications of sessions' events.

use crate::agent::Feed;
use crate::transport::envelope;
use pintle_protocol::methods::{Notification, SessionEvent, SessionLagged, SessionLaggedParams};

/// Returns the notification of an event; `None` for calls of the client, which are sent as requests (`questions`).
pub(super) fn message(feed: &Feed) -> Option<Vec<u8>> {
    Some(match feed {
        Feed::Call(_) | Feed::CallWithdrawn(_) => return None,
        Feed::Durable(record) => envelope::raw_notification(SessionEvent::METHOD, &record.json),
        Feed::Transient(record) => envelope::notification(SessionEvent::METHOD, &**record),
        Feed::Lagged { session_id, last_sent_seq, head_seq } => envelope::notification(
            SessionLagged::METHOD,
            &SessionLaggedParams {
                session_id: session_id.clone(),
                last_sent_seq: *last_sent_seq,
                head_seq: *head_seq,
            },
        ),
    })
}
