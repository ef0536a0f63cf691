//! The programs that a call may start, as words for rules, independent of the file's name and of the program that runs it.
#![expect(clippy::disallowed_methods, reason = "exec is where files are looked at")]

use super::resolver::{Resolved, Resolver, absolute};
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn as _, FileHeader, ProgramHeader as _};
use object::{Endianness, FileKind};
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The files of denied and multi-call programs, which are recognized by each copy and each other name.
#[derive(Debug, Default)]
pub(in crate::sandbox) struct DeniedFiles(Vec<DeniedFile>);

#[derive(Debug)]
struct DeniedFile {
    name: String,
    path: PathBuf,
    facts: Metadata,
}

impl DeniedFiles {
    /// Looks for programs of these names in the directories of a `PATH`. A file with several names is excluded, except for the multi-call
    /// programs, which are always looked for.
    pub(in crate::sandbox) fn find(names: &[String], path: &str) -> Self {
        let folders = || path.split(':').filter(|folder| folder.starts_with('/'));
        let names = names.iter().map(String::as_str);
        let files = names.chain(SEVERAL).flat_map(|name| {
            folders().filter_map(move |folder| {
                let path = Path::new(folder).join(name).canonicalize().ok()?;
                let is_named_so = path.file_name().is_some_and(|file| file == name);
                let facts = path.metadata().ok().filter(|facts| is_named_so && facts.is_file())?;
                let file = DeniedFile { name: name.to_owned(), path, facts };
                (SEVERAL.contains(&name) || !file.is_several()).then_some(file)
            })
        });
        Self(files.collect())
    }

    /// Returns each program with the same file or the same content.
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
        is_file || (facts.len() >= self.facts.len() && self.is_beginning_of(file, facts.len()))
    }

    /// Returns true if the contents are equal, ignoring padding after a compiled program.
    fn is_beginning_of(&self, file: &File, length: u64) -> bool {
        // Other programs differ within the first bytes.
        const PIECE: usize = 4096;
        let Ok(own) = File::open(&self.path) else { return false };
        let (mut a, mut b) = ([0; PIECE], [0; PIECE]);
        let mut at = 0;
        loop {
            let Ok(read) = own.read_at(&mut a, at) else { return false };
            if read == 0 {
                return true;
            }
            if at == 0 && length > self.facts.len() && !a.starts_with(&elf::ELFMAG) {
                return false;
            }
            let (Some(a), Some(b)) = (a.get(..read), b.get_mut(..read)) else { return false };
            if file.read_exact_at(b, at).is_err() || a != b {
                return false;
            }
            at += read as u64;
        }
    }
}

/// Multi-call programs: they run the named applet without another `execve`.
const SEVERAL: [&str; 2] = ["busybox", "toybox"];

/// A program that another one runs.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) path: Resolved,
    pub(super) file: Option<File>,
    /// The words with which it is started.
    pub(super) words: Vec<String>,
}

/// Returns the programs that run instead: a script's interpreters, and a loader's arguments.
pub(super) fn behind(
    path: &Resolved,
    file: Option<&File>,
    words: &[String],
    resolver: &Resolver<'_>,
) -> Vec<Started> {
    /// As many as the kernel follows.
    const MAX: usize = 5;
    let mut all = loaded(path, file, words, resolver);
    let mut script = path.named.to_string_lossy().into_owned();
    let mut rest: Vec<String> = words.iter().skip(1).cloned().collect();
    let mut next = file.and_then(interpreter);
    for _ in 0..MAX {
        let Some((program, argument)) = next else { break };
        let before = std::iter::once(program.clone()).chain(argument).chain([script]);
        let words: Vec<String> = before.chain(rest).collect();
        let Some(path) = named(&program, resolver) else { break };
        let file = resolver.open(&path);
        next = file.as_ref().and_then(interpreter);
        script = program;
        rest = words.iter().skip(1).cloned().collect();
        all.extend(loaded(&path, file.as_ref(), &words, resolver));
        all.push(Started { path, file, words });
    }
    all
}

/// Returns a loader's arguments as programs. Any of them may be the one it runs, because its flags differ between systems and versions.
fn loaded(
    path: &Resolved,
    file: Option<&File>,
    words: &[String],
    resolver: &Resolver<'_>,
) -> Vec<Started> {
    let is_named_so = || {
        let name = name_of(path.file());
        name.starts_with("ld") && name.contains(".so")
    };
    if !file.map_or_else(is_named_so, is_loader) {
        return Vec::new();
    }
    let programs = (1..words.len()).filter_map(|at| {
        let words = words.get(at..)?;
        let path = named(words.first()?, resolver)?;
        Some(Started { file: resolver.open(&path), path, words: words.to_vec() })
    });
    programs.collect()
}

