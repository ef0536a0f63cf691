//! Replays a stored session from its beginning: the updates that `session/load` sends before its response.
//!
//! Page boundaries are found from the end, since only the last event determines the current branch; the pages are then sent from the
//! beginning. Invariants: memory contains one page, however long the session; the replay shows the session at the time of its snapshot, and
//! later events follow it.

use super::translator::{Offers, Translator, plan_update};
use super::{notices, wire};
use agent_client_protocol_schema::v1 as acp;
use pintle_agent::{EngineHandle, Error, SessionHandle, messages_held};
use pintle_protocol::event::StateValue;
use pintle_protocol::session::SessionResult;
use tokio::sync::mpsc;

/// The number of items in a page. Few, since an item may be a megabyte.
const PAGE: usize = 50;

/// Messages to send, in order.
pub(super) type Page = Vec<Vec<u8>>;

/// Replays a session and returns the translator's state afterwards. It waits for the client: each page is taken when the one before was
/// sent.
///
/// # Errors
/// Fails if the session cannot be read.
pub(super) async fn replay(
    engine: &EngineHandle,
    handle: &SessionHandle,
    snapshot: &SessionResult,
    offers: Offers,
    pages: &mpsc::Sender<Page>,
) -> Result<Translator, Error> {
    let mut borders = vec![snapshot.seq + 1];
    let mut before = snapshot.seq + 1;
    loop {
        let read = engine.items(handle.id.clone(), 0, before, PAGE).await?;
        match read.items.first() {
            Some(first) if read.more => {
                before = first.seq;
                borders.push(before);
            }
            _ => break,
        }
    }
    let id = acp::SessionId::new(handle.id.as_str());
    let mut translator = Translator::new(offers, snapshot.cost_nano_usd);
    let mut after = 0;
    while let Some(before) = borders.pop() {
        // Between the same events as above, whatever the session records meanwhile.
        let read = engine.items(handle.id.clone(), after, before, usize::MAX).await?;
        after = before - 1;
        let mut page = Page::new();
        for item in &read.items {
            let updates = translator.replayed(&item.item);
            page.extend(
                updates.into_iter().map(|update| wire::update(&id, update, Some(item.seq))),
            );
        }
        // When the connection ends, the receiver is gone.
        let _ = pages.send(page).await;
    }
    let plan = snapshot.plan.as_ref().map(plan_update);
    let is_idle = snapshot.state.value == StateValue::Idle;
    let held = messages_held(&snapshot.queue).filter(|_| is_idle);
    let held = held.map(|notice| notices::notice(offers, &notice, snapshot.seq));
    let last = plan.into_iter().chain(translator.used(&snapshot.context)).chain(held);
    let _ = pages.send(last.map(|update| wire::update(&id, update, None)).collect()).await;
    Ok(translator)
}
