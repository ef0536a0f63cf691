//! Searches the journals themselves, for the kinds of text that the index omits: tool output and reasoning.
//!
//! Such text is many times as long as user and model messages, so indexing it would make every other search slower. It is searched only on
//! request. Hits are not ranked: the newest session comes first, and in it the newest entry.

use super::extract::{self, SearchEntry};
use super::words::{self, Query};
use crate::store::{Error, Filter, Store, place};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemBody};
use pintle_protocol::methods::SessionSummary;
use pintle_protocol::search::{
    EntryKind, EntryRole, SearchHit, SessionSearchParams, SessionSearchResult,
};

/// How many sessions may be read.
const MAX_SESSIONS: usize = 100_000;

/// Returns true if a search requests text that only journals contain.
pub(in crate::store) fn is_asked_for(params: &SessionSearchParams) -> bool {
    params.kinds.iter().any(|kind| matches!(kind, EntryKind::ToolOutput | EntryKind::Reasoning))
}

/// Searches journals.
pub(in crate::store) fn search(
    store: &Store,
    params: &SessionSearchParams,
    limit: usize,
) -> Result<SessionSearchResult, Error> {
    let from: usize = match &params.cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| Error::NoCursor(cursor.clone()))?,
    };
    let query = Query::parse(&params.query);
    if query.is_unsearchable {
        return Ok(SessionSearchResult::default());
    }
    let sessions = if let Some(id) = &params.session_id {
        vec![store.summary(id)?]
    } else {
        let filter = Filter { cwd: params.cwd.clone(), subagents: true, ..Filter::default() };
        store.list(&filter, None, MAX_SESSIONS)?.0
    };
    let folders = params.cwd.as_deref().map(|cwd| place::names(&store.sessions, cwd));
    let end = from.saturating_add(limit);
    let mut hits = Vec::new();
    for session in &sessions {
        if folders.as_ref().is_some_and(|folders| !folders.contains(&session.cwd)) {
            continue;
        }
        // One that was deleted meanwhile, or that is damaged, has no hits.
        let before = params.before_seq.unwrap_or(u64::MAX);
        let Ok(entries) = store.entries_back(&session.session_id, before) else { continue };
        let records = entries.filter_map(|entry| entry.ok()?.record);
        let records =
            records.take_while(|record| params.after_seq.is_none_or(|seq| record.seq > seq));
        hits.extend(
            records
                .flat_map(|record| hits_of(&record, session, params, &query))
                .take(end.saturating_add(1).saturating_sub(hits.len())),
        );
        if hits.len() > end {
            break;
        }
    }
    let next_cursor = (hits.len() > end).then(|| end.to_string());
    let hits = hits.into_iter().skip(from).take(limit).collect();
    Ok(SessionSearchResult { hits, next_cursor, behind: 0 })
}

/// Returns an event's hits, the last first.
fn hits_of(
    record: &EventRecord,
    session: &SessionSummary,
    params: &SessionSearchParams,
    query: &Query,
) -> Vec<SearchHit> {
    let is_in_time = params.after_ms.is_none_or(|ms| record.ts_ms >= ms)
        && params.before_ms.is_none_or(|ms| record.ts_ms < ms);
    let path = params.path.as_ref().map(|path| words::fold(path));
    let is_wanted = |entry: &SearchEntry| {
        is_in_time
            && params.kinds.contains(&entry.kind)
            && (params.roles.is_empty() || params.roles.contains(&entry.role))
            && path.as_ref().is_none_or(|path| words::fold(&entry.paths).contains(path))
    };
    let holds = |entry: &SearchEntry| {
        let folded = words::fold(&entry.text);
        let paths = words::fold(&entry.paths);
        query.words.iter().all(|word| word.is_in(&folded) || word.is_in(&paths))
    };
    let entries = unindexed(record).into_iter().chain(extract::search_entry(record));
    let hit = |entry: SearchEntry| SearchHit {
        session_id: session.session_id.clone(),
        seq: record.seq,
        item_id: Some(ItemId::new(entry.item_id)),
        ts_ms: record.ts_ms,
        kind: entry.kind,
        role: entry.role,
        title: session.title.clone(),
        cwd: session.cwd.clone(),
        snippet: words::snippet(&entry.text, &query.words),
    };
    entries.filter(is_wanted).filter(holds).map(hit).collect()
}

/// Returns an event's text that the index omits.
fn unindexed(record: &EventRecord) -> Option<SearchEntry> {
    let Event::ItemCompleted { item: Item { id, body, .. } } = &record.event else { return None };
    let (kind, role, text, paths) = match body {
        ItemBody::Reasoning(body) => {
            (EntryKind::Reasoning, EntryRole::Assistant, body.text.clone(), Vec::new())
        }
        ItemBody::ToolCall(call) => {
            (EntryKind::ToolOutput, EntryRole::Tool, call.text(), extract::call_texts(call).1)
        }
        _ => return None,
    };
    let paths = paths.join("\n");
    (!text.is_empty()).then(|| SearchEntry { kind, role, item_id: id.to_string(), text, paths })
}
