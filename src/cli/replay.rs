//! `pintle replay`: a stored session's header and events, as `pintle run --format events` printed them. It needs only the store.

use crate::cli::args;
use crate::cli::assemble;
use crate::cli::sessions;
use anyhow::Context;
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_frontend::run::{EventFilter, header};
use pintle_protocol::ids::SessionId;
use pintle_session::store::Store;
use serde::Deserialize;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

pub(crate) fn run(wanted: &args::Replay, ambient: &Ambient) -> anyhow::Result<u8> {
    let filter = EventFilter::new(&wanted.events).context("--events")?;
    let config = assemble::load_config(&args::Settings::default(), ambient)?;
    let store = Store::new(&config.folders.data);
    let id = sessions::named(&store, &wanted.session, ambient)?;
    match print(&store, &id, &filter) {
        // The reader has stopped early: `pintle replay last | head`.
        Err(error) if sessions::is_broken_pipe(&error) => Ok(0),
        printed => printed.map(|()| 0),
    }
}

/// An event's type.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    event: Kind<'a>,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
}

fn print(store: &Store, id: &SessionId, filter: &EventFilter) -> anyhow::Result<()> {
    let events = store.texts(id)?;
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", header(id.clone(), events.header().cwd.clone()))?;
    for event in events {
        let event = event?;
        let record = serde_json::from_str::<Record<'_>>(event.get()).ok();
        let kind = record.map(|record| record.event.kind).unwrap_or_default();
        // A run begins to listen once its session is there, and no longer does when it is closed.
        if matches!(kind.as_ref(), "session.created" | "session.closed") {
            continue;
        }
        if filter.lets_through(event.get()) {
            writeln!(out, "{}", screen::escaped(event.get()))?;
        }
    }
    out.flush()?;
    Ok(())
}
