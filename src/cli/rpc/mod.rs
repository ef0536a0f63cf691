//! The settings of `pintle rpc`: those in Pi's directory (models, keys, settings, session files), with lower precedence than pintle's own.
//!
//! Invariant: only session files are written in Pi's directory.

use crate::cli::args::Settings;
use crate::cli::args::rpc::{Rpc, ToolChoice};
use crate::cli::assemble;
use anyhow::Context;
use pintle_agent::models::{ModelSource, Models, Toolbox};
use pintle_agent::{Named, Personal, RetryPolicy, Services, Sources, globs_of};
use pintle_base::ambient::Ambient;
use pintle_base::private_files;
use pintle_frontend::pi::{self, Preferences, QueueMode};
use pintle_llm::catalog;
use pintle_session::pi::auth;
use pintle_session::pi::settings::{Compaction, Retry, Settings as PiSettings};
use pintle_session::store::Store;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The settings that the program runs with.
pub(crate) struct SetUp {
    pub(crate) settings: Settings,
    pub(crate) ambient: Ambient,
    /// Pi's directory.
    folder: PathBuf,
    pi: PiSettings,
    /// The directory for sessions that are not stored.
    nowhere: Option<tempfile::TempDir>,
    model: Option<String>,
}

/// Reads the files in Pi's directory, and overrides their settings with the command line.
pub(crate) fn set_up(task: &Rpc, ambient: Ambient) -> anyhow::Result<SetUp> {
    let folder = match ambient.var("PI_CODING_AGENT_DIR").filter(|text| !text.is_empty()) {
        Some(folder) => in_home(folder, &ambient),
        None => ambient.home().context("HOME is not set")?.join(".pi/agent"),
    };
    let pi = read(&folder.join("settings.json"))?;
    let mut settings = task.settings.clone();
    if !task.attach {
        settings.models_files = vec![folder.join("models.json")];
        // Clients of Pi know its tools by their names.
        settings.profile = settings.profile.or(Some("pi".to_owned()));
    }
    let nowhere = task.no_session.then(|| pintle_base::private_files::temporary_folder("pintle-"));
    let nowhere = nowhere.transpose()?;
    let named = settings.model.take();
    let mut set_up = SetUp { settings, ambient, folder, pi, nowhere, model: None };
    if !task.attach {
        set_up.take_keys()?;
    }
    set_up.model = set_up.choose_model(task, named)?;
    if let (Some(key), Some(model)) = (&task.api_key, &set_up.model) {
        let provider = model.split('/').next().unwrap_or_default();
        let known = catalog::find(provider).and_then(|known| known.key_vars.first());
        let var = known.with_context(|| {
            format!("--api-key: `{provider}` accepts no key from the command line; set it in models.json")
        })?;
        set_up.ambient = set_up.ambient.with_var(var, key);
    }
    set_up.settings.model.clone_from(&set_up.model);
    Ok(set_up)
}

/// Reads a settings file. A missing file is empty; an invalid one is reported and ignored, as in Pi.
fn read(path: &Path) -> anyhow::Result<PiSettings> {
    let Some(text) = text_of(path)? else { return Ok(PiSettings::default()) };
    Ok(serde_json::from_str(&text).unwrap_or_else(|error| {
        tracing::warn!("{}: {error}; ignored", path.display());
        PiSettings::default()
    }))
}

