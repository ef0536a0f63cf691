//! Searches the index: candidates from the word tables, newest first, ranked here.
//!
//! SQLite's `bm25()` scores every entry with a word before it returns the first: a second for a common word in 100,000 entries. So the
//! newest [`CANDIDATES`] are ranked by the same formula; for a rare word, these are all.

use super::words::{self, Query, Table, Word};
use super::{first_key, kind_of, number_of_kind, number_of_role, role_of};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::search::{SearchHit, SessionSearchParams, SessionSearchResult};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

/// The maximum number of entries that are ranked.
const CANDIDATES: usize = 2000;

/// The maximum size of their text in bytes.
const CANDIDATE_BYTES: usize = 16 * 1024 * 1024;

/// The number of entries from which a word counts as common.
const COMMON: i64 = 500;

/// A statement with its values.
#[derive(Debug)]
struct Statement {
    sql: String,
    values: Vec<Value>,
}

struct Candidate {
    key: i64,
    folded: String,
    score: f64,
}

/// What is searched for.
pub(super) struct SearchRequest<'a> {
    pub(super) params: &'a SessionSearchParams,
    /// The paths by which sessions name the working directory, also those before it was moved; `None` for all directories.
    pub(super) folders: Option<Vec<String>>,
}

pub(super) fn search(
    connection: &Connection,
    asked: &SearchRequest<'_>,
    from: usize,
    limit: usize,
) -> rusqlite::Result<SessionSearchResult> {
    let params = asked.params;
    let query = Query::parse(&params.query);
    if query.is_unsearchable {
        return Ok(SessionSearchResult::default());
    }
    let keys = if query.words.is_empty() {
        newest(connection, asked, from, limit)?
    } else {
        let ranked = ranked(connection, asked, &query)?;
        ranked.into_iter().skip(from).take(limit.saturating_add(1)).collect()
    };
    let next_cursor = (keys.len() > limit).then(|| from.saturating_add(limit).to_string());
    let mut statement = connection.prepare_cached(
        "SELECT s.id, e.seq, e.item, e.ts_ms, e.kind, e.role, s.title, s.cwd, e.text, e.paths
         FROM entries e JOIN sessions s ON s.key = e.session WHERE e.key = ?1",
    )?;
    let mut hits = Vec::new();
    for key in keys.into_iter().take(limit) {
        hits.extend(
            statement.query_map([key], |row| hit(row, &query))?.collect::<Result<Vec<_>, _>>()?,
        );
    }
    Ok(SessionSearchResult { hits, next_cursor, behind: 0 })
}

fn hit(row: &Row<'_>, query: &Query) -> rusqlite::Result<SearchHit> {
    let count = |column: usize| row.get::<_, i64>(column).map(|n| u64::try_from(n).unwrap_or(0));
    let (text, paths): (String, String) = (row.get(8)?, row.get(9)?);
    let folded = words::fold(&text);
    let is_in_text = query.words.is_empty() || query.words.iter().any(|word| word.is_in(&folded));
    let shown = if (is_in_text || paths.is_empty()) && !text.is_empty() { &text } else { &paths };
    Ok(SearchHit {
        session_id: SessionId::new(row.get::<_, String>(0)?),
        seq: count(1)?,
        item_id: Some(ItemId::new(row.get::<_, String>(2)?)),
        ts_ms: count(3)?,
        kind: kind_of(row.get(4)?),
        role: role_of(row.get(5)?),
        title: row.get(6)?,
        cwd: row.get(7)?,
        snippet: words::snippet(shown, &query.words),
    })
}

/// Without words: the newest entries that pass the filters, one more than fits.
fn newest(
    connection: &Connection,
    asked: &SearchRequest<'_>,
    from: usize,
    limit: usize,
) -> rusqlite::Result<Vec<i64>> {
    let mut statement = matching(asked, &[], "e.key");
    statement.sql.push_str(" LIMIT ? OFFSET ?");
    let number = |n: usize| Value::Integer(i64::try_from(n).unwrap_or(i64::MAX));
    statement.values.extend([number(limit.saturating_add(1)), number(from)]);
    let mut prepared = connection.prepare_cached(&statement.sql)?;
    prepared.query_map(params_from_iter(statement.values), |row| row.get(0))?.collect()
}

fn ranked(
    connection: &Connection,
    asked: &SearchRequest<'_>,
    query: &Query,
) -> rusqlite::Result<Vec<i64>> {
    let Statement { sql, values } = matching(asked, &query.words, "e.key, e.text, e.paths");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut candidates = Vec::new();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let (text, paths) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
        let mut folded = words::fold(text);
        folded.push('\n');
        folded.push_str(&words::fold(paths));
        bytes += folded.len();
        candidates.push(Candidate { key: row.get(0)?, folded, score: 0.0 });
        if candidates.len() == CANDIDATES || bytes > CANDIDATE_BYTES {
            break;
        }
    }
    drop(rows);
    let all: i64 =
        connection
            .query_row("SELECT coalesce(sum(entries), 0) FROM sessions", [], |row| row.get(0))?;
    let holders = query
        .words
        .iter()
        .map(|word| Ok((word, holders(connection, word, query.words.len() == 1)?)))
        .collect::<rusqlite::Result<Vec<(&Word, u64)>>>()?;
    let average_bytes = bytes as u64 / (candidates.len().max(1) as u64);
    let average_bytes = f64::from(u32::try_from(average_bytes).unwrap_or(u32::MAX));
    for candidate in &mut candidates {
        let entries = u64::try_from(all).unwrap_or(0);
        candidate.score = words::rank(&candidate.folded, &holders, entries, average_bytes);
    }
    // Candidates are sorted newest first, and the stable sort keeps that order among equals.
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(candidates.into_iter().map(|candidate| candidate.key).collect())
}

