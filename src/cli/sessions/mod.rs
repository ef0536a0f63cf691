//! `pintle sessions`: stored sessions, for a user at a terminal and, with `--json`, for scripts.
//!
//! The commands here need only the store: neither an engine nor a model. Commands that change a session go through an engine (`history`).

mod export;
pub(crate) mod history;
mod import;
mod prune;
mod terminal;
mod transcript;

pub(crate) use transcript::{drawn, lines};

pub(crate) use prune::prune_if_due;

use crate::cli::args::{self, Archiving, Deletion, Listing, Search, Showing, Stored as Task};
use crate::cli::assemble;
use anyhow::Context;
use pintle_base::ambient::Ambient;
use pintle_base::text::money::usd;
use pintle_base::text::screen::{self, Screen};
use pintle_protocol::event::EventRecord;
use pintle_protocol::ids::SessionId;
use pintle_protocol::search::{SearchHit, SessionSearchParams, SnippetPiece};
use pintle_session::store::index::Stored;
use pintle_session::store::{Filter, IsolatedFolder, JournalReport, Store};
use serde_json::{json, value::RawValue};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
pub(crate) use terminal::one_line;
use terminal::{confirm, parse_time, plural, size, time};

/// The exit code when there is nothing to print.
const NOTHING: u8 = 1;

/// The exit code when something is wrong.
const WRONG: u8 = 2;

/// Names the newest session in the current directory.
pub(crate) const LAST: &str = "last";

/// Minimum length of printed ids; longer if that is needed to distinguish two sessions.
const SHORT_ID: usize = 8;

/// The number of events that are read at once.
const PAGE: usize = 500;

pub(crate) fn run(task: Task, ambient: &Ambient) -> anyhow::Result<u8> {
    let config = assemble::load_config(&args::Settings::default(), ambient)?;
    let sessions = StoreCommands { store: Store::new(&config.folders.data), ambient };
    let done = match task {
        Task::List(wanted) => sessions.list(&wanted),
        Task::Show(wanted) => sessions.show(&wanted),
        Task::Search(wanted) => sessions.search(&wanted),
        Task::Export(wanted) => sessions.export(&wanted),
        Task::Import(wanted) => sessions.import(&wanted),
        Task::Archive(wanted) => sessions.archive(&wanted),
        Task::Delete(wanted) => sessions.delete(&wanted),
        Task::Prune(wanted) => sessions.prune(&wanted, &config),
        Task::Reindex => sessions.reindex(),
        Task::Doctor { json } => sessions.doctor(json),
    };
    // The reader has stopped early: `pintle sessions list | head`.
    match done {
        Err(error) if is_broken_pipe(&error) => Ok(0),
        done => done,
    }
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.downcast_ref::<io::Error>().is_some_and(is_pipe)
}

struct StoreCommands<'a> {
    store: Store,
    ambient: &'a Ambient,
}