/// Returns true for a shared library that requests no loader: if the kernel starts one, it is a loader.
fn is_loader(file: &File) -> bool {
    /// Covers the ELF and program headers. Almost every program names its loader there.
    const HEADERS: usize = 4096;
    let head = beginning(file, HEADERS);
    let is_named = match FileKind::parse(&*head) {
        Ok(FileKind::Elf64) => is_named_library::<FileHeader64<Endianness>>(&head, file),
        Ok(FileKind::Elf32) => is_named_library::<FileHeader32<Endianness>>(&head, file),
        _ => return false,
    };
    is_named.unwrap_or(false)
}

fn is_named_library<H: FileHeader<Endian = Endianness>>(
    head: &[u8],
    file: &File,
) -> object::read::Result<bool> {
    /// Loaders are smaller, in bytes.
    const LOADER: usize = 2 * 1024 * 1024;
    let header = H::parse(head)?;
    let endian = header.endian()?;
    let segments = header.program_headers(endian, head)?;
    if segments.iter().any(|segment| segment.p_type(endian) == elf::PT_INTERP) {
        return Ok(false);
    }
    let whole = beginning(file, LOADER);
    for segment in segments {
        let mut entries = segment.dynamic(endian, &*whole)?.unwrap_or_default().iter();
        if entries.any(|entry| entry.tag(endian) == elf::DT_SONAME) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads at most `size` bytes, even if the headers claim more.
fn beginning(file: &File, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    let mut read = 0;
    while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, read as u64) {
            Ok(0) | Err(_) => break,
            Ok(count) => read += count,
        }
    }
    bytes.truncate(read);
    bytes
}

fn named(path: &str, resolver: &Resolver<'_>) -> Option<Resolved> {
    resolver.resolve(&absolute(resolver.thread, "cwd", PathBuf::from(path))?)
}

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
        if SEVERAL.contains(&name.as_str())
            && let Some((applet, rest)) = rest.split_first()
        {
            found.push(joined([name_of(Path::new(applet)).as_str()], rest));
        }
        found.push(joined([name.as_str()], rest));
    }
    found
}

/// Returns the program that runs a script, and its one argument.
fn interpreter(file: &File) -> Option<(String, Option<String>)> {
    /// As much as the kernel looks at.
    const MAX: usize = 256;
    let mut line = [0; MAX];
    let read = file.read_at(&mut line, 0).ok()?;
    let line = line.get(..read)?.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A 64-bit ELF file with one segment of this kind and size, directly after the headers.
    fn program(kind: u32, size: u64) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(16, 0);
        for half in [3_u16, 62] {
            bytes.extend(half.to_le_bytes());
        }
        bytes.extend(1_u32.to_le_bytes());
        for place in [0_u64, 64, 0] {
            bytes.extend(place.to_le_bytes());
        }
        bytes.extend(0_u32.to_le_bytes());
        for half in [64_u16, 56, 1, 64, 0, 0] {
            bytes.extend(half.to_le_bytes());
        }
        bytes.extend([kind.to_le_bytes(), 4_u32.to_le_bytes()].concat());
        for word in [120, 0, 0, size, size, 8] {
            bytes.extend(u64::to_le_bytes(word));
        }
        bytes
    }

    #[test]
    fn loaders_are_recognized_and_no_header_makes_the_engine_read_more() {
        const DYNAMIC: u32 = 2;
        const INTERP: u32 = 3;
        let named = [14_u64, 1, 0, 0].map(u64::to_le_bytes).concat();
        let with = |head: Vec<u8>, rest: &[u8]| [&head, rest].concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        for (name, bytes, length, want) in [
            ("a loader", with(program(DYNAMIC, 32), &named), None, true),
            ("bytes at its end", with(program(DYNAMIC, 32), &named), Some(4096), true),
            ("a library without a name", with(program(DYNAMIC, 16), &[0; 16]), None, false),
            ("a program with a loader", with(program(INTERP, 32), &named), None, false),
            (
                "a segment of a terabyte",
                with(program(DYNAMIC, 1 << 40), &named),
                Some(1 << 41),
                false,
            ),
            ("a truncated header", program(DYNAMIC, 32)[..40].to_vec(), None, false),
            ("a script", b"#!/bin/sh\n".to_vec(), None, false),
            ("nothing", Vec::new(), None, false),
        ] {
            fs::write(&path, bytes).unwrap();
            let file = File::options().read(true).write(true).open(&path).unwrap();
            if let Some(length) = length {
                file.set_len(length).unwrap();
            }
            assert_eq!(is_loader(&file), want, "{name}");
        }
        let own = File::open("/proc/self/exe").unwrap();
        assert!(!is_loader(&own), "this program");
    }
}
