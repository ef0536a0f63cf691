//! `pintle replay`: the header and the events of a stored session, as `pintle run --format events` printed them. It needs the store alone.

use crate::args;
use crate::assemble;
use crate::sessions;
use anyhow::Context;
use pintle::ambient::Ambient;
use pintle::frontend::run::{EventFilter, header};
use pintle::store::Store;
use pintle_protocol::event::Event;
use pintle_protocol::ids::SessionId;
use std::io::{self, BufWriter, Write};

pub(crate) fn run(wanted: &args::Replay, ambient: &Ambient) -> anyhow::Result<u8> {
    let filter = EventFilter::new(&wanted.events).context("--events")?;
    let config = assemble::load_config(&args::Settings::default(), ambient)?;
    let store = Store::new(&config.folders.data);
    let id = match wanted.session.as_str() {
        "last" => {
            let cwd = assemble::folder(&ambient.current_dir()?)?;
            SessionId::new(sessions::newest(&store, &cwd)?)
        }
        named => sessions::named(&store, named)?,
    };
    match print(&store, &id, &filter) {
        // Whoever reads has seen enough: `pintle replay last | head`.
        Err(error) if sessions::is_broken_pipe(&error) => Ok(0),
        printed => printed.map(|()| 0),
    }
}

fn print(store: &Store, id: &SessionId, filter: &EventFilter) -> anyhow::Result<()> {
    let entries = store.entries(id)?;
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", header(id.clone(), entries.header().cwd.clone()))?;
    for entry in entries {
        let entry = entry?;
        // A run begins to listen once its session is there, and no longer does when it is closed.
        let event = entry.record.as_ref().map(|record| &record.event);
        if matches!(event, Some(Event::SessionCreated { .. } | Event::SessionClosed { .. })) {
            continue;
        }
        if filter.lets_through(entry.wire.get()) {
            writeln!(out, "{}", entry.wire.get())?;
        }
    }
    out.flush()?;
    Ok(())
}
