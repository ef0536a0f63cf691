//! Session lists, read from the directories themselves.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::header::{FILE, read_header};
use super::{Error, archive, draft, entry, place, title};
use pintle_base::private_files;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Event, Parent};
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::SessionSummary;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The last directory on a list page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(pub String);

/// The sessions that a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those with this working directory, also by a path that it had before it was moved.
    pub cwd: Option<String>,
    /// Includes those of sub-agents.
    pub subagents: bool,
    /// Only those with this text in their title or working directory, ignoring case.
    pub query: Option<String>,
    /// Only archived ones, or only the others; both if `None`.
    pub archived: Option<bool>,
}

impl Filter {
    /// Returns the working directory's paths, current and earlier; `None` for all directories.
    pub(super) fn folders(&self, sessions: &Path) -> Option<Vec<String>> {
        self.cwd.as_ref().map(|cwd| place::names(sessions, cwd))
    }

    fn takes(&self, folders: Option<&[String]>, summary: &SessionSummary) -> bool {
        (self.subagents || summary.parent.is_none())
            && self.archived.is_none_or(|archived| archived == summary.archived)
            && folders.is_none_or(|folders| folders.contains(&summary.cwd))
            && self.matches_query(&summary.cwd, summary.title.as_deref())
    }

    /// Returns true if the title or the working directory matches the query.
    pub(super) fn matches_query(&self, cwd: &str, title: Option<&str>) -> bool {
        let Some(query) = &self.query else { return true };
        let query = query.to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&query);
        holds(cwd) || title.is_some_and(holds)
    }
}

/// The number of lines that are searched for a title. The first prompt is among the first few.
const TITLE_LINES: usize = 8;

/// The number of bytes in which they must end.
const MAX_BEGINNING_BYTES: u64 = 32 * 1024 * 1024;

/// The maximum length of a first prompt as a title.
const TITLE_CHARS: usize = 80;

/// Returns every session's directory. Empty if there are no sessions yet.
pub(super) fn folders(sessions: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for slug in place::subfolders(sessions)? {
        all.extend(place::subfolders(&slug)?.into_iter().filter(|folder| draft::is_shown(folder)));
    }
    Ok(all)
}

/// Returns the session id in a directory name.
pub(super) fn session_of(folder: &Path) -> Option<SessionId> {
    let (_, id) = folder.file_name()?.to_str()?.split_once('_')?;
    Some(SessionId::new(id))
}

/// Returns true if a page could have returned the cursor: a session directory's name, a time and an id. The session may be gone.
pub(super) fn is_cursor(Cursor(name): &Cursor) -> bool {
    let is_time = |time: &str| {
        let plain = |c: char| c.is_ascii_digit() || matches!(c, 'T' | 'Z');
        time.starts_with(|c: char| c.is_ascii_digit()) && time.chars().all(plain)
    };
    name.split_once('_').is_some_and(|(time, id)| is_time(time) && !id.is_empty())
}

pub(super) fn list(
    sessions: &Path,
    filter: &Filter,
    after: Option<&Cursor>,
    limit: usize,
) -> Result<(Vec<SessionSummary>, Option<Cursor>), Error> {
    let mut folders: Vec<(String, PathBuf)> = folders(sessions)?
        .into_iter()
        .filter_map(|folder| Some((folder.file_name()?.to_str()?.to_owned(), folder)))
        .filter(|(name, _)| after.is_none_or(|cursor| *name < cursor.0))
        .collect();
    // Names start with the time, so the newest is first.
    folders.sort_unstable_by(|a, b| b.0.cmp(&a.0));

    let named = filter.folders(sessions);
    let mut page = Vec::new();
    let mut last = None;
    for (name, folder) in folders {
        if page.len() == limit {
            return Ok((page, last.map(Cursor)));
        }
        // A directory without a readable journal is not a session, or incomplete.
        let Some(summary) = summary(&folder) else { continue };
        if filter.takes(named.as_deref(), &summary) {
            page.push(summary);
            last = Some(name);
        }
    }
    Ok((page, None))
}

/// Returns the newest sessions whose id has this prefix, without those of sub-agents. Ids are those of the directory names.
pub(super) fn newest(
    sessions: &Path,
    prefix: &str,
    limit: usize,
) -> Result<Vec<SessionSummary>, Error> {
    /// How many directories are read for each session that is wanted; most sub-agents are next to their parent.
    const READ_PER_SESSION: usize = 4;
    let has_prefix = |id: &SessionId| id.as_str().starts_with(prefix);
    let mut folders: Vec<(String, SessionId, PathBuf)> = folders(sessions)?
        .into_iter()
        .filter_map(|folder| {
            let id = session_of(&folder).filter(has_prefix)?;
            Some((folder.file_name()?.to_str()?.to_owned(), id, folder))
        })
        .collect();
    folders.sort_unstable_by(|a, b| b.0.cmp(&a.0));
    let read = folders.into_iter().take(limit.saturating_mul(READ_PER_SESSION));
    let found = read.filter_map(|(_, session_id, folder)| {
        let summary = summary(&folder).filter(|summary| summary.parent.is_none())?;
        Some(SessionSummary { session_id, ..summary })
    });
    Ok(found.take(limit).collect())
}

/// Returns the session summary for a directory.
pub(super) fn summary(folder: &Path) -> Option<SessionSummary> {
    let path = folder.join(FILE);
    let header = read_header(&path).ok()?;
    let modified = fs::metadata(&path).and_then(|meta| meta.modified()).ok()?;
    let updated_ms = modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let title = title::read(folder);
    let Beginning { title: first, parent, forked_from } = beginning(&path, title.is_some());
    let title = title.filter(|title| !title.is_empty()).or(first);
    Some(SessionSummary {
        session_id: header.session_id,
        cwd: header.cwd,
        title,
        created_ms: header.created_ms,
        updated_ms: u64::try_from(updated_ms).unwrap_or(u64::MAX),
        path: folder.display().to_string(),
        parent,
        forked_from,
        archived: archive::is_archived(folder),
    })
}

/// Returns the first line of a message as a title.
fn first_line(content: &[Input]) -> Option<String> {
    content.iter().find_map(|block| {
        let first = block.as_typed()?.lines().find(|line| !line.trim().is_empty())?;
        Some(first.trim().chars().take(TITLE_CHARS).collect())
    })
}

/// Information from a journal's first lines.
#[derive(Debug, Default)]
struct Beginning {
    /// The original title, unless it was changed, or else the first prompt's start.
    title: Option<String>,
    /// The parent, for a sub-agent.
    parent: Option<Parent>,
    /// The original, for a fork.
    forked_from: Option<SessionId>,
}

fn beginning(journal: &Path, is_retitled: bool) -> Beginning {
    let mut found = Beginning::default();
    let Ok(file) = private_files::open(journal) else { return found };
    let lines = BufReader::new(file.take(MAX_BEGINNING_BYTES))
        .lines()
        .skip(1)
        .take(TITLE_LINES)
        .map_while(Result::ok);
    for record in lines.filter_map(|line| entry::parse(&line).ok()?.record) {
        found.title = match record.event {
            Event::SessionCreated(created) => {
                found.parent = created.parent;
                found.forked_from = created.forked_from.map(|from| from.session_id);
                created.title.filter(|_| !is_retitled)
            }
            Event::InputAccepted(input) => first_line(&input.content),
            // A fork starts with copied messages, but without the events that recorded their arrival.
            Event::ItemCompleted { item } => {
                item.body.as_user_message().and_then(|message| first_line(&message.content))
            }
            _ => None,
        };
        if found.title.is_some() {
            break;
        }
    }
    found
}
