//! Upgrades journals of earlier formats: one step per version converts its lines to the next.
//!
//! A journal of an earlier format is upgraded when it is opened or read. Invariant: the session's directory contains a complete journal at
//! every moment: the new one is written next to the old one and renamed over it; the old one stays as `journal.v1.jsonl`. A step that fails
//! changes nothing. `tests/fixtures/journals` has one of each format, which must always be readable.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

mod from_1;

use super::header::FILE;
use super::{Error, Header};
use pintle_base::private_files;
use pintle_os::{folder, replace};
use std::fs;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

/// The conversion from one version to the next.
pub(super) struct Step {
    /// The version whose lines it converts.
    pub(super) from: u32,
    /// Converts an event's line, without its end; the error is the reason why it cannot.
    pub(super) line: fn(&str) -> Result<String, String>,
}

/// All steps, the earliest first. A new format adds its step here and a journal to `tests/fixtures/journals`.
pub(super) const STEPS: &[Step] = &[Step { from: 1, line: from_1::line }];

/// Upgrades the journal in a directory whose lock the caller has. Returns false if it is up to date.
pub(super) fn upgrade(folder: &Path, steps: &[Step], to: u32) -> Result<bool, Error> {
    let path = folder.join(FILE);
    let mut reader = BufReader::new(private_files::open(&path).map_err(Error::io(&path))?);
    let mut first = Vec::new();
    private_files::read_line(&mut reader, &mut first).map_err(Error::io(&path))?;
    // The reader reports files that are not a journal or of a later version.
    let Ok(mut header) = serde_json::from_slice::<Header>(&first) else { return Ok(false) };
    let from = header.version;
    if from >= to {
        return Ok(false);
    }
    let failed = |message: String| Error::Upgrade { path: path.clone(), from, to, message };
    let mut needed = Vec::new();
    for version in from..to {
        let step = steps.iter().find(|step| step.from == version);
        needed.push(
            step.ok_or_else(|| failed(format!("no upgrade from version {version} is known")))?,
        );
    }
    header.version = to;
    let head = serde_json::to_string(&header).map_err(|error| failed(error.to_string()))?;
    let beside = tempfile::Builder::new()
        .prefix(".journal-")
        .suffix(".new")
        .tempfile_in(folder)
        .map_err(Error::io(folder))?;
    let mut out = BufWriter::new(beside);
    let write = |out: &mut BufWriter<_>, line: &[u8]| -> Result<(), Error> {
        out.write_all(line).map_err(Error::io(&path))
    };
    write(&mut out, format!("{head}\n").as_bytes())?;
    let mut line = Vec::new();
    let mut number = 1u64;
    loop {
        line.clear();
        if private_files::read_line(&mut reader, &mut line).map_err(Error::io(&path))? == 0 {
            break;
        }
        number += 1;
        // A damaged or incomplete line is copied unchanged.
        let whole = line.strip_suffix(b"\n").and_then(|text| std::str::from_utf8(text).ok());
        let whole =
            whole.filter(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok());
        let Some(text) = whole else {
            write(&mut out, &line)?;
            continue;
        };
        let mut text = text.to_owned();
        for step in &needed {
            text =
                (step.line)(&text).map_err(|reason| failed(format!("line {number}: {reason}")))?;
        }
        write(&mut out, format!("{text}\n").as_bytes())?;
    }
    // Not every Windows file system replaces a file that is open.
    drop(reader);
    let beside =
        out.into_inner().map_err(io::IntoInnerError::into_error).map_err(Error::io(&path))?;
    replace(folder, &path, beside, from).map_err(Error::io(&path))?;
    Ok(true)
}

