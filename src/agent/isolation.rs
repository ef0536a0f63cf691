//! Copies a project for a new isolated session.
//!
//! This happens in the requester's task before the session is created, so that a large project does not delay other sessions. If creating
//! the session fails, the copy is removed.
//!
//! Git runs only for worktrees, without hooks and monitors, and in an untrusted repository only if its settings specify no programs.

use crate::background::in_background;
use crate::error::{Error, ErrorKind};
use crate::requests::CreateSession;
use crate::services::Services;
use pintle_exec::Program;
use pintle_exec::isolation::{self, Repository, copy_project, project};
use pintle_os::{names, pipe};
use pintle_protocol::ids::SessionId;
use pintle_protocol::isolation::{IsolationKind, IsolationRequest};
use pintle_session::context::repository::is_harmless;
use pintle_session::store::{Isolated, Store};
use std::path::{Path, PathBuf};
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

/// Options that disable a repository's hooks and monitors.
const QUIET: [&str; 4] = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

/// Variables by which a caller, such as a git hook, directs git to another repository.
const REDIRECTING: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// The most bytes of git's error output that are read.
const MAX_ERROR_BYTES: u64 = 16 * 1024;

/// A copy for a session that is being created. It is removed by [`Prepared::discard`], not on drop.
#[derive(Debug)]
pub(crate) struct Prepared {
    store: Store,
    session: SessionId,
}

impl Prepared {
    /// Returns the id of the session that the copy was made for.
    pub(crate) fn session(&self) -> &SessionId {
        &self.session
    }

    /// Removes the copy, because the session was not created.
    pub(crate) async fn discard(self) {
        let Self { store, session } = self;
        let removed = in_background(move || store.remove_isolated(&session)).await;
        if let Err(error) = removed {
            tracing::warn!("failed to remove a copy: {error}");
        }
    }
}

/// Creates the copy requested by a new session, and makes it the session's working directory. Returns `None` if none is requested, or if an
/// earlier request with the same key has created the session.
///
/// # Errors
/// The project cannot be copied, or the tools act on another machine.
pub(crate) async fn prepare(
    services: &Services,
    create: &mut CreateSession,
) -> Result<Option<Prepared>, Error> {
    let Some(wanted) = create.isolation else { return Ok(None) };
    if !services.env.is_this_machine() {
        let what = "a session can be isolated only on this machine";
        return Err(Error::new(ErrorKind::Invalid, what)
            .hint("omit the isolation, or run pintle without a command prefix")
            .at("/isolation"));
    }
    let cwd = names::given(create.cwd.clone());
    if let Some(key) = create.cause.as_ref().and_then(|cause| cause.key.clone()) {
        let store = services.store.clone();
        let made = move || Ok(store.made_with(&key).and_then(|id| store.isolated_of(&id)));
        if let Some(made) = in_background(made).await?
            && made.cwd == cwd
            && made.kind == wanted.kind
            && let Some(folder) = made.working_folder()
        {
            create.cwd = folder.to_string_lossy().into_owned();
            return Ok(None);
        }
    }
    let session = create.id.clone().unwrap_or_else(|| SessionId::new(services.ambient.new_id()));
    let prepared = Prepared { store: services.store.clone(), session: session.clone() };
    match copy(services, &session, &cwd, wanted).await {
        Ok(folder) => {
            create.id = Some(session);
            create.cwd = folder.to_string_lossy().into_owned();
            Ok(Some(prepared))
        }
        Err(error) => {
            prepared.discard().await;
            Err(error.at("/isolation"))
        }
    }
}

/// Creates a session's copy, and returns the working directory in it.
async fn copy(
    services: &Services,
    session: &SessionId,
    cwd: &str,
    wanted: IsolationRequest,
) -> Result<PathBuf, Error> {
    let folder = Path::new(cwd);
    crate::workspace::check(services.env.as_ref(), "working directory", folder).await?;
    let real = services.here.canonicalize(folder).await;
    let real = real.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
    if services.store.owner_of(&real).is_some() {
        let what = format!("`{cwd}` belongs to an isolated session");
        return Err(Error::new(ErrorKind::Invalid, what)
            .hint("start from the project itself, or create a session there without isolation"));
    }
    let original = project(&real);
    let (store, id) = (services.store.clone(), session.clone());
    let now_ms = services.ambient.now_ms();
    let own = in_background(move || store.create_isolated(&id, now_ms)).await?;
    if own.starts_with(&original) {
        let what = format!("{} contains pintle's data directory", original.display());
        return Err(Error::new(ErrorKind::Invalid, what).hint(
            "start in a directory without it, or set PINTLE_HOME to one outside of the project",
        ));
    }
    let root = own.join(original.file_name().unwrap_or("root".as_ref()));
    let isolated = Isolated { kind: wanted.kind, root, original, cwd: cwd.to_owned() };
    let (store, id, kept) = (services.store.clone(), session.clone(), isolated.clone());
    // Recorded first, so that an incomplete copy can be removed.
    in_background(move || store.keep_isolated(&id, &kept)).await?;
    match wanted.kind {
        IsolationKind::Copy => fill(&isolated, Repository::Copied).await?,
        IsolationKind::Worktree => worktree(services, &isolated, wanted.uncommitted).await?,
    }
    let copied = isolated.copy_of(&real).unwrap_or_else(|| isolated.root.clone());
    if services.here.stat(&copied).await.is_err() {
        let what = match wanted.kind {
            IsolationKind::Copy => format!("git ignores `{cwd}`, so it is not copied"),
            IsolationKind::Worktree => format!("`{cwd}` is not in the last commit"),
        };
        return Err(Error::new(ErrorKind::Invalid, what).hint(
            "start in a directory that git tracks, or create the session without isolation",
        ));
    }
    let answers = &services.permissions.answers;
    answers.take_for(isolated.root.clone(), isolated.original.clone());
    Ok(copied)
}

