//! The programs that a call may start, as words for rules, independent of the file's name and of the program that runs it.
#![expect(clippy::disallowed_methods, reason = "exec is where files are looked at")]

use super::Resolved;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The files of denied programs, of which each copy and each other name is denied, too.
#[derive(Debug, Default)]
pub(in crate::sandbox) struct DeniedFiles(Vec<DeniedFile>);

#[derive(Debug)]
struct DeniedFile {
    name: String,
    path: PathBuf,
    facts: Metadata,
}

impl DeniedFiles {
    /// Looks for programs of these names in the directories of a `PATH`. A multi-call file, such as that of busybox, is excluded.
    pub(in crate::sandbox) fn find(names: &[String], path: &str) -> Self {
        let folders = || path.split(':').filter(|folder| folder.starts_with('/'));
        let files = names.iter().flat_map(|name| {
            folders().filter_map(move |folder| {
                let path = Path::new(folder).join(name).canonicalize().ok()?;
                let is_named_so = path.file_name().is_some_and(|file| file == name.as_str());
                let facts = path.metadata().ok().filter(|facts| is_named_so && facts.is_file())?;
                let file = DeniedFile { name: name.clone(), path, facts };
                (!file.is_several()).then_some(file)
            })
        });
        Self(files.collect())
    }

    /// Returns the denied programs whose file, or a copy of it, this is.
    fn names_of(&self, file: &File) -> Vec<String> {
        let Ok(facts) = file.metadata() else { return Vec::new() };
        let same = self.0.iter().filter(|denied| denied.is(file, &facts));
        same.map(|denied| denied.name.clone()).collect()
    }
}

impl DeniedFile {
    /// Returns true if another program in its directory is the same file.
    fn is_several(&self) -> bool {
        let is_same = |entry: &std::fs::DirEntry| {
            entry.path() != self.path
                && entry.metadata().is_ok_and(|facts| facts.ino() == self.facts.ino())
        };
        let entries = || self.path.parent()?.read_dir().ok();
        self.facts.nlink() > 1
            && entries().into_iter().flatten().filter_map(Result::ok).any(|entry| is_same(&entry))
    }

    fn is(&self, file: &File, facts: &Metadata) -> bool {
        let is_file = facts.dev() == self.facts.dev() && facts.ino() == self.facts.ino();
        is_file || (facts.len() == self.facts.len() && self.has_content_of(file))
    }

    fn has_content_of(&self, file: &File) -> bool {
        const PIECE: usize = 64 * 1024;
        let Ok(own) = File::open(&self.path) else { return false };
        let (mut a, mut b) = (vec![0; PIECE], vec![0; PIECE]);
        let mut at = 0;
        loop {
            let (Ok(read), Ok(other)) = (own.read_at(&mut a, at), file.read_at(&mut b, at)) else {
                return false;
            };
            if read != other || a.get(..read) != b.get(..other) {
                return false;
            }
            if read == 0 {
                return true;
            }
            at += read as u64;
        }
    }
}

/// Multi-call programs: they run the named applet without another `execve`.
const SEVERAL: [&str; 2] = ["busybox", "toybox"];

/// Flags of the loader with a value.
const LOADER_FLAGS: [&str; 6] =
    ["--library-path", "--argv0", "--preload", "--audit", "--inhibit-rpath", "--glibc-hwcaps-mask"];

/// Returns the words for each program that this call may start.
pub(super) fn candidates(
    path: &Resolved,
    words: &[String],
    file: Option<&File>,
    denied: &DeniedFiles,
) -> Vec<Vec<String>> {
    let given = words.first().map(String::as_str).unwrap_or_default();
    let rest = words.get(1..).unwrap_or_default();
    let paths = || std::iter::once(&path.named).chain(&path.target);
    let mut names: Vec<String> = paths().map(|path| name_of(path)).collect();
    names.push(name_of(Path::new(given)));
    names.extend(paths().map(|path| path.to_string_lossy().into_owned()));
    names.extend(file.into_iter().flat_map(|file| denied.names_of(file)));
    let mut found: Vec<Vec<String>> = Vec::new();
    for name in names {
        if let Some(command) = name.strip_prefix("git-") {
            found.push(joined(["git", command], rest));
        }
        if let Some(behind) = behind(&name, rest)
            && let Some((program, rest)) = behind.split_first()
        {
            found.push(joined([name_of(Path::new(program)).as_str()], rest));
            found.push(behind.to_vec());
        }
        found.push(joined([name.as_str()], rest));
    }
    found
}

/// Returns the program behind the system's loader or a multi-call program.
fn behind<'a>(name: &str, rest: &'a [String]) -> Option<&'a [String]> {
    let is_loader = name.starts_with("ld") && name.contains(".so");
    if SEVERAL.contains(&name) {
        return Some(rest);
    }
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| is_loader && word.starts_with('-')) {
        at += if LOADER_FLAGS.contains(&word.as_str()) { 2 } else { 1 };
    }
    rest.get(at..).filter(|_| is_loader)
}

/// Returns the program that runs a script, and its one argument.
pub(super) fn interpreter(file: &File) -> Option<(String, Option<String>)> {
    /// As much as the kernel looks at.
    const MAX: u64 = 256;
    let mut line = Vec::new();
    file.take(MAX).read_to_end(&mut line).ok()?;
    let line = line.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let (program, argument) =
        line.trim().split_once([' ', '\t']).unwrap_or_else(|| (line.trim(), ""));
    let argument = Some(argument.trim()).filter(|argument| !argument.is_empty());
    (!program.is_empty()).then(|| (program.to_owned(), argument.map(str::to_owned)))
}

fn joined<const N: usize>(first: [&str; N], rest: &[String]) -> Vec<String> {
    first.into_iter().map(str::to_owned).chain(rest.iter().cloned()).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
