//! This machine.
//!
//! Create one per process and share it: it owns the locks that serialize changes to the same file. Each file operation is one hop to a
//! thread that may block.

use crate::beneath::{Folders, Pinned};
use crate::process::{self, Drains, Launch, Shell};
use crate::replace::Staged;
use crate::sandbox::{Confinement, Found, Temporary};
use crate::scan::{self, Keep, Scan, Scanned, WatchedTrees};
use crate::shell::{self, Choice, Dialect};
use crate::variables::{self, Policy};
use crate::{
    After, Before, Command, Decide, DecideAll, Environment, Error, Filter, Filtered, Find,
    FoundPaths, Grep, Grepped, Lines, ListEntry, Platform, Program, Ran, Rewrite, Rewrites,
    RunningProgram, Stat, TerminalCommand, Updated, UpdatedAll, Version, Window, change, files,
    replace, walk,
};
use pintle_base::ambient::{Ambient, Secrets};
use pintle_base::private_files;
use pintle_os::family::{self, MARK};
use pintle_os::file::Facts;
use pintle_os::names;
use pintle_protocol::files::FileState;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio_util::sync::CancellationToken;

/// This machine's files and processes.
#[derive(Debug)]
pub struct Local {
    ambient: Ambient,
    platform: Platform,
    shell: Shell,
    /// The variables hidden from commands; `None` if commands see so few that an editor's terminal would show them more.
    withheld: Option<Vec<String>>,
    provider_keys: ProviderKeys,
    locks: Arc<Locks>,
    /// True if a command was run, so that processes may be left.
    has_run: AtomicBool,
    unscanned: Arc<[PathBuf]>,
    watched: Arc<WatchedTrees>,
    /// The temporary directories of confined commands, by owner.
    temporaries: Mutex<HashMap<String, tempfile::TempDir>>,
    /// The output of background processes left by commands.
    drains: Drains,
}

/// Options of the local environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The environment variables that commands see.
    pub variables: Policy,
    /// The shell, which must accept `-c` and a command; by default bash, or `/bin/sh` if bash is missing.
    pub shell: Option<PathBuf>,
    /// Run before each command, in the same shell.
    pub command_prefix: Option<String>,
    /// How to treat provider keys, regardless of the variable policy.
    pub provider_keys: ProviderKeys,
    /// This program, which becomes the command supervisor when started with the arguments in [`become_supervisor`](crate::sandbox::become_supervisor). Without one,
    /// commands cannot be confined, and can outlive a killed engine by leaving their session.
    pub supervisor: Option<PathBuf>,
    /// Confine without namespaces, as on a kernel that denies them.
    pub without_namespaces: bool,
    /// Files and directories that scans skip: those written by the program, which change with every event.
    pub unscanned: Vec<PathBuf>,
}

/// How to treat variables that contain a provider key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProviderKeys {
    /// No command sees them.
    #[default]
    Withheld,
    /// Commands see the keys. For commands from the user's settings, such as one that prints a key.
    Passed,
}

fn supervisor(options: &Options) -> Option<Arc<process::Supervisor>> {
    let program = options.supervisor.as_ref()?;
    process::Supervisor::new(program, options.without_namespaces).map(Arc::new)
}

/// Returns paths as a walk encounters them. A missing path is made canonical from its nearest existing ancestor.
fn canonical(paths: Vec<PathBuf>) -> Arc<[PathBuf]> {
    let canonical = |path: PathBuf| {
        let found =
            path.ancestors().find_map(|folder| Some((folder, names::canonicalize(folder).ok()?)));
        match found.map(|(folder, real)| (path.strip_prefix(folder), real)) {
            Some((Ok(rest), real)) if !rest.as_os_str().is_empty() => real.join(rest),
            Some((_, real)) => real,
            None => path,
        }
    };
    paths.into_iter().map(canonical).collect()
}

