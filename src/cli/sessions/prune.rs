//! `pintle sessions prune`, and the automatic pruning once a day: sessions beyond the configured limits are deleted, and the deletions reported.

use super::terminal::{confirm, one_line, plural, size, time};
use super::{NOTHING, StoreCommands};
use crate::cli::args::Pruning;
use pintle_agent::config::{Config, SessionSettings};
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_session::store::retention::{Family, Policy, Reason};
use pintle_session::store::{self, Store};
use std::io::Write;

fn policy(settings: &SessionSettings) -> Policy {
    Policy {
        days: settings.keep_days.map(|days| days.get().into()),
        count: settings.keep_count.and_then(|count| usize::try_from(count.get()).ok()),
        bytes: settings.max_mb.map(|mb| u64::from(mb.get()) * 1024 * 1024),
    }
}

impl StoreCommands<'_> {
    pub(super) fn prune(&self, wanted: &Pruning, config: &Config) -> anyhow::Result<u8> {
        let mut err = screen::err();
        if config.settings.sessions == SessionSettings::default() {
            writeln!(
                err,
                "pintle: no limits set: add keep_days, keep_count or max_mb under [sessions] to {}",
                config.folders.config_file.display()
            )?;
            return Ok(NOTHING);
        }
        self.read_all()?;
        let deletions =
            self.store.exceeding(&policy(&config.settings.sessions), self.ambient.now_ms())?;
        if deletions.is_empty() {
            writeln!(err, "pintle: no session exceeds the configured limits")?;
            return Ok(0);
        }
        let mut out = screen::out();
        for (family, reason) in &deletions {
            writeln!(out, "{}", describe(family, *reason))?;
        }
        if wanted.dry_run {
            return Ok(0);
        }
        if !wanted.yes {
            let count = plural(deletions.len() as u64, "session");
            let question = format!("Permanently delete {count}?");
            if !confirm(&question, "nothing deleted")? {
                writeln!(err, "Nothing deleted.")?;
                return Ok(NOTHING);
            }
        }
        for (family, _) in &deletions {
            match self.store.delete(&family.session_id) {
                Ok(gone) => {
                    for id in gone {
                        writeln!(out, "deleted {id}")?;
                    }
                }
                // Opened or deleted by another process meanwhile.
                Err(error @ (store::Error::Locked { .. } | store::Error::NotFound(_))) => {
                    writeln!(err, "pintle: {error}; not deleted")?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(0)
    }
}

/// Deletes sessions beyond the configured limits, at most once a day, and reports them. Failures are logged only.
pub(crate) fn prune_if_due(config: &Config, ambient: &Ambient) {
    if config.settings.sessions == SessionSettings::default() {
        return;
    }
    let store = Store::new(&config.folders.data);
    let now_ms = ambient.now_ms();
    if !store.is_prune_due(now_ms) {
        return;
    }
    let deletions = match store.exceeding(&policy(&config.settings.sessions), now_ms) {
        Ok(deletions) => deletions,
        Err(error) => return tracing::warn!("failed to check session limits: {error}"),
    };
    for (family, reason) in deletions {
        match store.delete(&family.session_id) {
            Ok(_) => {
                let text = format!("pintle: deleted {}\n", describe(&family, reason));
                let _ = screen::err().write_all(text.as_bytes());
            }
            Err(store::Error::Locked { .. } | store::Error::NotFound(_)) => {}
            Err(error) => tracing::warn!("failed to delete session {}: {error}", family.session_id),
        }
    }
}

/// Describes a session to delete, on one line.
fn describe(family: &Family, reason: Reason) -> String {
    let why = match reason {
        Reason::Days => "keep_days",
        Reason::Count => "keep_count",
        Reason::Bytes => "max_mb",
    };
    let title = family.title.as_deref().map_or_else(|| "(no title)".to_owned(), one_line);
    let updated = time(family.updated_ms);
    format!("{}  {updated}  {title} ({}, {why})", family.session_id, size(family.bytes))
}