/// The maximum size of a settings file.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Returns a file's text, if it exists.
fn text_of(path: &Path) -> anyhow::Result<Option<String>> {
    match private_files::read_to_string(path, MAX_FILE_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

fn in_home(path: &str, ambient: &Ambient) -> PathBuf {
    match (path.strip_prefix("~/"), ambient.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

impl SetUp {
    /// Takes the keys that were given to Pi, where neither settings nor variables have one.
    fn take_keys(&mut self) -> anyhow::Result<()> {
        let path = self.folder.join("auth.json");
        let Some(text) = text_of(&path)? else { return Ok(()) };
        if private_files::is_readable_by_others(&path) {
            let path = path.display();
            tracing::warn!(
                "{path} contains keys and is readable by other users: run `chmod 600 {path}`"
            );
        }
        let found = auth::read(&text, &self.ambient);
        for warning in found.warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        let config = assemble::load_config(&self.settings, &self.ambient)?;
        for (provider, key) in found.keys {
            let own = config.providers.get(&provider);
            let vars = own.map(|own| own.key_vars.as_slice()).filter(|vars| !vars.is_empty());
            let known = catalog::find(&provider).map(|known| known.key_vars.as_slice());
            let vars = vars.or(known).unwrap_or_default();
            let Some(var) = vars.first() else {
                let path = path.display();
                tracing::warn!(
                    "{path}: `{provider}` accepts no key from this file; set it in models.json"
                );
                continue;
            };
            // A key of the settings counts more than any variable.
            if vars.iter().all(|var| self.ambient.var(var).is_none()) {
                self.ambient = self.ambient.with_var(var, &key);
            }
        }
        Ok(())
    }

    /// Returns the model that is named by the command line, by our own settings, or by Pi's, in this order.
    fn choose_model(&self, task: &Rpc, named: Option<String>) -> anyhow::Result<Option<String>> {
        let config = assemble::load_config(&self.settings, &self.ambient)?;
        let level = |model: String, level: Option<&String>| {
            let Some(level) = level else { return model };
            pi::at_level(&model, level).unwrap_or_else(|| {
                tracing::warn!(
                    "unknown thinking level `{level}`, ignored; expected one of off, minimal, low, medium, high, xhigh, max"
                );
                model
            })
        };
        let from_flags = match (&task.provider, named) {
            (Some(provider), Some(id)) => {
                let is_whole = id.starts_with(&format!("{provider}/"));
                Some(if is_whole { id } else { format!("{provider}/{id}") })
            }
            (None, Some(text)) if text.contains('/') => Some(text),
            (None, Some(text)) => {
                let (text, effort) =
                    text.split_once(':').map_or((text.as_str(), None), |(t, e)| (t, Some(e)));
                let list =
                    assemble::configured_models(&self.settings, &config, &self.ambient)?.list();
                let model = pi::resolve(&list, None, text);
                let model = model.with_context(|| {
                    format!("unknown model `{text}`: `pintle models` lists the known ones")
                })?;
                Some(effort.map_or(model.clone(), |effort| format!("{model}:{effort}")))
            }
            (Some(provider), None) => {
                let list =
                    assemble::configured_models(&self.settings, &config, &self.ambient)?.list();
                let first = pi::resolve(&list, Some(provider), "");
                Some(first.with_context(|| {
                    format!("no known models for `{provider}`: choose one with --model")
                })?)
            }
            (None, None) => None,
        };
        if let Some(model) = from_flags {
            return Ok(Some(level(model, task.thinking.as_ref())));
        }
        let thinking = task.thinking.as_ref();
        if let Some(own) = &config.settings.model {
            return Ok(thinking.map(|thinking| level(own.value.clone(), Some(thinking))));
        }
        let (Some(provider), Some(id)) = (&self.pi.default_provider, &self.pi.default_model) else {
            return Ok(None);
        };
        if task.attach {
            // The engine that others share does not read Pi's models.
            let list = assemble::configured_models(&self.settings, &config, &self.ambient)?.list();
            if pi::resolve(&list, Some(provider), id).is_none() {
                return Ok(None);
            }
        }
        let thinking = thinking.or(self.pi.default_thinking_level.as_ref());
        Ok(Some(level(format!("{provider}/{id}"), thinking)))
    }

    /// Returns the engine's data directory.
    pub(crate) fn data(&self) -> anyhow::Result<PathBuf> {
        Ok(assemble::load_config(&self.settings, &self.ambient)?.folders.data)
    }

    /// Returns the client's settings, for a session in this directory.
    pub(crate) fn preferences(&mut self, task: &Rpc, cwd: &Path) -> anyhow::Result<Preferences> {
        let mode = |mode: &Option<String>| match mode.as_deref() {
            Some("all") => QueueMode::All,
            Some(_) | None => QueueMode::OneAtATime,
        };
        let texts = task.append_system_prompt.iter();
        let texts = texts
            .map(|text| assemble::text_or_file(cwd, text))
            .collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Preferences {
            dialect: task.dialect(),
            start: task.start(),
            session_dir: (!task.no_session).then(|| self.session_dir(task, cwd)),
            name: task.name.clone(),
            model: self.model.clone(),
            system_prompt: (!texts.is_empty()).then(|| texts.join("\n\n")),
            models: task.models.clone(),
            steering: mode(&self.pi.steering_mode),
            follow_up: mode(&self.pi.follow_up_mode),
            no_retry: self.pi.retry.enabled == Some(false),
        })
    }

    /// Returns the session file directory: that of the command line, the environment or Pi's settings, else Pi's default.
    fn session_dir(&self, task: &Rpc, cwd: &Path) -> PathBuf {
        let var = self.ambient.var("PI_CODING_AGENT_SESSION_DIR").filter(|text| !text.is_empty());
        let named = task
            .session_dir
            .clone()
            .or_else(|| var.map(|text| in_home(text, &self.ambient)))
            .or_else(|| self.pi.session_dir.as_deref().map(|text| in_home(text, &self.ambient)));
        named.map_or_else(
            || {
                let name =
                    cwd.to_string_lossy().trim_start_matches('/').replace(['/', '\\', ':'], "-");
                self.folder.join("sessions").join(format!("--{name}--"))
            },
            |named| cwd.join(named),
        )
    }
}

/// Builds the engine's services.
pub(crate) async fn services(task: &Rpc, set_up: &SetUp) -> anyhow::Result<Services> {
    let mut services = assemble::services(&set_up.settings, &set_up.ambient).await?;
    if let Some(folder) = &set_up.nowhere {
        services.store = Store::temporary(folder.path());
    }
    let Compaction { enabled, reserve_tokens, keep_recent_tokens } = &set_up.pi.compaction;
    let compaction = &mut services.defaults.compaction;
    compaction.is_automatic = enabled.unwrap_or(compaction.is_automatic);
    compaction.reserve = reserve_tokens.unwrap_or(compaction.reserve);
    compaction.keep = keep_recent_tokens.unwrap_or(compaction.keep);
    let retry = &mut services.model_policy.retry;
    *retry = retry_policy(&set_up.pi.retry, *retry);
    if let Some(toolbox) = chosen(&task.tools, services.tools.toolbox.clone())? {
        services.tools.toolbox = toolbox;
    }
    if let Some(text) = &task.system_prompt {
        let here = set_up.ambient.current_dir()?;
        services.set_base_prompt(assemble::text_or_file(&here, text)?);
    }
    let mut personal = Personal::clone(&services.personal);
    personal.sources = sources(task, set_up)?;
    services.personal = Arc::new(personal);
    if services.defaults.model.is_none() {
        services.defaults.model = first_with_key(&services.models);
    }
    Ok(services)
}

/// Returns a retry policy with Pi's settings laid over it: so many retries however long they take, and waits that double.
fn retry_policy(set: &Retry, own: RetryPolicy) -> RetryPolicy {
    let policy = match set.max_retries {
        Some(retries) => RetryPolicy { retries, total: Duration::MAX, ..own },
        None => own,
    };
    match set.base_delay_ms.map(Duration::from_millis) {
        Some(first) => {
            let longest = policy.longest.max(first);
            RetryPolicy { first, growth: 2, jitter_percent: 0, longest, ..policy }
        }
        None => policy,
    }
}

/// Returns the sources of skills and prompts: those given on the command line, then those in Pi's directory.
fn sources(task: &Rpc, set_up: &SetUp) -> anyhow::Result<Sources> {
    let of = &task.resources;
    let here = set_up.ambient.current_dir()?;
    let named = |paths: &[PathBuf], alone: bool, folder: &str| {
        let mut paths: Vec<PathBuf> = paths.iter().map(|path| here.join(path)).collect();
        for path in paths.iter().filter(|path| !path.exists()) {
            tracing::warn!("{} does not exist; ignored", path.display());
        }
        if !alone {
            paths.push(set_up.folder.join(folder));
        }
        Named { paths, alone }
    };
    Ok(Sources {
        no_documents: of.no_context_files,
        skills: named(&of.skill, of.no_skills, "skills"),
        prompts: named(&of.prompt_template, of.no_prompt_templates, "prompts"),
    })
}

/// Returns a model with a key, for use if none is named, as in Pi.
fn first_with_key(models: &Models) -> Option<String> {
    pi::resolve(&models.list(), None, "")
        .filter(|model| model.parse().is_ok_and(|model| models.provider(&model).is_ok()))
}

/// Returns the tools that the command line allows.
fn chosen(choice: &ToolChoice, of: Toolbox) -> anyhow::Result<Option<Toolbox>> {
    let named =
        choice.tools.iter().flatten().map(|name| name.trim()).filter(|name| !name.is_empty());
    let (taken, named): (Vec<&str>, Vec<&str>) = named.partition(|name| name.starts_with('-'));
    let only: Vec<String> =
        named.iter().filter(|name| !name.starts_with('+')).map(|name| (*name).to_owned()).collect();
    let is_only = choice.no_tools || !only.is_empty();
    let taken = taken.iter().map(|name| name.trim_start_matches('-').to_owned());
    let without: Vec<String> = taken.chain(choice.exclude_tools.iter().cloned()).collect();
    if !is_only && without.is_empty() {
        return Ok(None);
    }
    let globs =
        |names: &[String]| globs_of(names).map_err(|error| anyhow::anyhow!("--tools: {error}"));
    let only = is_only.then(|| globs(&only)).transpose()?;
    Ok(Some(Toolbox::Chosen { of: Box::new(of), only, without: globs(&without)? }))
}