impl Local {
    /// Takes home, temporary directory and the command variables from `ambient`.
    pub fn new(ambient: &Ambient, options: Options) -> Self {
        let supervisor = supervisor(&options);
        let Choice { shell, reason } = match options.shell.clone() {
            Some(shell) => Choice { shell, reason: None },
            None => shell::find(ambient, Path::exists),
        };
        let variables = variables::visible(ambient.vars(), options.variables);
        let path = variables.iter().find(|(name, _)| name == "PATH");
        let search_path =
            path.map(|(_, path)| std::env::split_paths(path).collect()).unwrap_or_default();
        Self {
            ambient: ambient.clone(),
            platform: Platform {
                os: std::env::consts::OS.to_owned(),
                shell: shell.clone(),
                shell_reason: reason,
                home: ambient.home(),
                search_path,
            },
            shell: Shell {
                program: shell,
                prefix: options.command_prefix,
                variables,
                temporary: ambient.temporary(),
                marks: Shell::new_marks(),
                supervisor,
            },
            provider_keys: options.provider_keys,
            withheld: variables::withheld(ambient.vars(), options.variables),
            locks: Arc::default(),
            has_run: AtomicBool::new(false),
            unscanned: canonical(options.unscanned),
            watched: Arc::default(),
            temporaries: Mutex::default(),
            drains: Drains::default(),
        }
    }

    /// Removes provider keys from a command's environment. Keys may become known at any time, so each command is checked.
    fn withhold_keys(&self, launch: &mut Launch) {
        let secrets = self.ambient.secrets();
        if self.provider_keys == ProviderKeys::Withheld {
            launch.variables.retain(|(name, value)| !secrets.hides(name, value));
        }
    }

    /// Returns a substitute directory for a command whose working directory was deleted. It is empty or cannot be changed, so no relative
    /// path refers to an unrelated file. In the parent, `rm -r *` would delete the siblings.
    fn stand_in(&self, command: &Command) -> Result<Option<StandIn>, Error> {
        if !matches!(command.cwd.metadata(), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
        {
            return Ok(None);
        }
        if command.confinement.is_some() {
            return Ok(Some(StandIn::Root));
        }
        let within = &self.shell.temporary;
        let made = private_files::temporary_folder_in("pintle-", within);
        made.map(|folder| Some(StandIn::Empty(folder)))
            .map_err(|error| Error::from_io(within, &error))
    }

    /// Adds the existing files that are protected from a confined command by their names.
    async fn with_found(confinement: &mut Option<Arc<Confinement>>) {
        let Some(confinement) = confinement.as_mut().filter(|limits| !limits.names.is_empty())
        else {
            return;
        };
        let found = match confinement.names.known() {
            Some(found) => Some(found),
            None => Self::look(confinement).await,
        };
        Arc::make_mut(confinement).add_found(&found.unwrap_or_default());
    }

    /// Finds out which of these files exist.
    fn look(confinement: &Confinement) -> impl Future<Output = Option<Arc<Found>>> + use<> {
        let (names, roots) = (confinement.names.clone(), confinement.roots());
        let looked = tokio::task::spawn_blocking(move || names.look(&roots));
        async { looked.await.ok() }
    }

    /// Adds the owner's temporary directory to a confinement that leaves the choice to this environment.
    fn with_temporary(
        &self,
        confinement: &mut Option<Arc<Confinement>>,
        owner: &str,
    ) -> Result<(), Error> {
        let Some(confinement) = confinement.as_mut() else { return Ok(()) };
        if confinement.temporary != Temporary::Owner {
            return Ok(());
        }
        let mut folders = self.temporaries.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = if let Some(folder) = folders.get(owner) {
            folder.path().to_path_buf()
        } else {
            let within = &self.shell.temporary;
            let made = private_files::temporary_folder_in("pintle-", within);
            let made = made.map_err(|error| Error::from_io(within, &error))?;
            let path = made.path().to_path_buf();
            folders.insert(owner.to_owned(), made);
            path
        };
        Arc::make_mut(confinement).temporary = Temporary::Folder(folder);
        Ok(())
    }
}

/// A substitute for a command's working directory that no longer exists.
enum StandIn {
    Empty(tempfile::TempDir),
    Root,
}

impl StandIn {
    fn path(&self) -> &Path {
        match self {
            Self::Empty(folder) => folder.path(),
            Self::Root => Path::new("/"),
        }
    }
}

/// Returns a program's path: as given, or found in the program's `PATH`.
fn in_path(program: &Program) -> Option<String> {
    let Program { command, cwd, variables, .. } = program;
    let folders: Vec<PathBuf> = match variables.iter().rev().find(|(name, _)| name == "PATH") {
        _ if command.contains(std::path::is_separator) => vec![PathBuf::new()],
        Some((_, path)) => std::env::split_paths(path).collect(),
        None => return None,
    };
    let files = folders.iter().flat_map(|folder| {
        let names = names::of_program(command);
        names.into_iter().map(move |name| cwd.join(folder).join(name))
    });
    let is_program = |path: &PathBuf| path.metadata().is_ok_and(|found| found.is_executable());
    let mut files = files;
    files.find(is_program).map(|path| path.to_string_lossy().into_owned())
}

/// How to treat other programs' writes between the decision about a file and its replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Others {
    /// The file keeps their changes, and the change fails.
    Kept,
    /// The file is overwritten.
    Overwritten,
}

