//! The command `run`: one task from the command line, and what becomes of its copy and session.

use super::signals::Signals;
use super::{args, assemble, beside, copy, piped, prune, sessions, unless_stopped};
use anyhow::Context;
use pintle_agent::{Engine, Services};
use pintle_base::ambient::Ambient;
use pintle_base::private_files;
use pintle_base::text::screen;
use pintle_base::transport::stdio;
use pintle_frontend::run;
use pintle_os::streams;
use pintle_protocol::approval::PermissionMode;
use pintle_session::store::Store;
use pintle_tools::ReportFinding;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Runs a task and returns the exit code.
///
/// # Errors
/// The options are invalid, or a file, a session or the directory that they refer to is missing.
pub(super) async fn run(mut task: args::Run, ambient: Ambient) -> anyhow::Result<u8> {
    task.safety.apply_to_run(&mut task.settings, task.session.as_deref())?;
    // There is no user to ask: a task needs workspace edits and confined commands.
    task.settings.usual_permission = Some(PermissionMode::AutoEdit);
    let mut signals = Signals::new()?;
    let here = ambient.base_dir(task.directory.as_deref())?;
    let copy = if task.delivery.no_apply {
        let Some(copy) = copy_of(&task, &here, &mut signals).await? else {
            return Ok(signals.code());
        };
        Some(copy)
    } else {
        None
    };
    let named = task.directory.iter().map(|folder| here.join(folder));
    let copied = copy.iter().map(|copy| copy.root().to_owned());
    task.settings.one_task = Some(copied.chain(named).collect());
    task.settings.kept_tree = copy.as_ref().map(|copy| copy.original().to_owned());
    let assembled = assemble::services(&task.settings, &ambient);
    let assembled = unless_stopped(assembled, &mut signals).await?;
    let Some(mut services) = assembled else { return Ok(signals.code()) };
    let temporary = temporary_store(&mut services, &task)?;
    let (services, args::Output { patch, reports }) = configure(services, &task, &ambient, &here)?;
    let events = task.events()?;
    let named = task.directory.as_deref();
    let cwd =
        assemble::working_folder(&task.settings, &ambient, services.env.as_ref(), named).await?;
    let output_schema = task.output_schema()?;
    let session = session(&services, &task, &cwd, &ambient)?;
    let cwd = match &copy {
        Some(copy) => in_copy(copy, &cwd, &services, &task)?,
        None => cwd,
    };
    let attach = attachments(&task, &here, services.env.is_this_machine(), copy.as_ref())?;
    let Some((prompt, piped)) = prompt(&task, &mut signals).await? else {
        return Ok(signals.code());
    };
    let stdout = streams::take_stdout()?;
    let is_terminal = stdout.is_terminal();
    let (out, hangup) = stdio::open_lines(stdout)?;
    let (engine, handle) = Engine::new(services);
    let session = run::SessionOptions {
        id: session,
        moves: task.directory.is_some(),
        mode: task.mode(),
        additional: task.add_dir.iter().map(|folder| cwd.join(folder)).collect(),
        model: None,
        tools: None,
        isolation: task.delivery.isolation(),
        applies: task.delivery.attempts().is_none(),
        is_temporary: temporary.is_some(),
    };
    let options = run::Options {
        cwd,
        prompt,
        attach,
        piped,
        session,
        limits: run::Limits {
            turn: task.limits(),
            wall: task.timeout.map(Duration::from_secs),
            idle: task.idle_timeout.map(Duration::from_secs),
        },
        output_schema,
        failures: run::FailureConditions {
            fail_on_denied: task.fail_on_denied,
            require_changes: task.require_changes,
            is_untrusted: task.settings.is_untrusted,
        },
        output: run::Output {
            format: task.format.into(),
            events,
            patch,
            reports,
            is_terminal,
            is_quiet: task.quiet,
        },
        copy: copy.as_ref().map(|copy| (copy.root().to_owned(), copy.original().to_owned())),
        keeps_engine: false,
        stop: run::Stop { signal: signals.token(), signal_code: signals.shared_code(), hangup },
    };
    let attempts = task.delivery.attempts();
    let ran = async move {
        match attempts {
            Some(attempts) => run::run_attempts(out, handle, options, attempts).await,
            None => run::run(out, handle, options).await,
        }
    };
    let ran = beside(engine, ran);
    let code = tokio::select! {
        code = ran => code?,
        code = signals.run() => code,
    };
    if let Some(copy) = copy {
        copy.remove();
    }
    match temporary {
        Some(folder) => remove(folder),
        None => prune(&task.settings, &ambient),
    }
    Ok(code)
}

/// Gives a task without a stored session a temporary store, and returns its directory.
fn temporary_store(services: &mut Services, task: &args::Run) -> anyhow::Result<Option<TempDir>> {
    if !task.no_session {
        return Ok(None);
    }
    let folder = private_files::temporary_folder("pintle-session-")?;
    services.store = Store::temporary(folder.path());
    Ok(Some(folder))
}

