//! `--record` and `--replay`: a file answers requests in order, a directory by their content.
//!
//! A replay from a directory uses the recording's time, and the replay of one task counts its ids, so that it prints the same events each
//! time.

use crate::cli::args::Settings;
use anyhow::{Context, bail};
use jiff::Timestamp;
use pintle_agent::config::Config;
use pintle_base::ambient::Ambient;
use pintle_llm::Wire;
use pintle_llm::cassette::{self, Canonical, Record, Replay, ReplayFolder};
use pintle_os::names;
use pintle_session::store::Store;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One day, in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Maximum number of replays of one recording in a data directory: each counts its ids in a separate series.
const MAX_SERIES: u16 = 4096;

/// Returns true if the path of `--record` or `--replay` is a directory: one that exists, or ends with a slash.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Returns the transport to models: recorded, replayed, or this one.
pub(crate) fn wire(
    settings: &Settings,
    config: &Config,
    ambient: &Ambient,
    http: impl FnOnce() -> Arc<dyn Wire>,
) -> anyhow::Result<Arc<dyn Wire>> {
    Ok(match (&settings.replay, &settings.record) {
        (Some(folder), _) if is_folder(folder) => {
            let ambient = clock(settings, ambient)?;
            let canonical = canonical(settings, config, &ambient, &[ambient.now_ms()])?;
            Arc::new(ReplayFolder::load(folder, canonical)?)
        }
        (Some(file), _) => Arc::new(Replay::load(file)?),
        (None, Some(folder)) if is_folder(folder) => {
            cassette::create_folder(folder, ambient.now_ms())?;
            // A session of an earlier day keeps the date of that day in its prompt.
            let times = [cassette::recorded_at(folder)?, ambient.now_ms()];
            let canonical = canonical(settings, config, ambient, &times)?;
            Arc::new(Record::in_folder(http(), folder, canonical))
        }
        (None, Some(file)) => Arc::new(Record::new(http(), file)),
        (None, None) => http(),
    })
}

/// Returns the rules for canonical requests: directories, and the dates of these times, differ between two runs of one task.
fn canonical(
    settings: &Settings,
    config: &Config,
    ambient: &Ambient,
    times: &[u64],
) -> anyhow::Result<Canonical> {
    let mut folders: Vec<(&str, PathBuf)> = Vec::new();
    let here = ambient.current_dir()?;
    let named = settings.one_task.iter().flatten().chain([&here]);
    for folder in named {
        let real = names::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        folders.extend([("folder", real), ("folder", folder.clone())]);
    }
    folders.push(("data", config.folders.data.clone()));
    folders.extend(ambient.home().map(|home| ("home", home)));
    let folders: Vec<(&str, &Path)> =
        folders.iter().map(|(name, folder)| (*name, folder.as_path())).collect();
    // A recording may continue past midnight.
    let dates: Vec<String> =
        times.iter().flat_map(|ms| [*ms, ms.saturating_add(DAY_MS)]).map(date).collect();
    Ok(Canonical::new(&folders, &dates))
}

/// Formats a time's date as prompts do.
fn date(ms: u64) -> String {
    let time = i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    time.unwrap_or_default().strftime("%Y-%m-%d").to_string()
}

/// Returns a stopped clock for a replay from a directory; otherwise this one.
fn clock(settings: &Settings, ambient: &Ambient) -> anyhow::Result<Ambient> {
    match &settings.replay {
        Some(folder) if is_folder(folder) => {
            Ok(ambient.at(cassette::recorded_at(folder).context("--replay")?))
        }
        _ => Ok(ambient.clone()),
    }
}

/// Returns the clock and ids of an engine that keeps its sessions in this store.
pub(crate) fn ambient(
    settings: &Settings,
    store: &Store,
    ambient: &Ambient,
) -> anyhow::Result<Ambient> {
    let clock = clock(settings, ambient)?;
    let is_replay = settings.replay.as_deref().is_some_and(is_folder);
    if !(is_replay && settings.one_task.is_some()) {
        return Ok(clock);
    }
    let known = store.ids()?;
    for series in 0..MAX_SERIES {
        let (counted, prefix) = clock.counted(series);
        if !known.iter().any(|id| id.as_str().starts_with(&prefix)) {
            return Ok(counted);
        }
    }
    bail!(
        "--replay: this directory already has {MAX_SERIES} replay sessions; delete some with `pintle sessions delete`, or set PINTLE_HOME to an empty directory"
    )
}