impl StoreCommands<'_> {
    fn list(&self, wanted: &Listing) -> anyhow::Result<u8> {
        let filter = Filter {
            cwd: self.folder(wanted.directory.as_deref())?,
            subagents: wanted.subagents,
            query: wanted.query.clone(),
            archived: Some(wanted.archived),
        };
        self.read_all()?;
        let stored = self.store.index().stored(&filter, wanted.limit)?;
        let mut out = screen::out();
        if wanted.json {
            for one in &stored {
                let bytes = self.store.session_bytes(&one.summary.path);
                writeln!(out, "{}", screen::escaped(&listed_as_json(one, bytes)?))?;
            }
            return Ok(0);
        }
        if stored.is_empty() {
            writeln!(screen::err(), "pintle: no matching sessions")?;
            return Ok(NOTHING);
        }
        let short = self.id_length()?;
        for one in stored {
            let Stored { summary, turns, cost_nano_usd, state, .. } = one;
            let id: String = summary.session_id.as_str().chars().take(short).collect();
            let title = summary.title.as_deref().map_or_else(|| "(no title)".to_owned(), one_line);
            let cost = cost_nano_usd.map(|cost| format!(", {}", usd(cost))).unwrap_or_default();
            let mark = if state == "running" { ", running" } else { "" };
            let agent = if summary.parent.is_some() { ", sub-agent" } else { "" };
            let updated = time(summary.updated_ms);
            let turns = plural(turns, "turn");
            let cwd = one_line(&summary.cwd);
            writeln!(out, "{id}  {updated}  {title}")?;
            writeln!(out, "{:short$}  {cwd} ({turns}{cost}{mark}{agent})", "")?;
        }
        Ok(0)
    }

    fn show(&self, wanted: &Showing) -> anyhow::Result<u8> {
        let id = self.named(&wanted.id)?;
        let mut out = screen::out();
        if wanted.range.from.is_some() || wanted.range.to.is_some() {
            let (after, before) = history::range(&self.store, &id, &wanted.range)?;
            return self.print_between(&id, after, before, wanted.json, &mut out);
        }
        if !wanted.json {
            self.head(&id, &mut out)?;
        }
        if wanted.all {
            return self.print_between(&id, 0, u64::MAX, wanted.json, &mut out);
        }
        let before = match wanted.at {
            None => u64::MAX,
            Some(at) => at.saturating_add(wanted.tail.div_ceil(2) as u64),
        };
        let page = self.store.page_before(&id, before, wanted.tail)?;
        if page.more && !wanted.json {
            writeln!(out, "(use --all for earlier events)")?;
        }
        print(&page.events, wanted.json, &mut out)?;
        Ok(0)
    }

    fn print_between(
        &self,
        id: &SessionId,
        mut after: u64,
        before: u64,
        json: bool,
        out: &mut impl Write,
    ) -> anyhow::Result<u8> {
        loop {
            let mut page = self.store.page(id, after, PAGE)?;
            page.events.retain(|event| seq_of(event).is_none_or(|seq| seq < before));
            print(&page.events, json, out)?;
            after = page.last;
            if !page.more || after >= before {
                return Ok(0);
            }
        }
    }

    fn head(&self, id: &SessionId, out: &mut impl Write) -> anyhow::Result<()> {
        let filter = Filter { subagents: true, ..Filter::default() };
        let (all, _) = self.store.list(&filter, None, usize::MAX)?;
        let Some(summary) = all.into_iter().find(|one| one.session_id == *id) else {
            return Ok(());
        };
        let title = summary.title.as_deref().map_or_else(|| "(no title)".to_owned(), one_line);
        writeln!(out, "session    {id}")?;
        writeln!(out, "title      {title}")?;
        writeln!(out, "directory  {}", one_line(&summary.cwd))?;
        if let Some(parent) = &summary.parent {
            writeln!(out, "parent     {}, as {}", parent.session_id, parent.agent_id)?;
        }
        let (made, last) = (time(summary.created_ms), time(summary.updated_ms));
        writeln!(out, "created    {made}, last updated {last}")?;
        writeln!(out, "stored in  {}\n", one_line(&summary.path))?;
        Ok(())
    }

    fn search(&self, wanted: &Search) -> anyhow::Result<u8> {
        let now = self.ambient.now_ms();
        let moment =
            |text: &Option<String>| text.as_deref().map(|text| parse_time(text, now)).transpose();
        let mut params = SessionSearchParams {
            query: wanted.words.iter().map(|word| phrase(word)).collect::<Vec<_>>().join(" "),
            cwd: self.folder(wanted.directory.as_deref())?,
            session_id: wanted.session.as_deref().map(|id| self.named(id)).transpose()?,
            kinds: wanted.kind.iter().map(|kind| (*kind).into()).collect(),
            roles: wanted.role.iter().map(|role| (*role).into()).collect(),
            path: wanted.path.clone(),
            after_ms: moment(&wanted.since)?,
            before_ms: moment(&wanted.until)?,
            ..SessionSearchParams::default()
        };
        if wanted.range.from.is_some() || wanted.range.to.is_some() {
            let id = params.session_id.as_ref();
            let id = id.context("--from and --to require --session")?;
            let (after, before) = history::range(&self.store, id, &wanted.range)?;
            (params.after_seq, params.before_seq) = (Some(after), Some(before));
        }
        self.read_all()?;
        let short = self.id_length()?;
        let mut out = screen::out();
        let mut left = wanted.limit;
        let mut printed = 0;
        while left > 0 {
            let found = self.store.index().search(&params, left.min(PAGE))?;
            for hit in &found.hits {
                if wanted.json {
                    writeln!(out, "{}", screen::escaped(&serde_json::to_string(hit)?))?;
                } else {
                    print_hit(hit, short, &mut out)?;
                }
            }
            printed += found.hits.len();
            left = left.saturating_sub(found.hits.len());
            params.cursor = found.next_cursor;
            if params.cursor.is_none() {
                break;
            }
        }
        if printed == 0 {
            writeln!(screen::err(), "pintle: no matches")?;
            return Ok(NOTHING);
        }
        Ok(0)
    }

    /// Returns the sessions with these names, each once.
    fn all_named(&self, names: &[String]) -> anyhow::Result<Vec<SessionId>> {
        let mut ids = Vec::new();
        for name in names {
            let id = self.named(name)?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    fn archive(&self, wanted: &Archiving) -> anyhow::Result<u8> {
        let done = if wanted.undo { "unarchived" } else { "archived" };
        let mut out = screen::out();
        for id in self.all_named(&wanted.ids)? {
            self.store.archive(&id, !wanted.undo)?;
            writeln!(out, "{done} {id}")?;
        }
        Ok(0)
    }

    fn delete(&self, wanted: &Deletion) -> anyhow::Result<u8> {
        let ids = self.all_named(&wanted.ids)?;
        if !wanted.yes {
            let names: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
            let question = format!("Permanently delete {}?", names.join(", "));
            if !confirm(&question, "nothing deleted")? {
                writeln!(screen::err(), "Nothing deleted.")?;
                return Ok(NOTHING);
            }
        }
        let mut out = screen::out();
        for id in ids {
            // A sub-agent's session may already be gone with its parent.
            if !self.store.ids()?.contains(&id) {
                continue;
            }
            for gone in self.store.delete(&id)? {
                writeln!(out, "deleted {gone}")?;
            }
        }
        Ok(0)
    }

    fn reindex(&self) -> anyhow::Result<u8> {
        self.store.index().clear()?;
        self.read_all()?;
        let check = self.store.index().check()?;
        let (sessions, entries) =
            (plural(check.sessions, "session"), plural(check.entries, "entr"));
        writeln!(screen::out(), "indexed {sessions} with {entries}")?;
        Ok(0)
    }

    fn doctor(&self, json: bool) -> anyhow::Result<u8> {
        let reports = self.store.verify()?;
        let mut out = screen::out();
        if json {
            for report in &reports {
                writeln!(out, "{}", screen::escaped(&report_as_json(report)))?;
            }
        } else {
            for report in reports.iter().filter(|report| !report.problems.is_empty()) {
                writeln!(out, "{}", report.folder.display())?;
                for problem in &report.problems {
                    writeln!(out, "  {}", one_line(problem))?;
                }
            }
        }
        let wrong = reports.iter().filter(|report| !report.problems.is_empty()).count() as u64;
        // Checked before the index catches up, since its present state is to be reported.
        let check = self.store.index().check();
        let is_well = wrong == 0 && check.as_ref().is_ok_and(|check| check.damage.is_none());
        if !json {
            let events: u64 = reports.iter().map(|report| report.events).sum();
            let all = plural(reports.len() as u64, "session");
            writeln!(
                out,
                "journals  {all}, {} readable, {wrong} damaged",
                plural(events, "event")
            )?;
            writeln!(out, "data      {}", size(self.store.bytes()))?;
            let mut copies = self.store.all_isolated();
            copies.retain(|copy| copy.is_there || copy.is_abandoned);
            if !copies.is_empty() {
                let bytes = copies.iter().map(IsolatedFolder::bytes).sum();
                let all = plural(copies.len() as u64, "project");
                writeln!(out, "copies    {all} of isolated sessions, {}", size(bytes))?;
            }
            for copy in copies.iter().filter(|copy| copy.is_abandoned) {
                let path = one_line(&copy.path.display().to_string());
                writeln!(out, "  without a session, removed after a day: {path}")?;
            }
            match check {
                Err(error) => writeln!(out, "index     {error}")?,
                Ok(check) => match &check.damage {
                    Some(damage) => writeln!(
                        out,
                        "index     damaged: {}; run `pintle sessions reindex` to rebuild it",
                        one_line(damage)
                    )?,
                    None if check.behind.is_empty() => {
                        writeln!(out, "index     up to date: {}", plural(check.entries, "entr"))?;
                    }
                    None => writeln!(
                        out,
                        "index     {} to read, at the next list or search",
                        plural(check.behind.len() as u64, "session")
                    )?,
                },
            }
        }
        Ok(if is_well { 0 } else { WRONG })
    }

    /// Reads everything that the index has not read, and prints a message if that takes long.
    fn read_all(&self) -> anyhow::Result<()> {
        const PIECE: u64 = 64 * 1024 * 1024;
        let mut told = false;
        loop {
            let behind = self.store.index().catch_up(PIECE)?;
            if behind == 0 {
                return Ok(());
            }
            if !told {
                told = true;
                writeln!(screen::err(), "pintle: reading {} …", plural(behind, "journal"))?;
            }
        }
    }

    /// Returns a working directory as sessions name it.
    fn folder(&self, named: Option<&Path>) -> anyhow::Result<Option<String>> {
        let Some(named) = named else { return Ok(None) };
        let path = self.ambient.absolute(named)?;
        // One that is gone may have sessions all the same.
        let path = assemble::folder(&path).unwrap_or(path);
        Ok(Some(path.to_string_lossy().into_owned()))
    }

    fn named(&self, beginning: &str) -> anyhow::Result<SessionId> {
        named(&self.store, beginning, self.ambient)
    }

    /// Returns the prefix length that distinguishes all ids.
    fn id_length(&self) -> anyhow::Result<usize> {
        let ids = self.store.ids()?;
        let shared = ids.iter().zip(ids.iter().skip(1)).map(|(one, next)| {
            let pairs = one.as_str().chars().zip(next.as_str().chars());
            pairs.take_while(|(a, b)| a == b).count() + 1
        });
        Ok(shared.max().unwrap_or(0).max(SHORT_ID))
    }
}

/// Returns a directory's newest session.
pub(crate) fn newest(store: &Store, cwd: &Path) -> anyhow::Result<SessionId> {
    let cwd = cwd.to_string_lossy().into_owned();
    let filter = Filter { cwd: Some(cwd.clone()), archived: Some(false), ..Filter::default() };
    let (found, _) = store.list(&filter, None, 1)?;
    if let Some(newest) = found.into_iter().next() {
        return Ok(newest.session_id);
    }
    let archived = Filter { archived: Some(true), ..filter };
    let (archived, _) = store.list(&archived, None, 1)?;
    anyhow::ensure!(
        archived.is_empty(),
        "the sessions of {cwd} are archived: use an id from `pintle sessions list --archived`"
    );
    anyhow::bail!("no sessions in {cwd}: `pintle sessions list` lists those of other directories")
}

/// Returns the session whose id has this prefix, or the current directory's newest for `last`.
pub(crate) fn named(
    store: &Store,
    beginning: &str,
    ambient: &Ambient,
) -> anyhow::Result<SessionId> {
    if beginning == LAST {
        return newest(store, &assemble::folder(&ambient.current_dir()?)?);
    }
    let ids = store.ids()?;
    if let Some(whole) = ids.iter().find(|id| id.as_str() == beginning) {
        return Ok(whole.clone());
    }
    anyhow::ensure!(!beginning.is_empty(), "missing session: `pintle sessions list` lists them");
    let mut fitting = ids.iter().filter(|id| id.as_str().starts_with(beginning));
    let first = fitting.next().with_context(|| {
        format!(
            "no session id starts with `{beginning}`: `pintle sessions list` lists the sessions"
        )
    })?;
    let others = fitting.count();
    anyhow::ensure!(
        others == 0,
        "{} session ids start with `{beginning}`: use a longer prefix",
        others + 1
    );
    Ok(first.clone())
}

/// Formats an argument as a phrase if it contains spaces, since it was quoted for the shell then.
fn phrase(word: &str) -> String {
    let is_phrase = word.contains(char::is_whitespace) && !word.contains('"');
    if is_phrase { format!("\"{word}\"") } else { word.to_owned() }
}

fn seq_of(event: &RawValue) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Head {
        seq: u64,
    }
    serde_json::from_str(event.get()).ok().map(|Head { seq }| seq)
}