/// Returns the services with the task's tools, limits and system prompt, and the task's output files.
fn configure(
    mut services: Services,
    task: &args::Run,
    ambient: &Ambient,
    here: &Path,
) -> anyhow::Result<(Services, args::Output)> {
    services.tools.toolbox = assemble::tools_of_run(services.tools.toolbox, task)?;
    let summary = ambient.var("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
    let output = task.output(here, summary.map(Path::new))?;
    if !output.reports.is_empty() {
        services.tools.toolbox =
            assemble::with_findings(services.tools.toolbox, ReportFinding::default());
    }
    services.defaults.limits.are_told = true;
    services.defaults.limits.wall_ms = task.timeout.map(|seconds| seconds.saturating_mul(1000));
    if let Some(text) = &task.system_prompt {
        services.set_base_prompt(assemble::text_or_file(here, text)?);
    }
    Ok((services, output))
}

/// Returns the stored session to continue, by id, if any.
fn session(
    services: &Services,
    task: &args::Run,
    cwd: &Path,
    ambient: &Ambient,
) -> anyhow::Result<Option<String>> {
    let id = match task.session.as_deref() {
        Some(sessions::LAST) => sessions::newest(&services.store, cwd)?,
        Some(named) => sessions::named(&services.store, named, ambient)?,
        None => return Ok(None),
    };
    Ok(Some(id.as_str().to_owned()))
}

/// Returns the working directory's counterpart in the copy. Answers about the original then apply to the copy.
fn in_copy(
    copy: &copy::Copy,
    cwd: &Path,
    services: &Services,
    task: &args::Run,
) -> anyhow::Result<PathBuf> {
    assemble::check_copy(&task.settings, services.permissions.default_mode)?;
    services.permissions.answers.take_for(copy.root().to_owned(), copy.original().to_owned());
    Ok(copy.inside(cwd))
}

/// Returns the files attached to the task: by path if the tools can read files of this machine, else by content.
fn attachments(
    task: &args::Run,
    here: &Path,
    is_here: bool,
    copy: Option<&copy::Copy>,
) -> anyhow::Result<Vec<run::Attached>> {
    for path in task.attached_files() {
        anyhow::ensure!(here.join(path).is_file(), "--file: no such file: {}", path.display());
    }
    let attached = task.attached_files().map(|path| {
        if is_here {
            return Ok(run::Attached::File(place(&here.join(path), copy)));
        }
        let bytes = private_files::read(&here.join(path), piped::MAX_BYTES as u64)
            .with_context(|| format!("--file: {}", path.display()))?;
        Ok(run::Attached::Content { name: path.to_string_lossy().into_owned(), bytes })
    });
    attached.collect()
}

/// Locates an attached file: in the copy if it is in the project and was copied.
fn place(path: &Path, copy: Option<&copy::Copy>) -> PathBuf {
    let Some(copy) = copy else { return path.to_owned() };
    let Ok(real) = assemble::file(path) else { return path.to_owned() };
    let inside = copy.inside(&real);
    if inside.is_file() { inside } else { real }
}

/// Returns the prompt, and the content of stdin if it is attached; `None` if a signal arrived while stdin was read.
async fn prompt(
    task: &args::Run,
    signals: &mut Signals,
) -> anyhow::Result<Option<(String, Option<Vec<u8>>)>> {
    let wanted = task.stdin()?;
    let Some(piped) = read_stdin(signals, wanted).await? else { return Ok(None) };
    let (text, attached) = match wanted {
        piped::Use::Task => (piped.bytes, None),
        piped::Use::Attached | piped::Use::Offered => (None, piped.bytes),
    };
    Ok(Some((task.prompt(text)?, attached)))
}

/// Reads stdin for a task; `None` if a signal arrived meanwhile.
async fn read_stdin(
    signals: &mut Signals,
    wanted: piped::Use,
) -> anyhow::Result<Option<piped::Piped>> {
    let stop = signals.token();
    let reading = async {
        tokio::select! {
            read = piped::read(wanted) => read.map(Some),
            () = stop.cancelled() => Ok(None),
        }
    };
    let read = tokio::select! {
        read = reading => read?,
        _ = signals.run() => return Ok(None),
    };
    if let Some(remark) = read.as_ref().and_then(|read| read.remark.as_ref()) {
        let _ = writeln!(screen::err(), "pintle: {remark}");
    }
    Ok(read)
}

/// Copies a task's project; `None` if a signal arrived meanwhile.
async fn copy_of(
    task: &args::Run,
    here: &Path,
    signals: &mut Signals,
) -> anyhow::Result<Option<copy::Copy>> {
    let named = task.directory.as_ref().map_or(here.to_owned(), |named| here.join(named));
    let folder = assemble::folder(&named)?;
    let stop = signals.token();
    let making = {
        let stop = stop.clone();
        tokio::task::spawn_blocking(move || copy::Copy::create(&folder, &stop))
    };
    let made = tokio::select! {
        made = making => made?,
        _ = signals.run() => return Ok(None),
    };
    if stop.is_cancelled() { Ok(None) } else { made.map(Some) }
}

/// Removes a temporary session's directory. An error is printed and does not change the task's exit code.
fn remove(folder: TempDir) {
    let path = folder.path().to_owned();
    if let Err(error) = folder.close() {
        let path = path.display();
        let _ =
            writeln!(screen::err(), "pintle: failed to remove {path}: {error}; remove it manually");
    }
}