impl Local {
    async fn change_all(
        &self,
        paths: &[PathBuf],
        decide: DecideAll,
        others: Others,
        cancel: &CancellationToken,
    ) -> Result<UpdatedAll, Error> {
        let locks = Arc::clone(&self.locks);
        let paths = paths.to_vec();
        blocking(cancel.child_token(), move |cancel| {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            locks.with(&paths, || {
                let different: BTreeSet<&PathBuf> = paths.iter().collect();
                if different.len() < paths.len() {
                    return Err(Error::Refused("two of the paths are the same file".to_owned()));
                }
                let mut folders = Folders::default();
                let pins = paths.iter().map(|path| folders.find(path));
                let mut pins: Vec<Option<Pinned>> = pins.collect::<Result<_, _>>()?;
                let before =
                    pins.iter().map(|pinned| pinned.as_ref().map(files::before).transpose());
                let before = before.map(|before| Ok(before?.flatten()));
                let before: Vec<Option<Before>> = before.collect::<Result<_, Error>>()?;
                let seen = before.iter().map(|before| Some(before.as_ref()?.version.clone()));
                let seen: Vec<Option<Version>> = seen.collect();
                // Kept to restore it, should a later one of several files fail.
                let kept = if paths.len() > 1 { before.clone() } else { Vec::new() };
                let Rewrites { after, changes } = decide(before).map_err(Error::Refused)?;
                for ((path, pinned), after) in paths.iter().zip(&mut pins).zip(&after) {
                    if pinned.is_none() && matches!(after, After::Write(_)) {
                        *pinned = Some(folders.make(path)?);
                    }
                }
                let staged =
                    paths.iter().zip(&pins).zip(&after).map(
                        |((path, pinned), after)| match pinned {
                            Some(pinned) => replace::stage(pinned, after),
                            None if *after == After::Keep => Ok(Staged::Keep),
                            None => Err(Error::NotFound(path.clone())),
                        },
                    );
                let staged: Vec<_> = staged.collect::<Result<_, _>>()?;
                if cancel.is_cancelled() {
                    return Err(Error::Cancelled);
                }
                let expected = (others == Others::Kept).then_some(seen.as_slice());
                let replaced = replace::commit_all(staged, &pins, &kept, expected)?;
                // The caller does not wait for the old blocks to be freed.
                tokio::task::spawn_blocking(move || drop(replaced));
                let now =
                    pins.iter().map(|pinned| files::version_of(pinned.as_ref()?).ok()).collect();
                Ok(UpdatedAll { changes, before: seen, after: now })
            })
        })
        .await
    }
}

#[async_trait::async_trait]
impl Environment for Local {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    async fn stat(&self, path: &Path) -> Result<Stat, Error> {
        on_path(path, files::stat).await
    }

    async fn stat_all(&self, paths: &[PathBuf]) -> Vec<Result<Stat, Error>> {
        on_each(paths, files::stat).await
    }

    async fn canonicalize(&self, path: &Path) -> Result<PathBuf, Error> {
        on_path(path, files::canonicalize).await
    }