fn replace(
    folder: &Path,
    path: &Path,
    beside: tempfile::NamedTempFile,
    from: u32,
) -> io::Result<()> {
    let meta = fs::metadata(path)?;
    beside.as_file().set_permissions(meta.permissions())?;
    // Lists show the last event's time, which does not change.
    beside.as_file().set_modified(meta.modified()?)?;
    beside.as_file().sync_all()?;
    let backup = folder.join(format!("journal.v{from}.jsonl"));
    match fs::hard_link(path, &backup) {
        Ok(()) => {}
        // Left over from an interrupted upgrade.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        // The file system has no links.
        Err(_) => {
            fs::copy(path, &backup)?;
        }
    }
    replace::put(beside, path, &mut None)?;
    folder::sync(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        r#"{"journal":"pintle","version":1,"sessionId":"s","cwd":"/p","createdMs":5}"#;

    /// Steps of formats that never were.
    const TO_THREE: &[Step] = &[
        Step { from: 1, line: |line| Ok(line.replace("\"old\"", "\"new\"")) },
        Step {
            from: 2,
            line: |line| {
                if line.contains("bad") {
                    Err("a bad one".to_owned())
                } else {
                    Ok(format!("{line} "))
                }
            },
        },
    ];

    fn folder(lines: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), format!("{HEAD}\n{lines}")).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn lines_take_every_step_and_the_old_journal_stays() {
        for (name, lines, to, want) in [
            ("nothing to do", "{\"old\":1}\n", 1, "{\"old\":1}\n"),
            ("one step", "{\"old\":1}\n", 2, "{\"new\":1}\n"),
            ("two", "{\"old\":1}\n{\"b\":2}\n", 3, "{\"new\":1} \n{\"b\":2} \n"),
            ("damaged lines stay", "{\"old\n{\"old\":1}\n", 2, "{\"old\n{\"new\":1}\n"),
            ("one that is not whole", "{\"old\":1}\n{\"old\":2}", 2, "{\"new\":1}\n{\"old\":2}"),
            ("no lines", "", 3, ""),
        ] {
            let folder = folder(lines);
            let path = folder.path().join(FILE);
            assert_eq!(upgrade(folder.path(), TO_THREE, to).unwrap(), to > 1, "{name}");
            let head = HEAD.replace("\"version\":1", &format!("\"version\":{to}"));
            assert_eq!(fs::read_to_string(&path).unwrap(), format!("{head}\n{want}"), "{name}");
            let backup = folder.path().join("journal.v1.jsonl");
            if to > 1 {
                assert_eq!(
                    fs::read_to_string(backup).unwrap(),
                    format!("{HEAD}\n{lines}"),
                    "{name}"
                );
            }
            assert!(!upgrade(folder.path(), TO_THREE, to).unwrap(), "{name}: once is enough");
        }
    }

    #[test]
    fn what_fails_changes_nothing_and_can_be_done_again() {
        let folder = folder("{\"old\":1}\n{\"bad\":1}\n");
        let before = fs::read(folder.path().join(FILE)).unwrap();
        let error = upgrade(folder.path(), TO_THREE, 3).unwrap_err().to_string();
        assert!(error.contains("line 3: a bad one"), "{error}");
        let error = upgrade(folder.path(), TO_THREE, 4).unwrap_err().to_string();
        assert!(error.contains("no upgrade from version 3"), "{error}");
        assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), before);
        assert_eq!(names(folder.path()), [FILE]);
        // Simulates a machine that crashed between the two renames.
        fs::write(folder.path().join("journal.v1.jsonl"), &before).unwrap();
        assert!(upgrade(folder.path(), TO_THREE, 2).unwrap());
        assert_eq!(names(folder.path()), [FILE, "journal.v1.jsonl"]);
    }

    #[test]
    fn what_is_no_journal_is_left_alone() {
        let folder = folder("");
        for text in ["", "{}\n", "no\n", &HEAD.replace("\"version\":1", "\"version\":9")] {
            fs::write(folder.path().join(FILE), text).unwrap();
            assert!(!upgrade(folder.path(), TO_THREE, 3).unwrap());
            assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), text);
        }
    }

    #[test]
    fn there_is_a_step_from_every_earlier_version() {
        let from: Vec<u32> = STEPS.iter().map(|step| step.from).collect();
        assert_eq!(from, (1..super::super::FORMAT_VERSION).collect::<Vec<_>>());
    }
}
