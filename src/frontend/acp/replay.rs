//! A stored session, told again from its beginning: what `session/load` sends before it answers.
//!
//! The pages are found from the end, since the way that the history took is only known from there, and then told from the
//! beginning. Invariant: memory holds one page, however long the session.

use super::story::{Offers, Story, planned};
use super::wire;
use crate::agent::{EngineHandle, Error, SessionHandle, Snapshot};
use agent_client_protocol_schema::v1 as acp;
use tokio::sync::mpsc;

/// How many items a page holds. Few, since an item may be a megabyte.
const PAGE: usize = 50;

/// Messages to send, in order.
pub(super) type Page = Vec<Vec<u8>>;

/// Tells a session. It waits for the client: each page is taken when the one before was sent.
///
/// # Errors
/// The session cannot be read.
pub(super) async fn replay(
    engine: &EngineHandle,
    handle: &SessionHandle,
    snapshot: &Snapshot,
    offers: Offers,
    pages: &mpsc::Sender<Page>,
) -> Result<(), Error> {
    let mut starts = vec![u64::MAX];
    let mut before = u64::MAX;
    loop {
        let found = engine.items(handle.id.clone(), 0, before, PAGE).await?;
        match found.items.first() {
            Some(first) if found.more => {
                before = first.seq;
                starts.push(before);
            }
            _ => break,
        }
    }
    let id = acp::SessionId::new(handle.id.as_str());
    let mut story = Story::new(offers, snapshot.cost_nano_usd);
    while let Some(before) = starts.pop() {
        let found = engine.items(handle.id.clone(), 0, before, PAGE).await?;
        let mut page = Page::new();
        for item in &found.items {
            let updates = story.replayed(&item.item);
            page.extend(
                updates.into_iter().map(|update| wire::update(&id, update, Some(item.seq))),
            );
        }
        // Nobody takes it when the connection ends.
        let _ = pages.send(page).await;
    }
    let plan = snapshot.plan.as_ref().map(planned);
    let last = plan.into_iter().chain(story.used(&snapshot.context));
    let _ = pages.send(last.map(|update| wire::update(&id, update, None)).collect()).await;
    Ok(())
}