/// Copies the project's files into the copy's directory.
async fn fill(isolated: &Isolated, repository: Repository) -> Result<(), Error> {
    // Stops the thread if the request is dropped.
    let stop = CancellationToken::new();
    let (guard, token) = (stop.clone().drop_guard(), stop);
    let Isolated { root, original, .. } = isolated.clone();
    let shown = original.display().to_string();
    let copying = tokio::task::spawn_blocking(move || {
        make_folder(&root)?;
        copy_project(&original, &root, repository, &token)
    });
    let copied = copying.await;
    drop(guard);
    match copied {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            let is_large = matches!(error, isolation::Error::TooLarge);
            let kind = if is_large { ErrorKind::Invalid } else { ErrorKind::Internal };
            Err(Error::new(kind, format!("failed to copy {shown}: {error}")))
        }
        Err(error) => Err(Error::new(ErrorKind::Internal, format!("failed to copy: {error}"))),
    }
}

fn make_folder(root: &Path) -> Result<(), isolation::Error> {
    let made = pintle_base::private_files::create_private_folder(root);
    made.map_err(|source| isolation::Error::Io { path: root.to_owned(), source })
}

/// Creates a worktree of the last commit, with the user's uncommitted changes if requested.
async fn worktree(
    services: &Services,
    isolated: &Isolated,
    uncommitted: bool,
) -> Result<(), Error> {
    let Isolated { root, original, .. } = isolated;
    let git = original.join(".git");
    if services.here.stat(&git).await.is_err() {
        let what = format!("{} is not a git repository", original.display());
        return Err(Error::new(ErrorKind::Invalid, what).hint("use isolation of the kind `copy`"));
    }
    check_settings(services, original).await?;
    let place = root.to_string_lossy();
    let mut add = vec!["worktree", "add", "--quiet", "--detach"];
    if uncommitted {
        add.push("--no-checkout");
    }
    add.extend([&*place, "HEAD"]);
    run_git(services, original, &add).await?;
    if uncommitted {
        fill(isolated, Repository::LeftOut).await?;
        // Sets the index to the commit without changing files.
        run_git(services, root, &["reset", "--quiet"]).await?;
    }
    Ok(())
}

/// Refuses an untrusted repository whose settings would make git start programs.
async fn check_settings(services: &Services, original: &Path) -> Result<(), Error> {
    if services.permissions.answers.trusts(original).await.is_some() {
        return Ok(());
    }
    let settings = crate::project::git_settings(services.here.as_ref(), original).await;
    if settings.is_some_and(|settings| is_harmless(&settings)) {
        return Ok(());
    }
    let what = format!(
        "the git settings of {} can start programs, and the project is not trusted",
        original.display()
    );
    Err(Error::new(ErrorKind::Invalid, what)
        .hint("trust the project with `pintle trust`, or use isolation of the kind `copy`"))
}

async fn run_git(services: &Services, cwd: &Path, arguments: &[&str]) -> Result<(), Error> {
    let failed = |what: &str| {
        let command = arguments.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        Error::new(ErrorKind::Invalid, format!("git {command} failed: {what}"))
            .hint("use isolation of the kind `copy`, or fix the repository")
    };
    let variables = services.ambient.vars().filter(|(name, _)| !REDIRECTING.contains(name));
    let program = Program {
        command: "git".to_owned(),
        arguments: QUIET.iter().chain(arguments).map(|&word| word.to_owned()).collect(),
        cwd: cwd.to_owned(),
        variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        owner: "isolation".to_owned(),
        confinement: None,
    };
    let started = services.here.start(program).await;
    let mut running = started.map_err(|error| failed(&error.to_string()))?;
    drop(running.stdin);
    let (output, said) = tokio::join!(read(running.stdout), read(running.stderr));
    let ended = running.process.wait().await.map_err(|error| failed(&error.to_string()))?;
    if ended.success() {
        return Ok(());
    }
    let said = if said.trim().is_empty() { output } else { said };
    Err(failed(said.trim()))
}

async fn read(pipe: pipe::Receiver) -> String {
    let mut bytes = Vec::new();
    let mut limited = pipe.take(MAX_ERROR_BYTES);
    let _ = limited.read_to_end(&mut bytes).await;
    // Read to the end, so that git does not block.
    let _ = tokio::io::copy(&mut limited.into_inner(), &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&bytes).into_owned()
}
