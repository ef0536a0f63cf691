//! `pintle trust`: the folders that a person trusts.

use crate::ambient::Ambient;
use crate::cli::args::Trust;
use crate::cli::assemble;
use crate::text::screen;
use crate::text::visible::visible_line;
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Trusts a folder, or lists those that are trusted.
pub(crate) fn run(wanted: &Trust, ambient: &Ambient) -> anyhow::Result<u8> {
    let config = assemble::load_config(&crate::cli::args::Settings::default(), ambient)?;
    let answers = assemble::answers(&config);
    let mut out = screen::out();
    if wanted.list {
        let kept = answers.load()?;
        for trusted in &kept.trusted {
            writeln!(out, "{}", visible_line(&trusted.path.to_string_lossy()))?;
        }
        for kept in &kept.rules {
            let place = kept.workspace.as_deref().map(Path::to_string_lossy);
            let place = place.map_or("everywhere".to_owned(), |place| format!("in {place}"));
            writeln!(out, "{} {}", visible_line(&kept.rule.to_string()), visible_line(&place))?;
        }
        if kept.trusted.is_empty() && kept.rules.is_empty() {
            writeln!(out, "no folder is trusted; `pintle trust` in a folder trusts it")?;
        }
        return Ok(0);
    }
    let here = ambient.current_dir()?;
    let named = wanted.folder.as_ref().map_or(here.clone(), |named| here.join(named));
    let folder = if wanted.revoke { resolve(&named) } else { assemble::folder(&named)? };
    let folder = if wanted.folder.is_none() { assemble::project(&folder) } else { folder };
    let has_changed = answers
        .set_trusted(&folder, !wanted.revoke)
        .with_context(|| "the answer could not be kept")?;
    let shown = visible_line(&folder.to_string_lossy()).into_owned();
    let text = match (wanted.revoke, has_changed) {
        (false, true) => format!("{shown} is trusted from the next turn on"),
        (false, false) => format!("{shown} was trusted already"),
        (true, true) => format!("{shown} is not trusted any more"),
        (true, false) => {
            format!("{shown} was not trusted by itself; `pintle trust --list` shows what is")
        }
    };
    writeln!(out, "{text}")?;
    Ok(0)
}

/// A folder that may not exist any more.
fn resolve(path: &Path) -> PathBuf {
    assemble::folder(path).unwrap_or_else(|_| path.to_owned())
}
