//! A stored session, told again from its beginning: what `session/load` sends before it answers.
//!
//! The pages are found from the end, since the way that the history took is only known from there, and then told from the
//! beginning. Invariants: memory holds one page, however long the session; what is told is how the session stood when it was looked
//! at, and what happens later is told later.

use super::translator::{Offers, Translator, planned};
use super::wire;
use crate::agent::{EngineHandle, Error, SessionHandle, Snapshot};
use agent_client_protocol_schema::v1 as acp;
use tokio::sync::mpsc;

/// The number of items in a page. Few, since an item may be a megabyte.
const PAGE: usize = 50;

/// Messages to send, in order.
pub(super) type Page = Vec<Vec<u8>>;

/// Tells a session, and returns what was told. It waits for the client: each page is taken when the one before was sent.
///
/// # Errors
/// The session cannot be read.
pub(super) async fn replay(
    engine: &EngineHandle,
    handle: &SessionHandle,
    snapshot: &Snapshot,
    offers: Offers,
    pages: &mpsc::Sender<Page>,
) -> Result<Translator, Error> {
    let mut borders = vec![snapshot.seq + 1];
    let mut before = snapshot.seq + 1;
    loop {
        let found = engine.items(handle.id.clone(), 0, before, PAGE).await?;
        match found.items.first() {
            Some(first) if found.more => {
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
        // Between the same events as before, whatever the session does meanwhile.
        let found = engine.items(handle.id.clone(), after, before, usize::MAX).await?;
        after = before - 1;
        let mut page = Page::new();
        for item in &found.items {
            let updates = translator.replayed(&item.item);
            page.extend(
                updates.into_iter().map(|update| wire::update(&id, update, Some(item.seq))),
            );
        }
        // Nobody takes it when the connection ends.
        let _ = pages.send(page).await;
    }
    let plan = snapshot.plan.as_ref().map(planned);
    let last = plan.into_iter().chain(translator.used(&snapshot.context));
    let _ = pages.send(last.map(|update| wire::update(&id, update, None)).collect()).await;
    Ok(translator)
}