    async fn canonicalize_all(&self, paths: &[PathBuf]) -> Vec<Result<PathBuf, Error>> {
        on_each(paths, files::canonicalize).await
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        on_path(path, files::read).await
    }

    async fn read_lines(&self, path: &Path, window: Window) -> Result<Lines, Error> {
        let path = path.to_path_buf();
        let read = move |cancel: &_| files::read_lines(&path, window, cancel);
        blocking(CancellationToken::new(), read).await
    }

    async fn versions(&self, paths: &[PathBuf]) -> Vec<Result<Version, Error>> {
        on_each(paths, files::version_at).await
    }

    async fn list(&self, path: &Path) -> Result<Vec<ListEntry>, Error> {
        on_path(path, files::list).await
    }

    async fn list_all(&self, paths: &[PathBuf]) -> Vec<Result<Vec<ListEntry>, Error>> {
        on_each(paths, files::list).await
    }

    async fn write(&self, path: &Path, content: Vec<u8>) -> Result<(), Error> {
        let decide: Decide = Box::new(|_| Ok(Rewrite { content: content.into(), change: None }));
        let one = vec![self.canonicalize(path).await?];
        let decide = change::for_all(decide);
        self.change_all(&one, decide, Others::Overwritten, &CancellationToken::new())
            .await
            .map(drop)
    }

    async fn update(
        &self,
        path: &Path,
        decide: Decide,
        cancel: &CancellationToken,
    ) -> Result<Updated, Error> {
        let one = vec![path.to_path_buf()];
        let mut done = self.update_all(&one, change::for_all(decide), cancel).await?;
        let lost = || Error::NotFound(path.to_path_buf());
        let after = done.after.pop().flatten().ok_or_else(lost)?;
        Ok(Updated { change: done.changes.pop(), before: done.before.pop().flatten(), after })
    }

    async fn update_all(
        &self,
        paths: &[PathBuf],
        decide: DecideAll,
        cancel: &CancellationToken,
    ) -> Result<UpdatedAll, Error> {
        self.change_all(paths, decide, Others::Kept, cancel).await
    }

    async fn scan(&self, scan: Scan, cancel: &CancellationToken) -> Result<Scanned, Error> {
        let (except, trees) = (Arc::clone(&self.unscanned), Arc::clone(&self.watched));
        blocking(cancel.child_token(), move |cancel| scan::scan(&scan, &except, &trees, cancel))
            .await
    }

    async fn remember(
        &self,
        path: &Path,
        keep: Keep,
        max_bytes: u64,
    ) -> Result<Option<FileState>, Error> {
        let path = path.to_path_buf();
        let remember = move |cancel: &_| scan::remember(&path, &keep, max_bytes, cancel);
        blocking(CancellationToken::new(), remember).await
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), Error> {
        on_path(path, move |path| scan::set_mode(path, mode)).await
    }

    async fn tidy(&self, folder: &Path) -> Result<(), Error> {
        on_path(folder, replace::tidy).await
    }

    async fn create_folder(&self, path: &Path) -> Result<(), Error> {
        on_path(path, files::create_folder).await
    }

    async fn remove(&self, path: &Path) -> Result<(), Error> {
        on_path(path, files::remove).await
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let to = to.to_path_buf();
        on_path(from, move |from| files::rename(from, &to)).await
    }

    async fn find(&self, find: Find, cancel: &CancellationToken) -> Result<FoundPaths, Error> {
        blocking(cancel.child_token(), move |cancel| walk::find(&find, cancel)).await
    }

    async fn grep(&self, grep: Grep, cancel: &CancellationToken) -> Result<Grepped, Error> {
        blocking(cancel.child_token(), move |cancel| walk::grep(&grep, cancel)).await
    }

