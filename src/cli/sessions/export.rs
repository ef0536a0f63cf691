//! `pintle sessions export`: writes a session to a file that the user chooses.
//!
//! Invariant: an existing file is left unchanged unless overwriting was requested, and none is half written.

use super::StoreCommands;
use crate::cli::args::Exporting;
use anyhow::Context;
use pintle_base::text::screen;
use pintle_os::{file, replace};
use pintle_session::export;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

impl StoreCommands<'_> {
    pub(super) fn export(&self, wanted: &Exporting) -> anyhow::Result<u8> {
        let id = self.named(&wanted.id)?;
        let format = wanted.format.into();
        if wanted.output.as_deref() == Some(Path::new("-")) {
            let mut out = BufWriter::new(screen::content());
            written(export::write(&self.store, &id, format, &mut out))?;
            out.flush()?;
            return Ok(0);
        }
        let name = match &wanted.output {
            Some(path) => path.clone(),
            None => PathBuf::from(export::file_name(&self.store, &id, format)?),
        };
        let path = self.ambient.absolute(&name)?;
        // Looked at before the work; the rename below looks again.
        let is_there = path.symlink_metadata().is_ok();
        anyhow::ensure!(wanted.force || !is_there, "{}", there(&name));
        let folder = path.parent().context("expected a file, not a directory")?;
        let file = file::as_usual_file(tempfile::Builder::new().prefix(".pintle-export-"))
            .tempfile_in(folder)
            .with_context(|| format!("cannot write {}", folder.display()))?;
        let mut out = BufWriter::new(file);
        written(export::write(&self.store, &id, format, &mut out))
            .with_context(|| format!("failed to write {}", name.display()))?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        persist(file, &path, &name, wanted.force)?;
        writeln!(screen::out(), "{}", name.display())?;
        Ok(0)
    }
}

/// Separates output errors from store errors: it is not an error if the reader of stdout stops reading.
fn written(done: Result<(), export::Error>) -> anyhow::Result<()> {
    match done {
        Ok(()) => Ok(()),
        Err(export::Error::Write(error)) => Err(error.into()),
        Err(export::Error::Store(error)) => Err(error.into()),
    }
}

fn persist(file: NamedTempFile, path: &Path, name: &Path, force: bool) -> anyhow::Result<()> {
    if force {
        anyhow::ensure!(!path.is_dir(), "{} is a directory; expected a file", name.display());
        replace::put(file, path, &mut None)
            .with_context(|| format!("failed to write {}", name.display()))?;
        return Ok(());
    }
    match replace::put_new(file, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => anyhow::bail!(there(name)),
        put => put.with_context(|| format!("failed to write {}", name.display())),
    }
}

fn there(name: &Path) -> String {
    format!(
        "{} already exists; use --force to overwrite it, or --output to choose another file",
        name.display()
    )
}
