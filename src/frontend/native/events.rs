//! Notifications for session events.

use bytes::Bytes;
use pintle_agent::Feed;
use pintle_base::transport::envelope;
use pintle_protocol::methods::{
    Notification, SessionEvent, SessionEventsMissed, SessionEventsMissedParams,
};
use std::sync::Arc;

/// Returns an event's notification; `None` for client calls, which are sent as requests (`questions`).
///
/// Connections that send the same event share its bytes.
pub(super) fn message(feed: &Feed) -> Option<Bytes> {
    Some(match feed {
        Feed::Call(_) | Feed::CallWithdrawn(_) | Feed::Questions(_) => return None,
        Feed::Durable(record) => record.encoded.message(Arc::strong_count(record) > 1, || {
            envelope::raw_notification(SessionEvent::METHOD, &record.json)
        }),
        Feed::Transient(record) | Feed::Held(record, _) => {
            record.encoded.message(Arc::strong_count(record) > 1, || {
                envelope::notification(SessionEvent::METHOD, &record.value)
            })
        }
        Feed::Lagged { session_id, last_sent_seq, head_seq } => envelope::notification(
            SessionEventsMissed::METHOD,
            &SessionEventsMissedParams {
                session_id: session_id.clone(),
                last_sent_seq: *last_sent_seq,
                head_seq: *head_seq,
            },
        )
        .into(),
    })
}
