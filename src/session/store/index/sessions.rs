//! Session lists from the rows: the same sessions, order and cursors as from the directories.

use crate::store::archive;
use crate::store::list::{Cursor, Filter};
use pintle_protocol::event::Parent;
use pintle_protocol::ids::{AgentId, SessionId};
use pintle_protocol::methods::SessionSummary;
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

/// A stored session with the index's counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The columns of every list.
    pub summary: SessionSummary,
    /// The messages and calls in it.
    pub entries: u64,
    /// The turns in it.
    pub turns: u64,
    /// Their cost in billionths of a US dollar; `None` if no price is known.
    pub cost_nano_usd: Option<u64>,
    /// The state at its journal's end: `running` (or interrupted), `idle` or `closed`.
    pub state: String,
}

pub(super) fn list(
    connection: &Connection,
    sessions: &Path,
    filter: &Filter,
    after: Option<&Cursor>,
    limit: usize,
) -> rusqlite::Result<(Vec<Stored>, Option<Cursor>)> {
    let mut statement = connection.prepare_cached(
        "SELECT name, folder, id, cwd, created_ms, updated_ms, title, parent_session, parent_agent, entries, turns,
         cost_nano_usd, state, forked_from FROM sessions
         WHERE (?1 IS NULL OR name < ?1) AND (?2 IS NULL OR cwd IN (SELECT value FROM json_each(?2))) AND (?3 OR parent_session IS NULL)
         ORDER BY name DESC",
    )?;
    let folders = filter.folders(sessions);
    let folders = folders.map(|folders| serde_json::Value::from(folders).to_string());
    let mut rows =
        statement.query(params![after.map(|cursor| &cursor.0), folders, filter.subagents])?;
    let mut page = Vec::new();
    let mut last: Option<String> = None;
    while let Some(row) = rows.next()? {
        let count =
            |column: usize| row.get::<_, i64>(column).map(|n| u64::try_from(n).unwrap_or(0));
        let cwd: String = row.get(3)?;
        let title: Option<String> = row.get(6)?;
        // Case is folded here, since SQLite folds only ASCII.
        if !filter.matches_query(&cwd, title.as_deref()) {
            continue;
        }
        // The index has `/` in paths.
        let folder: PathBuf = sessions.join(row.get::<_, String>(1)?).components().collect();
        let archived = archive::is_archived(&folder);
        if filter.archived.is_some_and(|wanted| wanted != archived) {
            continue;
        }
        if page.len() == limit {
            return Ok((page, last.map(Cursor)));
        }
        let parent: Option<String> = row.get(7)?;
        let agent: Option<String> = row.get(8)?;
        page.push(Stored {
            summary: SessionSummary {
                session_id: SessionId::new(row.get::<_, String>(2)?),
                cwd,
                title,
                created_ms: count(4)?,
                updated_ms: count(5)?,
                path: folder.display().to_string(),
                archived,
                parent: parent.map(|parent| Parent {
                    session_id: SessionId::new(parent),
                    agent_id: AgentId::new(agent.unwrap_or_default()),
                }),
                forked_from: row.get::<_, Option<String>>(13)?.map(SessionId::new),
            },
            entries: count(9)?,
            turns: count(10)?,
            cost_nano_usd: row.get::<_, Option<i64>>(11)?.and_then(|cost| u64::try_from(cost).ok()),
            state: row.get(12)?,
        });
        last = Some(row.get(0)?);
    }
    Ok((page, None))
}

/// Returns how many sessions and entries there are.
pub(super) fn counts(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    connection.query_row("SELECT count(*), coalesce(sum(entries), 0) FROM sessions", [], |row| {
        let count =
            |column: usize| row.get::<_, i64>(column).map(|n| u64::try_from(n).unwrap_or(0));
        Ok((count(0)?, count(1)?))
    })
}