    async fn exec(
        &self,
        command: Command,
        cancel: &CancellationToken,
        output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Ran, Error> {
        self.has_run.store(true, Ordering::Relaxed);
        command.output.set_secrets(self.ambient.secrets());
        let mut launch = self.shell.launch(&self.ambient.new_id(), &command);
        self.withhold_keys(&mut launch);
        self.with_temporary(&mut launch.confinement, &command.owner)?;
        Self::with_found(&mut launch.confinement).await;
        let limits = command.confinement.clone();
        let missing = limits.as_deref().map(Confinement::missing).unwrap_or_default();
        let before = launch.confinement.as_deref().map(|limits| limits.protected.clone());
        let stand_in = self.stand_in(&command)?;
        if let Some(folder) = &stand_in {
            launch.cwd = Some(folder.path().to_owned());
        }
        let mut ran = process::run(launch, &command, &self.drains, cancel, output).await?;
        ran.is_displaced = stand_in.is_some();
        if let Some(report) = &mut ran.sandbox {
            report.created = missing;
            report.created.retain(|path| path.symlink_metadata().is_ok());
            if let (Some(limits), Some(before)) = (limits, before) {
                let now = limits.names.at_the_top(&limits.writable);
                report.created.extend(now.into_iter().filter(|path| !before.contains(path)));
                // Not awaited: the result is for the next command.
                drop((!limits.names.is_empty()).then(|| Self::look(&limits)));
            }
        }
        Ok(ran)
    }

    async fn filter(&self, filter: Filter) -> Result<Filtered, Error> {
        self.has_run.store(true, Ordering::Relaxed);
        let mut launch = self.shell.launch_line(
            &self.ambient.new_id(),
            &filter.line,
            &filter.cwd,
            &filter.owner,
        );
        launch.confinement = filter.confinement;
        self.with_temporary(&mut launch.confinement, &filter.owner)?;
        Self::with_found(&mut launch.confinement).await;
        self.withhold_keys(&mut launch);
        let done = process::output(launch, &filter.input, filter.max_bytes).await;
        let process::Answer { code, stdout, stderr, .. } =
            done.map_err(|error| Error::from_io(&filter.cwd, &error))?;
        Ok(Filtered { code, stdout, stderr })
    }

    async fn start(&self, mut program: Program) -> Result<RunningProgram, Error> {
        self.has_run.store(true, Ordering::Relaxed);
        program.command =
            in_path(&program).ok_or_else(|| Error::NoProgram(program.command.clone()))?;
        let owner = program.owner.clone();
        let mut launch = self.shell.launch_program(&self.ambient.new_id(), program);
        self.with_temporary(&mut launch.confinement, &owner)?;
        Self::with_found(&mut launch.confinement).await;
        process::start_program(&launch).await
    }

    fn in_terminal(&self, command: &Command) -> Option<TerminalCommand> {
        // Another program's terminal confines nothing.
        let withheld = self.withheld.as_ref().filter(|_| command.confinement.is_none())?;
        // If the directory is missing, the command runs here, in another one.
        command.cwd.is_dir().then_some(())?;
        self.has_run.store(true, Ordering::Relaxed);
        // Commands get no terminal: a program that waits for input would never end.
        let line = match Dialect::detect(&self.shell.program) {
            Dialect::Bourne => without_input(&command.line),
            Dialect::PowerShell | Dialect::WindowsPowerShell => command.line.clone(),
        };
        let id = self.ambient.new_id();
        let launch = self.shell.launch_line(&id, &line, &command.cwd, &command.owner);
        let fixed = variables::FIXED.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let known = match self.provider_keys {
            ProviderKeys::Withheld => self.ambient.secrets(),
            ProviderKeys::Passed => &Secrets::default(),
        };
        let keys = self.ambient.vars().filter(|(name, value)| known.hides(name, value));
        let keys = keys.map(|(name, _)| name.to_owned());
        let hidden = withheld.iter().cloned().chain(keys).map(|name| (name, String::new()));
        let parts = launch.variables.into_iter().filter(|(name, _)| shell::is_part(name));
        let given = command.variables.iter().cloned().chain(parts);
        let mark = (MARK.to_owned(), launch.mark.clone());
        Some(TerminalCommand {
            argv: launch.argv,
            cwd: command.cwd.clone(),
            variables: hidden.chain(fixed).chain(given).chain([mark]).collect(),
            mark: launch.mark,
            temporary: launch.temporary,
        })
    }

    async fn release(&self, owner: &str) {
        if self.has_run.load(Ordering::Relaxed) {
            let (marks, owner) = (self.shell.marks.clone(), owner.to_owned());
            let supervisor = self.shell.supervisor.clone();
            let temporary =
                self.temporaries.lock().unwrap_or_else(PoisonError::into_inner).remove(&owner);
            let ended = owner.clone();
            let release = move || {
                if let Some(supervisor) = supervisor {
                    supervisor.release(&format!("{marks}-{ended}-"));
                }
                Shell::release(&marks, Some(&ended));
                drop(temporary);
            };
            let _ = tokio::task::spawn_blocking(release).await;
            self.drains.release(&owner).await;
        }
    }

    async fn end_abandoned(&self, owner: &str) -> Vec<String> {
        let owner = owner.to_owned();
        let ended = tokio::task::spawn_blocking(move || family::end_abandoned(&owner)).await;
        ended.unwrap_or_default()
    }
}

impl Drop for Local {
    /// Sessions release their own processes; this handles any that remain.
    fn drop(&mut self) {
        if self.has_run.load(Ordering::Relaxed) {
            Shell::release(&self.shell.marks, None);
        }
    }
}

async fn on_path<T: Send + 'static>(
    path: &Path,
    act: impl FnOnce(&Path) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let path = path.to_path_buf();
    blocking(CancellationToken::new(), move |_| act(&path)).await
}

