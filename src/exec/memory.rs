//! An environment in memory, for tests: files in a map, commands answered from a table.
//!
//! No access to the machine. `.gitignore` is ignored, and there are no links and no permissions.
//!
//! # Example
//!
//! ```
//! use pintle_exec::memory::Memory;
//! use pintle_exec::Environment;
//! use std::path::Path;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), pintle_exec::Error> {
//! let env = Memory::new([("/work/src/main.rs", "fn main() {}\n"), ("/work/README.md", "# Demo\n")]);
//! let text = env.read(Path::new("/work/src/main.rs")).await?;
//! assert_eq!(text, b"fn main() {}\n");
//!
//! env.write(Path::new("/work/src/lib.rs"), b"// empty\n".to_vec()).await?;
//! assert_eq!(env.text("/work/src/lib.rs").as_deref(), Some("// empty\n"));
//! # Ok(())
//! # }
//! ```

use crate::scan::{Scan, Scanned, ScannedFile, StoredContent};
use crate::search::{LineSearch, Matched, PathGlob, PathKey};
use crate::{
    Before, Command, Decide, End, Environment, Error, FileKind, Filter, Filtered, Find, FindOrder,
    FoundPath, FoundPaths, Grep, Grepped, Lines, ListEntry, Platform, Ran, Stat, Updated, Version,
    Window, files,
};
use pintle_protocol::files::FileState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Files in a map, commands in a table.
#[derive(Debug)]
pub struct Memory {
    platform: Platform,
    files: Mutex<BTreeMap<PathBuf, Vec<u8>>>,
    folders: Mutex<BTreeSet<PathBuf>>,
    commands: BTreeMap<String, Answer>,
    ran: Mutex<Vec<String>>,
    released: Mutex<Vec<String>>,
    /// Filters, with their input.
    filtered: Mutex<Vec<(String, String)>>,
    /// The texts that another program appends while a file is changed, one for each change.
    appended: Mutex<Vec<(PathBuf, String)>>,
    /// The paths that were resolved or whose metadata was read.
    looked_at: Mutex<Vec<PathBuf>>,
    /// Hanging commands that were asked to end.
    ended: watch::Sender<BTreeSet<String>>,
}

/// A command's behaviour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Prints this and exits with the code.
    Exits(String, i32),
    /// Prints this and runs until it is stopped.
    Hangs(String),
}

