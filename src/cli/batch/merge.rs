//! `pintle batch merge`: merges the results directories of shards into one, which has the rows of one run, and can be continued.
//!
//! Invariant: the new directory is there whole or not at all, and the old ones are only read.
#![expect(clippy::disallowed_methods, reason = "results folders are named by a person")]

use super::folder::{Manifest, Results, SUMMARY, TaskResult, USAGE, is_finished, write_json};
use super::print_summary;
use super::summary::{Row, Summary};
use crate::cli::args::batch::{Merge, Shard};
use anyhow::{Context, bail, ensure};
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_os::{file, replace};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn run(wanted: &Merge, ambient: &Ambient) -> anyhow::Result<u8> {
    let here = ambient.current_dir()?;
    let out = here.join(&wanted.out);
    let is_free = match fs::read_dir(&out) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    ensure!(
        is_free,
        "--out {} already exists; choose a new directory, or remove it",
        out.display()
    );
    let mut parts = Vec::new();
    for folder in &wanted.folders {
        let results = Results::at(here.join(folder));
        // A batch that still writes to it would be cut in the middle.
        let held = results.hold_existing()?;
        let manifest = results.manifest()?;
        parts.push(Part { shown: folder.display().to_string(), results, manifest, _held: held });
    }
    let manifest = joined(&parts)?;
    let mut conflicts = Vec::new();
    let mut chosen: Vec<(PathBuf, TaskResult)> = Vec::new();
    let mut rows = Vec::new();
    for mark in &manifest.tasks {
        let found = parts.iter().filter_map(|part| {
            let result = part.results.result(&mark.id)?;
            (result.task.digest == mark.digest).then_some((part, result))
        });
        let best = choose(found, &mark.id, &mut conflicts);
        rows.push(Row::new(mark.clone(), best.as_ref().map(|(_, result)| result)));
        chosen.extend(best.map(|(part, result)| (part.results.folder(&mark.id), result)));
    }
    ensure!(
        conflicts.is_empty(),
        "nothing merged:\n  {}\n  merge only one directory with such a task, or remove the task's directory from the others",
        conflicts.join("\n  ")
    );
    let summary = Summary::new(&manifest, rows, None);
    write(&out, &parts, &manifest, &chosen, &summary)?;
    tell_missing(&parts);
    print_summary(&summary, wanted.format);
    Ok(summary.exit_code)
}

/// A directory to merge.
struct Part {
    /// Its path as it was given.
    shown: String,
    results: Results,
    manifest: Manifest,
    _held: super::folder::Held,
}

/// Returns the whole list's manifest.
fn joined(parts: &[Part]) -> anyhow::Result<Manifest> {
    let Some((first, others)) = parts.split_first() else { bail!("no directories to merge") };
    for other in others {
        ensure!(
            other.manifest.list == first.manifest.list,
            "{} and {} belong to different lists; rerun the shards of one list, which skips finished tasks",
            first.shown,
            other.shown
        );
    }
    Ok(Manifest { shard: None, ..first.manifest.clone() })
}

/// Chooses among a task's results: a finished one before an unfinished one. Two finished ones that differ are a conflict.
fn choose<'a>(
    found: impl Iterator<Item = (&'a Part, TaskResult)>,
    id: &str,
    conflicts: &mut Vec<String>,
) -> Option<(&'a Part, TaskResult)> {
    let mut best: Option<(&Part, TaskResult)> = None;
    for (part, result) in found {
        let is_final = |result: &TaskResult| result.result().is_some_and(is_finished);
        match &best {
            Some((other, kept)) if is_final(kept) && is_final(&result) && *kept != result => {
                conflicts.push(format!(
                    "{id} has different results in {} and {}",
                    other.shown, part.shown
                ));
            }
            Some((_, kept)) if is_final(kept) || !is_final(&result) => {}
            Some(_) | None => best = Some((part, result)),
        }
    }
    best
}

/// Writes the new directory under a temporary name, and then renames it.
fn write(
    out: &Path,
    parts: &[Part],
    manifest: &Manifest,
    chosen: &[(PathBuf, TaskResult)],
    summary: &Summary,
) -> anyhow::Result<()> {
    let shown = out.display();
    let parent = out.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).with_context(|| format!("--out {shown}"))?;
    let made = pintle_base::private_files::temporary_folder_in(".pintle-merge-", parent);
    let made = made.with_context(|| format!("--out {shown}"))?;
    for (from, result) in chosen {
        let to = made.path().join(&result.task.id);
        copy_files(from, &to).with_context(|| format!("copying {}", from.display()))?;
    }
    write_json(&made.path().join(super::folder::LIST), manifest)?;
    let mut ledger = Results::at(made.path().to_owned()).ledger()?;
    for used in parts.iter().flat_map(|part| part.results.used()) {
        super::folder::append_usage(&mut ledger, used).context(USAGE)?;
    }
    write_json(&made.path().join(SUMMARY), summary)?;
    file::set_mode(made.path(), 0o755)?;
    // An empty directory is replaced.
    replace::rename(made.path(), out).with_context(|| format!("--out {shown}"))?;
    Ok(())
}

/// Copies the regular files in a task's directory. Links are left out, since they lead elsewhere.
fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Names the shards that are missing from the directories; their tasks are in the table as not run.
fn tell_missing(parts: &[Part]) {
    let shards: Vec<Shard> =
        parts.iter().filter_map(|part| part.manifest.shard.as_deref()?.parse().ok()).collect();
    let Some(count) = shards.first().map(|shard| shard.count) else { return };
    if shards.len() < parts.len() || shards.iter().any(|shard| shard.count != count) {
        return;
    }
    let there: BTreeSet<usize> = shards.iter().map(|shard| shard.index).collect();
    for index in (1..=count).filter(|index| !there.contains(index)) {
        let text = format!("pintle: shard {index}/{count} is missing\n");
        let _ = std::io::Write::write_all(&mut screen::err(), text.as_bytes());
    }
}
