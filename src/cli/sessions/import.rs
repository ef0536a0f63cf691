//! `pintle sessions import`: session files of other programs become our sessions.
//!
//! Invariant: a file is imported whole or not at all, and is left unchanged.
#![expect(clippy::disallowed_methods, reason = "reads files that a person names")]

use super::StoreCommands;
use super::terminal::one_line;
use crate::cli::args::Importing;
use crate::cli::assemble;
use anyhow::Context;
use pintle_agent::save_imported;
use pintle_base::text::screen;
use pintle_protocol::ids::SessionId;
use pintle_session::pi;
use std::fs;
use std::io::Write;
use std::path::Path;

impl StoreCommands<'_> {
    pub(super) fn import(&self, wanted: &Importing) -> anyhow::Result<u8> {
        let cwd = match &wanted.directory {
            None => None,
            Some(folder) => Some(assemble::folder(&self.ambient.absolute(folder)?)?),
        };
        let cwd = cwd.map(|cwd| cwd.to_string_lossy().into_owned());
        for file in &wanted.files {
            let id = self.import_file(file, cwd.as_deref(), wanted.again)?;
            writeln!(screen::out(), "{id}")?;
        }
        Ok(0)
    }

    /// Returns a file's session, which is an earlier one if the file was imported before.
    fn import_file(
        &self,
        file: &Path,
        cwd: Option<&str>,
        again: bool,
    ) -> anyhow::Result<SessionId> {
        let name = file.display();
        let path = self.ambient.absolute(file)?;
        let bytes = fs::read(&path).with_context(|| format!("cannot read {name}"))?;
        // An invalid byte damages only its line, not the file.
        let text = String::from_utf8_lossy(&bytes);
        let read = pi::read(&text).with_context(|| format!("{name} is not a Pi session file"))?;
        let imported = pi::import(&read, cwd, &mut || self.ambient.new_id());
        let mut err = screen::err();
        if !again && let Some(earlier) = self.imported_before(&imported.pi_id)? {
            writeln!(
                err,
                "pintle: skipped {name}, which was imported before; use --again to import it again"
            )?;
            return Ok(earlier);
        }
        for warning in &imported.warnings {
            writeln!(err, "pintle: {name}: {}", one_line(warning))?;
        }
        if !Path::new(&imported.cwd).is_dir() {
            let cwd = one_line(&imported.cwd);
            writeln!(
                err,
                "pintle: {name}: its directory {cwd} does not exist; to continue the session, import it with --directory DIR"
            )?;
        }
        let id = SessionId::new(self.ambient.new_id());
        save_imported(&self.store, imported, &id)
            .with_context(|| format!("failed to import {name}"))?;
        Ok(id)
    }

    /// Returns the session that this Pi session was imported as before.
    fn imported_before(&self, pi_id: &str) -> anyhow::Result<Option<SessionId>> {
        for id in self.store.ids()? {
            let Ok(mut entries) = self.store.entries(&id) else { continue };
            let first = entries.next().and_then(Result::ok).and_then(|entry| entry.private);
            let first =
                first.and_then(|raw| serde_json::from_str::<serde_json::Value>(raw.get()).ok());
            if first.is_some_and(|first| first.pointer("/pi/id").is_some_and(|id| id == pi_id)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }
}