fn print(events: &[Box<RawValue>], json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    for event in events {
        if json {
            writeln!(out, "{}", screen::escaped(event.get()))?;
        } else if let Ok(record) = serde_json::from_str::<EventRecord>(event.get())
            && let Some(text) = transcript::lines(&record)
        {
            writeln!(out, "{text}")?;
        }
    }
    Ok(())
}

fn print_hit(hit: &SearchHit, short: usize, out: &mut Screen<io::Stdout>) -> anyhow::Result<()> {
    let id: String = hit.session_id.as_str().chars().take(short).collect();
    let title = hit.title.as_deref().map_or_else(|| one_line(&hit.cwd), one_line);
    let role = match hit.role {
        pintle_protocol::search::EntryRole::User => ">",
        pintle_protocol::search::EntryRole::Assistant => " ",
        pintle_protocol::search::EntryRole::Tool => "*",
    };
    writeln!(out, "{id} --at {:<6} {}  {title}", hit.seq, time(hit.ts_ms))?;
    write!(out, "  {role} ")?;
    let is_marked = std::io::stdout().is_terminal();
    for SnippetPiece { text, is_match } in &hit.snippet {
        let is_bold = *is_match && is_marked;
        if is_bold {
            out.raw().write_all(b"\x1b[1m")?;
        }
        write!(out, "{}", transcript::drawn(text))?;
        if is_bold {
            out.raw().write_all(b"\x1b[0m")?;
        }
    }
    writeln!(out)?;
    Ok(())
}

fn listed_as_json(stored: &Stored, bytes: u64) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(&stored.summary)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("entries".to_owned(), json!(stored.entries));
        fields.insert("turns".to_owned(), json!(stored.turns));
        fields.insert("state".to_owned(), json!(stored.state));
        fields.insert("bytes".to_owned(), json!(bytes));
        if let Some(cost) = stored.cost_nano_usd {
            fields.insert("costNanoUsd".to_owned(), json!(cost));
            fields.insert("costUsd".to_owned(), json!(pintle_protocol::content::usd(cost)));
        }
    }
    Ok(value.to_string())
}

fn report_as_json(report: &JournalReport) -> String {
    json!({
        "sessionId": report.session_id,
        "path": report.folder.display().to_string(),
        "events": report.events,
        "problems": report.problems,
    })
    .to_string()
}