/// Returns the number of entries with a word, counted up to [`COMMON`]. It is irrelevant for a single word.
fn holders(connection: &Connection, word: &Word, is_alone: bool) -> rusqlite::Result<u64> {
    if is_alone {
        return Ok(1);
    }
    let table = table_of(word.table);
    let sql =
        format!("SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ?1 LIMIT ?2)");
    let count: i64 =
        connection.prepare_cached(&sql)?.query_row((word.quoted(), COMMON), |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn table_of(table: Table) -> &'static str {
    match table {
        Table::Substrings => "substrings",
        Table::Short => "short",
    }
}

/// A query's conditions, with their values in order.
#[derive(Debug, Default)]
struct Conditions {
    texts: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, text: impl Into<String>, value: impl Into<Value>) {
        self.texts.push(text.into());
        self.values.push(value.into());
    }
}

/// Returns the statement for the entries that have all words and pass the filters, newest first.
fn matching(asked: &SearchRequest<'_>, words: &[Word], columns: &str) -> Statement {
    let params = asked.params;
    let mut conditions = Conditions::default();
    let quoted = |table: Table| -> Vec<String> {
        words.iter().filter(|word| word.table == table).map(Word::quoted).collect()
    };
    let (mut substrings, short) = (quoted(Table::Substrings), quoted(Table::Short));
    let path = params.path.as_ref().map(|path| words::fold(path)).filter(|path| !path.is_empty());
    if let Some(path) = path {
        match Query::parse(&format!("\"{}\"", path.replace('"', " "))).words.first() {
            Some(word) if word.table == Table::Substrings => {
                substrings.push(format!("paths : {}", word.quoted()));
            }
            Some(_) | None => conditions.add("instr(lower(e.paths), ?) > 0", path),
        }
    }
    // One word table is the outer loop, the other a filter; `+` keeps SQLite from swapping them.
    let word_table = match (substrings.is_empty(), short.is_empty()) {
        (true, true) => None,
        (false, true) => Some(("substrings", substrings.join(" AND "))),
        (true, false) => Some(("short", short.join(" AND "))),
        (false, false) => {
            let other = "+w.rowid IN (SELECT rowid FROM short WHERE short MATCH ?)";
            conditions.add(other, short.join(" AND "));
            Some(("substrings", substrings.join(" AND ")))
        }
    };
    let (from, key) = match word_table {
        None => ("entries e CROSS JOIN sessions s ON s.key = e.session".to_owned(), "e.key"),
        Some((table, matched)) => {
            conditions.add(format!("{table} MATCH ?"), matched);
            let entries = "CROSS JOIN entries e ON e.key = w.rowid";
            let sessions = "CROSS JOIN sessions s ON s.key = e.session";
            (format!("{table} w {entries} {sessions}"), "w.rowid")
        }
    };
    filter(asked, key, &mut conditions);
    let Conditions { texts, values } = conditions;
    let condition = if texts.is_empty() { "true".to_owned() } else { texts.join(" AND ") };
    let sql = format!("SELECT {columns} FROM {from} WHERE {condition} ORDER BY {key} DESC");
    Statement { sql, values }
}

fn filter(
    SearchRequest { params, folders }: &SearchRequest<'_>,
    key: &str,
    conditions: &mut Conditions,
) {
    if let Some(ms) = params.after_ms {
        conditions.add(format!("{key} >= ?"), first_key(ms));
    }
    if let Some(ms) = params.before_ms {
        conditions.add(format!("{key} < ?"), first_key(ms));
    }
    if let Some(folders) = folders {
        let folders = serde_json::Value::from(folders.as_slice()).to_string();
        conditions.add("s.cwd IN (SELECT value FROM json_each(?))", folders);
    }
    if let Some(id) = &params.session_id {
        conditions.add("s.id = ?", id.as_str().to_owned());
        // The session's range of keys limits the search; otherwise every entry with a common word would be read.
        for (sign, end) in [(">=", "min"), ("<=", "max")] {
            let of_session = "session IN (SELECT key FROM sessions WHERE id = ?)";
            let text = format!("{key} {sign} (SELECT {end}(key) FROM entries WHERE {of_session})");
            conditions.add(text, id.as_str().to_owned());
        }
    }
    for (sign, seq) in [(">", params.after_seq), ("<", params.before_seq)] {
        if let Some(seq) = seq {
            conditions.add(format!("e.seq {sign} ?"), super::whole(seq));
        }
    }
    let mut one_of = |column: &str, numbers: Vec<i64>| {
        if !numbers.is_empty() {
            let marks = vec!["?"; numbers.len()].join(", ");
            conditions.texts.push(format!("{column} IN ({marks})"));
            conditions.values.extend(numbers.into_iter().map(Value::Integer));
        }
    };
    one_of("e.kind", params.kinds.iter().map(|kind| number_of_kind(*kind)).collect());
    one_of("e.role", params.roles.iter().map(|role| number_of_role(*role)).collect());
}
