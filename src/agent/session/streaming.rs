//! Streaming text: the current values of open items' fields, for clients that connect midway, and for the next engine if this one is
//! killed. Pure.
//!
//! Deltas are not in the journal, whose entry at an item's end has the complete value. Until then the text is here, and within a second in
//! a file.

use pintle_base::ambient::Secrets;
use pintle_protocol::event::{DeltaField, Event, ItemDelta};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::ItemBody;
use pintle_session::store::streaming::StreamedText;
use std::time::Duration;
use tokio::time::Instant;

/// The delay before changed streaming text is saved: half of the promised second, since a busy machine is late.
const SAVE_DELAY: Duration = Duration::from_millis(500);

/// The maximum size of a field. A longer field's text so far is dropped: users look at the end, and the item will contain the rest.
const MAX_BYTES: usize = 1024 * 1024;

/// The fields that stream.
#[derive(Debug, Default)]
pub(super) struct Streaming {
    fields: Vec<Field>,
    /// When the texts are to be saved.
    due: Option<Instant>,
}

/// A field of an open item.
#[derive(Debug)]
struct Field {
    turn_id: Option<TurnId>,
    /// All its pieces as one.
    so_far: ItemDelta,
}

impl Field {
    fn is_of(&self, delta: &ItemDelta) -> bool {
        let ItemDelta { item_id, field, path, .. } = &self.so_far;
        *item_id == delta.item_id && *field == delta.field && *path == delta.path
    }

    /// Returns true for text that is readable by itself. A call's arguments are useless unless complete.
    fn is_saved(&self) -> bool {
        matches!(self.so_far.field, DeltaField::Text | DeltaField::Output)
    }
}

impl Streaming {
    /// Adds a piece.
    pub(super) fn grow(&mut self, turn_id: Option<&TurnId>, delta: &ItemDelta) {
        let at = self.fields.iter().rposition(|field| field.is_of(delta));
        match at.and_then(|at| self.fields.get_mut(at)) {
            Some(Field { so_far, .. }) if so_far.text.len() + delta.text.len() <= MAX_BYTES => {
                so_far.text.push_str(&delta.text);
                so_far.to = Some(delta.to.unwrap_or(delta.n));
            }
            Some(Field { so_far, .. }) => so_far.clone_from(delta),
            None => self.fields.push(Field { turn_id: turn_id.cloned(), so_far: delta.clone() }),
        }
        if self.due.is_none() && matches!(delta.field, DeltaField::Text | DeltaField::Output) {
            self.due = Some(Instant::now() + SAVE_DELAY);
        }
    }

    /// Drops the streaming text of values that an event contains in full. Returns true if no text to be saved streams any more.
    pub(super) fn forget_completed(&mut self, event: &Event) -> bool {
        if self.fields.is_empty() {
            return false;
        }
        if let Event::ItemCompleted { item } = event {
            self.forget(&item.id, |_| true);
        } else if let Event::ItemUpdated { item } = event
            && matches!(item.body, ItemBody::ToolCall(_))
        {
            // The arguments are whole.
            self.forget(&item.id, |field| matches!(field, DeltaField::Args | DeltaField::Input));
        } else {
            return false;
        }
        let is_over = !self.fields.iter().any(Field::is_saved);
        if is_over {
            self.due = None;
        }
        is_over
    }

    fn forget(&mut self, id: &ItemId, is_meant: impl Fn(DeltaField) -> bool) {
        self.fields.retain(|Field { so_far, .. }| so_far.item_id != *id || !is_meant(so_far.field));
    }

    /// Returns the text so far, each field as one chunk, with known keys redacted: chunks were redacted one by one, and a key may span two.
    pub(super) fn pieces(&self, secrets: &Secrets) -> Vec<(Option<TurnId>, ItemDelta)> {
        let whole = |Field { turn_id, so_far }: &Field| {
            let text = secrets.redact(&so_far.text).into_owned();
            (turn_id.clone(), ItemDelta { text, ..so_far.clone() })
        };
        self.fields.iter().map(whole).collect()
    }

    /// Returns the texts to save now.
    pub(super) fn take_due(&mut self, secrets: &Secrets) -> Vec<StreamedText> {
        self.due = None;
        let text = |Field { so_far, .. }: &Field| StreamedText {
            item_id: so_far.item_id.clone(),
            field: so_far.field,
            text: secrets.redact(&so_far.text).into_owned(),
        };
        self.fields.iter().filter(|field| field.is_saved()).map(text).collect()
    }

    /// Waits until texts are due to be saved; never completes if there are none. Cancel-safe.
    pub(super) async fn due(&self) {
        match self.due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }
}