/// Does the same with several paths, in one hop.
async fn on_each<T: Send + 'static>(
    paths: &[PathBuf],
    act: fn(&Path) -> Result<T, Error>,
) -> Vec<Result<T, Error>> {
    if paths.is_empty() {
        return Vec::new();
    }
    let all = paths.to_vec();
    let look = move |_: &_| Ok(all.iter().map(|path| act(path)).collect::<Vec<_>>());
    match blocking(CancellationToken::new(), look).await {
        Ok(found) => found,
        Err(error) => paths.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Runs something on a thread that may block. Dropping the future cancels the token it is given.
async fn blocking<T: Send + 'static>(
    cancel: CancellationToken,
    act: impl FnOnce(&CancellationToken) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let guard = cancel.clone().drop_guard();
    let done = tokio::task::spawn_blocking(move || act(&cancel)).await;
    guard.disarm();
    match done {
        Ok(done) => done,
        // Happens only while the runtime shuts down, or after a panic that was reported.
        Err(_) => Err(Error::Cancelled),
    }
}

/// One lock for each file that is being changed, by its canonical path. Held on blocking threads only, and the map's
/// own lock never while a file is accessed.
#[derive(Debug, Default)]
struct Locks(Mutex<HashMap<PathBuf, Weak<Mutex<()>>>>);

impl Locks {
    /// Calls a function while holding the file locks for these canonical paths.
    fn with<T>(
        &self,
        paths: &[PathBuf],
        act: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        // All callers lock in the same order, so that two of them never wait for each other.
        let ordered: BTreeSet<&PathBuf> = paths.iter().collect();
        let locks: Vec<_> = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            locks.retain(|_, lock| lock.strong_count() > 0);
            ordered.into_iter().map(|path| lock_of(&mut locks, path)).collect()
        };
        let held = locks.iter().map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner));
        let _held: Vec<_> = held.collect();
        act()
    }
}

/// Closes the command's input. The command text comes first if possible, since editors use it as a terminal's title; a text whose end would
/// swallow what follows comes last.
fn without_input(line: &str) -> String {
    let takes_more = line.contains("<<") || line.ends_with('\\');
    if takes_more {
        format!("exec </dev/null\n{line}")
    } else {
        format!("{{ {line}\n}} </dev/null")
    }
}

fn lock_of(locks: &mut HashMap<PathBuf, Weak<Mutex<()>>>, path: &Path) -> Arc<Mutex<()>> {
    locks.get(path).and_then(Weak::upgrade).unwrap_or_else(|| {
        let lock = Arc::default();
        locks.insert(path.to_path_buf(), Arc::downgrade(&lock));
        lock
    })
}

#[cfg(test)]
mod tests;