impl Memory {
    /// Creates an environment with these files, given by absolute paths. The home directory is `/home/user`.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = files.into_iter();
        let files = files.map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        Self {
            platform: Platform {
                os: "memory".to_owned(),
                shell: PathBuf::from("/bin/bash"),
                shell_reason: None,
                home: Some(PathBuf::from("/home/user")),
                search_path: vec![PathBuf::from("/usr/bin")],
            },
            files: Mutex::new(files.collect()),
            folders: Mutex::default(),
            commands: BTreeMap::new(),
            ran: Mutex::default(),
            released: Mutex::default(),
            filtered: Mutex::default(),
            appended: Mutex::default(),
            looked_at: Mutex::default(),
            ended: watch::Sender::default(),
        }
    }

    /// Sets the operating system and the shell.
    pub fn set_platform(&mut self, os: &str, shell: &str) {
        os.clone_into(&mut self.platform.os);
        self.platform.shell = PathBuf::from(shell);
    }

    /// Returns the paths that were resolved or whose metadata was read, in this order.
    pub fn looked_at(&self) -> Vec<PathBuf> {
        lock(&self.looked_at).clone()
    }

    /// Adds a command. One that is not in the table is not found, with code 127.
    #[must_use]
    pub fn with_command(mut self, line: &str, answer: Answer) -> Self {
        self.commands.insert(line.to_owned(), answer);
        self
    }

    /// Makes another program append this text to a file during each of its next `times` changes.
    #[must_use]
    pub fn with_appended(self, path: &str, text: &str, times: usize) -> Self {
        lock(&self.appended).extend(vec![(PathBuf::from(path), text.to_owned()); times]);
        self
    }

    /// Returns a file's text, if the file exists.
    pub fn text(&self, path: &str) -> Option<String> {
        let files = lock(&self.files);
        files.get(Path::new(path)).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Returns all files, in path order.
    pub fn paths(&self) -> Vec<PathBuf> {
        lock(&self.files).keys().cloned().collect()
    }

    /// Returns the commands that were started, in order.
    pub fn commands_run(&self) -> Vec<String> {
        lock(&self.ran).clone()
    }

    /// Lets a hanging command end with code 0, now and later.
    pub fn end(&self, line: &str) {
        self.ended.send_modify(|ended| {
            ended.insert(line.to_owned());
        });
    }

    /// Returns the filters that were run, with what each read, in order.
    pub fn filtered(&self) -> Vec<(String, String)> {
        lock(&self.filtered).clone()
    }

    /// Returns the owners whose commands were released, in order.
    pub fn released(&self) -> Vec<String> {
        lock(&self.released).clone()
    }

    fn get(&self, path: &Path) -> Result<Vec<u8>, Error> {
        if let Some(bytes) = lock(&self.files).get(path) {
            return Ok(bytes.clone());
        }
        let path = path.to_path_buf();
        Err(if self.is_folder(&path) { Error::IsFolder(path) } else { Error::NotFound(path) })
    }

    fn is_folder(&self, path: &Path) -> bool {
        path == Path::new("/")
            || lock(&self.folders).iter().any(|folder| folder.starts_with(path))
            || lock(&self.files).keys().any(|file| file != path && file.starts_with(path))
    }

    /// Returns the files below a directory, with their relative paths, in path order.
    fn below(&self, root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let files = lock(&self.files);
        let below = files.iter().filter_map(|(path, bytes)| {
            let relative = path.strip_prefix(root).ok()?;
            Some((relative.to_path_buf(), bytes.clone()))
        });
        below.collect()
    }
}

/// Equal for equal content.
fn version(path: &Path, content: &[u8]) -> Version {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    let path = files::without_dots(path);
    Version { path, size: content.len() as u64, mark: hasher.finish().into() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait::async_trait]
impl Environment for Memory {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    async fn stat(&self, path: &Path) -> Result<Stat, Error> {
        lock(&self.looked_at).push(path.to_owned());
        let (kind, size) = match self.get(path) {
            Ok(bytes) => (FileKind::File, bytes.len() as u64),
            Err(Error::IsFolder(_)) => (FileKind::Folder, 0),
            Err(error) => return Err(error),
        };
        Ok(Stat { kind, size, modified_ms: 0, links: 1 })
    }

    async fn canonicalize(&self, path: &Path) -> Result<PathBuf, Error> {
        lock(&self.looked_at).push(path.to_owned());
        Ok(files::without_dots(path))
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        self.get(path)
    }

    async fn read_lines(&self, path: &Path, window: Window) -> Result<Lines, Error> {
        let bytes = self.get(path)?;
        files::select_lines(bytes.as_slice(), version(path, &bytes), window)
            .map_err(|error| Error::from_io(path, &error))
    }

    async fn scan(&self, scan: Scan, _cancel: &CancellationToken) -> Result<Scanned, Error> {
        let files = lock(&self.files).clone().into_iter();
        let files =
            files.filter(|(path, _)| path.starts_with(&scan.root)).map(|(path, content)| {
                let StoredContent { sha256, is_lost } = (scan.keep)(&content);
                let size = content.len() as u64;
                let mut hasher = DefaultHasher::new();
                hasher.write(&content);
                let mark = hasher.finish().into();
                let state = FileState { sha256, size, mode: None, is_lost };
                (path, ScannedFile { mark, state })
            });
        Ok(Scanned { files: Arc::new(files.collect()), over: None })
    }

    async fn versions(&self, paths: &[PathBuf]) -> Vec<Result<Version, Error>> {
        let look = |path: &PathBuf| self.get(path).map(|content| version(path, &content));
        paths.iter().map(look).collect()
    }

    async fn list(&self, path: &Path) -> Result<Vec<ListEntry>, Error> {
        match self.get(path) {
            Ok(_) => return Err(Error::NotFolder(path.to_path_buf())),
            Err(Error::IsFolder(_)) => {}
            Err(error) => return Err(error),
        }
        let mut entries = BTreeSet::new();
        let mut add = |relative: &Path, is_file: bool| {
            let mut parts = relative.iter();
            if let Some(name) = parts.next() {
                let is_folder = !is_file || parts.next().is_some();
                let name = name.to_string_lossy().into_owned();
                entries.insert(ListEntry { name, is_folder });
            }
        };
        for (relative, _) in self.below(path) {
            add(&relative, true);
        }
        for folder in lock(&self.folders).iter() {
            if let Ok(relative) = folder.strip_prefix(path) {
                add(relative, false);
            }
        }
        Ok(entries.into_iter().collect())
    }

    async fn write(&self, path: &Path, content: Vec<u8>) -> Result<(), Error> {
        if self.is_folder(path) {
            return Err(Error::IsFolder(path.to_path_buf()));
        }
        lock(&self.files).insert(path.to_path_buf(), content);
        Ok(())
    }

    async fn update(
        &self,
        path: &Path,
        decide: Decide,
        cancel: &CancellationToken,
    ) -> Result<Updated, Error> {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let before = match self.get(path) {
            Ok(content) => Some(Before { version: version(path, &content), content }),
            Err(Error::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        let seen = before.as_ref().map(|before| before.version.clone());
        let rewrite = decide(before).map_err(Error::Refused)?;
        let mut appended = lock(&self.appended);
        if let Some(at) = appended.iter().position(|(file, _)| file == path) {
            let (_, text) = appended.swap_remove(at);
            lock(&self.files).entry(path.to_path_buf()).or_default().extend(text.into_bytes());
            return Err(Error::Changed(path.to_path_buf()));
        }
        let content = rewrite.content.into_bytes();
        let after = version(path, &content);
        lock(&self.files).insert(path.to_path_buf(), content);
        Ok(Updated { change: rewrite.change, before: seen, after })
    }

    async fn create_folder(&self, path: &Path) -> Result<(), Error> {
        lock(&self.folders).insert(path.to_path_buf());
        Ok(())
    }

    async fn remove(&self, path: &Path) -> Result<(), Error> {
        let was_file = lock(&self.files).remove(path).is_some();
        if was_file || lock(&self.folders).remove(path) {
            Ok(())
        } else {
            Err(Error::NotFound(path.to_path_buf()))
        }
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let mut files = lock(&self.files);
        let content = files.remove(from).ok_or_else(|| Error::NotFound(from.to_path_buf()))?;
        files.insert(to.to_path_buf(), content);
        Ok(())
    }

    async fn find(&self, find: Find, _cancel: &CancellationToken) -> Result<FoundPaths, Error> {
        let glob = PathGlob::new(&find.glob, &find.root)?;
        if !self.is_folder(&find.root) {
            return Err(self
                .get(&find.root)
                .map_or_else(|error| error, |_| Error::NotFolder(find.root.clone())));
        }
        // A directory precedes its entries, as on a walk.
        let mut paths = BTreeMap::new();
        for (file, _) in self.below(&find.root) {
            let parents = file.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
            paths.extend(parents.map(|parent| (parent.to_path_buf(), true)));
            paths.insert(file, false);
        }
        // Files have no age here.
        let with_folders = find.order == FindOrder::Path;
        let max_depth = find.max_depth.unwrap_or(usize::MAX);
        let mut matching = paths.into_iter().filter(|(path, is_folder)| {
            (with_folders || !is_folder)
                && path.components().count() <= max_depth
                && glob.is_match(path, *is_folder)
                && !find.left_out.hides(&find.root, path)
        });
        let paths = matching.by_ref().take(find.max_paths);
        let paths = paths.map(|(path, is_folder)| FoundPath { path, is_folder }).collect();
        Ok(FoundPaths { paths, has_more: matching.next().is_some(), unreadable: 0, ignored: None })
    }

    async fn grep(&self, grep: Grep, _cancel: &CancellationToken) -> Result<Grepped, Error> {
        let mut search = LineSearch::new(&grep)?;
        let glob = grep.glob.as_deref().map(|glob| PathGlob::new(glob, &grep.root)).transpose()?;
        let mut matched = Matched::new(&grep);
        let mut add = |path: &Path, bytes: &[u8]| {
            let unsaved = search.unsaved(&grep.root.join(path));
            let bytes = unsaved.as_ref().map_or(bytes, |text| text.as_bytes());
            let found = search.read(bytes).map_err(|error| Error::from_io(path, &error))?;
            matched.add(PathKey::new(path), found);
            Ok(())
        };
        match self.get(&grep.root) {
            Ok(bytes) => add(grep.file_name(), &bytes)?,
            Err(Error::IsFolder(_)) => {
                for (path, bytes) in self.below(&grep.root) {
                    if glob.as_ref().is_none_or(|glob| glob.is_match(&path, false))
                        && !grep.left_out.contains(&grep.root.join(&path))
                    {
                        add(&path, &bytes)?;
                    }
                }
            }
            Err(error) => return Err(error),
        }
        Ok(matched.finish(0))
    }

    async fn exec(
        &self,
        command: Command,
        cancel: &CancellationToken,
        output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Ran, Error> {
        lock(&self.ran).push(command.line.clone());
        let missing = || Answer::Exits(format!("bash: {}: command not found\n", command.line), 127);
        let answer = self.commands.get(&command.line).cloned().unwrap_or_else(missing);
        let (Answer::Exits(text, _) | Answer::Hangs(text)) = answer.clone();
        if !text.is_empty() {
            output(&text);
            command.output.push(&text);
        }
        let mut ended = self.ended.subscribe();
        let end = match answer {
            Answer::Exits(_, code) => End::Exited(code),
            Answer::Hangs(_) => tokio::select! {
                () = cancel.cancelled() => End::Cancelled,
                _ = ended.wait_for(|ended| ended.contains(&command.line)) => End::Exited(0),
                () = async {
                    match command.timeout {
                        Some(timeout) => tokio::time::sleep(timeout).await,
                        None => std::future::pending().await,
                    }
                } => End::TimedOut,
            },
        };
        command.output.finish();
        Ok(Ran {
            end,
            total_lines: pintle_base::text::truncate::count_lines(&text),
            total_bytes: text.len() as u64,
            head: text.clone(),
            tail: text,
            full_output_path: None,
            is_file_full: false,
            background_output: None,
            is_displaced: false,
            denied_programs: Vec::new(),
            sandbox: None,
        })
    }

    async fn filter(&self, filter: Filter) -> Result<Filtered, Error> {
        let input = String::from_utf8_lossy(&filter.input).into_owned();
        lock(&self.filtered).push((filter.line.clone(), input));
        let stderr = String::new();
        match self.commands.get(&filter.line) {
            Some(Answer::Exits(text, code)) => {
                let stdout = text.clone().into_bytes();
                Ok(Filtered { code: Some(*code), stdout, stderr })
            }
            Some(Answer::Hangs(_)) => std::future::pending().await,
            None => {
                Ok(Filtered { code: Some(127), stdout: Vec::new(), stderr: "not found".into() })
            }
        }
    }

    async fn release(&self, owner: &str) {
        lock(&self.released).push(owner.to_owned());
    }

    async fn end_abandoned(&self, _owner: &str) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
