//! The wiring: builds an engine's services from the settings.
#![expect(clippy::disallowed_methods, reason = "resolves the folders that the command line names")]

use crate::cli::{args, mcp, recording};
use anyhow::Context;
use pintle_agent::config::{
    self, Config, ContextSettings, HookSettings, LimitSettings, LintSettings, Live, PruneAbove,
    Seconds, Source, TextFile, TitleSettings, ToolSettings, Variables,
};
use pintle_agent::models::{ConfiguredModels, KeyFetcher, Models, Toolbox, register_secrets};
use pintle_agent::{
    APPROVAL_TIMEOUT, AnswerTimeouts, CheckSettings, CompactionPolicy, HOOK_TIMEOUT, Hook,
    LINT_TIMEOUT, Limits, Lint, ModelPolicy, PermissionPolicy, Personal, PruneThreshold,
    QUESTION_TIMEOUT, REPORT_WAIT, RetryPolicy, Runner, SandboxPolicy, Services, SessionDefaults,
    ToolSources,
};
use pintle_base::ambient::Ambient;
use pintle_base::image;
use pintle_base::network::Network;
use pintle_base::network::proxies::Proxies;
use pintle_base::text::tool_names::names_tool;
use pintle_exec::editor::{Editors, Overlay};
use pintle_exec::isolation::project;
use pintle_exec::local::{Local, Options, ProviderKeys};
use pintle_exec::variables::Policy;
use pintle_exec::{Dialect, Environment, FileKind, ReadOnly, Wrapped};
use pintle_frontend::demo::{Demo, PROJECT};
use pintle_llm::credentials::Commands;
use pintle_llm::http::{Http, Timeouts};
use pintle_llm::login::Logins;
use pintle_llm::{Error, ModelRef, Provider, Script, Wire};
use pintle_os::{System, names};
use pintle_protocol::approval::PermissionMode;
use pintle_session::store::Store;
use pintle_tools::permissions::{Decision, Kind, Rule};
use pintle_tools::trust::{self, Answers};
use pintle_tools::{PROFILES, Profile, READ_FIRST, ReportFinding, Settings, Tool, WebSearch};
use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Builds the engine's services.
pub(crate) async fn services(
    settings: &args::Settings,
    ambient: &Ambient,
) -> anyhow::Result<Services> {
    let config = load_config(settings, ambient)?;
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    register_secrets(&config, ambient);
    let script = settings.script.as_deref().map(load_script).transpose()?;
    let has_script = script.is_some();
    let configured = Arc::new(configured_models(settings, &config, ambient)?);
    if settings.web_search && !has_script {
        warn_of_search(&config, &configured);
    }
    let models = match script {
        Some(script) => scripted(script),
        None => Models::shared(Arc::clone(&configured)),
    };
    let answers = given(settings, &config, ambient);
    let permissions = permissions(settings, &config, ambient, answers.clone());
    if settings.sandbox == Some(args::SandboxChoice::Required) {
        require_sandbox(&permissions).await?;
    }
    let set = &config.settings;
    let profile = set.tools.profile.as_deref();
    let profile = profile.map(|name| named("tools.profile", Some(name), &PROFILES)).transpose()?;
    let model = set.model.as_ref().map(|model| model.value.clone());
    let editors = Editors::default();
    let env = environment(&config, ambient, &editors).await?;
    let tool_settings = Settings {
        shell: Dialect::detect(&env.platform().shell),
        ..tool_settings(&set.tools, network(&config, ambient))?
    };
    let tools = Toolbox::Profiles {
        profile,
        web_fetch: set.tools.web_fetch && !settings.is_untrusted,
        web_search: set.tools.web_search && !settings.is_untrusted,
        models: models.clone(),
    };
    let tools = match &set.tools.allow {
        Some(names) => only(tools, names).context("`tools.allow`")?,
        None => tools,
    };
    let tools = match settings.policy.as_ref().and_then(|policy| policy.tools.as_ref()) {
        Some(names) => only(tools, names).context("--policy: `tools`")?,
        None => tools,
    };
    let store = Store::new(&config.folders.data);
    Ok(Services {
        ambient: recording::ambient(settings, &store, ambient)?,
        here: this_machine(ambient),
        hooks: set.hooks.iter().map(hook).collect::<anyhow::Result<_>>()?,
        store,
        editors: env.is_this_machine().then_some(editors),
        env,
        tools: ToolSources {
            toolbox: tools,
            settings: Arc::new(tool_settings),
            servers: (!settings.is_untrusted).then(|| mcp::servers(&config, ambient)),
        },
        models,
        auth: Some(configured),
        model_policy: ModelPolicy {
            title: title_model(&set.title)?,
            fallback: fallback_model(set)?,
            summary: summary_model(&set.context)?,
            retry: retry_policy(set),
        },
        defaults: SessionDefaults {
            model: model.or_else(|| has_script.then(|| "script/script".to_owned())),
            limits: limits(&set.limits),
            compaction: compaction(&set.context),
        },
        personal: Arc::new(personal(&config, ambient, answers)),
        permissions: Arc::new(permissions),
        checks: CheckSettings {
            lint: lint(&set.lint)?.filter(|_| !settings.is_untrusted),
            report_wait: set.lint.wait_ms.map_or(REPORT_WAIT, Duration::from_millis),
        },
        timeouts: AnswerTimeouts {
            approval: set.approval_timeout_s.map_or(APPROVAL_TIMEOUT, Seconds::get),
            question: set.question_timeout_s.map_or(QUESTION_TIMEOUT, Seconds::get),
            absence: None,
        },
    })
}

/// Returns true if the provider of this model is known to run no searches of the web.
pub(crate) fn cannot_search(models: &ConfiguredModels, model: &ModelRef) -> bool {
    models.endpoint(model).is_ok_and(|endpoint| !endpoint.searches_web(&model.id))
}

/// Warns if `--web-search` changes nothing for the chosen model.
fn warn_of_search(config: &Config, models: &ConfiguredModels) {
    let model = config.settings.model.as_ref().and_then(|model| model.value.parse().ok());
    if let Some(model) = model.filter(|model| cannot_search(models, model)) {
        tracing::warn!(
            "--web-search has no effect for {}: its provider does not offer web search. Use Claude at anthropic, GPT 5 or later at openai, or Gemini 3 or later at google; alternatively use --web-fetch or an MCP server",
            model.origin()
        );
    }
}

/// Returns the permissions that no session exceeds. A mode that the user set is the widest possible one.
fn permissions(
    settings: &args::Settings,
    config: &Config,
    ambient: &Ambient,
    answers: Answers,
) -> PermissionPolicy {
    let mode = &config.settings.permission_mode;
    let ceiling = match mode.source {
        Source::BuiltIn => PermissionMode::Full,
        Source::File | Source::Variable(_) | Source::Flag(_) => mode.value,
    };
    let folder = config.folders.config_file.parent().unwrap_or(Path::new("/"));
    // The user's permissions for other projects do not apply to untrusted ones; the user's restrictions do.
    let holds = |rule: &&Rule| !settings.is_untrusted || rule.decision != Decision::Allow;
    PermissionPolicy {
        named_mode: matches!(mode.source, Source::Flag(_)).then_some(mode.value),
        ceiling,
        ceiling_source: if settings.is_untrusted {
            "--untrusted".to_owned()
        } else {
            config.origin(&mode.source)
        },
        rules: config.settings.rules.iter().filter(holds).cloned().collect(),
        policy_rules: rules_of_run(settings),
        private: [folder.to_owned(), config.folders.data.clone()]
            .into_iter()
            .chain(key_files(config, ambient))
            .collect(),
        isolated: Some(Store::new(&config.folders.data).isolated()),
        readable: ["skills", "prompts", "agents", "rules"].map(|name| folder.join(name)).into(),
        answers,
        sandbox: match settings.sandbox.unwrap_or(args::SandboxChoice::Auto) {
            args::SandboxChoice::Auto => {
                SandboxPolicy::new(supervisor(ambient), settings.is_untrusted)
            }
            args::SandboxChoice::Required => SandboxPolicy::new(supervisor(ambient), true),
            args::SandboxChoice::Off => SandboxPolicy::default(),
        },
        ..PermissionPolicy::open(match (&mode.source, settings.usual_permission) {
            (Source::BuiltIn, Some(usual)) => usual,
            (Source::BuiltIn | Source::File | Source::Variable(_) | Source::Flag(_), _) => {
                mode.value
            }
        })
    }
}

/// Returns this run's rules: those of its policy file, and the rule for a tree that must not change.
fn rules_of_run(settings: &args::Settings) -> Vec<Rule> {
    let of_file = settings.policy.iter().flat_map(|policy| policy.rules.iter().cloned());
    let of_tree = settings.kept_tree.iter().map(|tree| Rule {
        kind: Some(Kind::Write),
        path: Some(format!("{}/**", globset::escape(&tree.to_string_lossy()))),
        ..Rule::new(Decision::Deny)
    });
    of_file.chain(of_tree).collect()
}

/// Returns the key files that the user's provider rows name.
fn key_files(config: &Config, ambient: &Ambient) -> Vec<PathBuf> {
    let home = ambient.home();
    let sources = config.providers.values().flat_map(|entry| {
        let of_models = entry.models.iter().flat_map(|model| &model.headers);
        let headers = entry.headers.iter().chain(of_models).map(|(_, source)| source);
        entry.key.iter().chain(headers)
    });
    sources.filter_map(|source| source.file(home.as_deref())).collect()
}

/// Returns the trust answers for this run: the lasting ones, and the directories that the command line trusts.
fn given(settings: &args::Settings, config: &Config, ambient: &Ambient) -> Answers {
    if settings.is_untrusted {
        return Answers::trust_nothing();
    }
    let mut answers = answers(config);
    if settings.one_task.is_some() && !settings.trust.is_empty() {
        // The user trusts the project in its current state, for this task. An editor that starts its engine with this option makes no
        // statement about the content.
        answers = answers.agreeing_at_start();
    }
    answers.trust_for_now(trusted(settings, ambient));
    answers
}

/// Returns the projects that the command line trusts, resolved.
pub(crate) fn trusted(settings: &args::Settings, ambient: &Ambient) -> Vec<PathBuf> {
    let here = ambient.current_dir().unwrap_or_default();
    let named = settings.trust.iter().filter_map(|named| folder(&here.join(named)).ok());
    named.map(|folder| project(&folder)).collect()
}

/// Fails if the user requires a sandbox and none is in force.
async fn require_sandbox(permissions: &PermissionPolicy) -> anyhow::Result<()> {
    match permissions.sandbox.level().await {
        Some(level) if level.is_full() => Ok(()),
        Some(level) => anyhow::bail!(
            "cannot start with `--sandbox required`: this machine enforces only {}\n  run `pintle doctor` for the missing features",
            level.summary()
        ),
        None => anyhow::bail!(
            "cannot start with `--sandbox required`: there is no sandbox on this platform"
        ),
    }
}

/// Returns the lasting answers of the user.
pub(crate) fn answers(config: &Config) -> Answers {
    let folder = config.folders.config_file.parent().unwrap_or(Path::new("/"));
    Answers::in_file(folder.join(trust::FILE_NAME))
}

/// Returns the user's instructions and files for all projects. They are read on this machine, wherever tools act.
fn personal(config: &Config, ambient: &Ambient, answers: Answers) -> Personal {
    let here: Arc<dyn Environment> = Arc::new(Local::new(ambient, Options::default()));
    let folder = config.folders.config_file.parent().map(|folder| (here, folder.to_owned()));
    Personal {
        folder,
        base_prompt: text_of(config.settings.system_prompt_file.as_ref()),
        instructions: config.settings.all_instructions(),
        answers,
        ..Personal::default()
    }
}

/// Returns a text setting's content, unless it is blank.
fn text_of(file: Option<&TextFile>) -> Option<String> {
    file.and_then(TextFile::text).map(str::to_owned)
}

/// Returns the value that a setting names; the default when it is not set.
fn named<T: Copy + Default>(
    key: &str,
    setting: Option<&str>,
    values: &[(&str, T)],
) -> anyhow::Result<T> {
    let Some(value) = setting else { return Ok(T::default()) };
    let found = values.iter().find(|(name, _)| *name == value);
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    found
        .map(|(_, found)| *found)
        .with_context(|| format!("unknown {key} `{value}`; expected one of {}", names.join(", ")))
}

/// Builds the tools' environment, overlaid with the open documents of editors.
pub(crate) async fn environment(
    config: &Config,
    ambient: &Ambient,
    editors: &Editors,
) -> anyhow::Result<Arc<dyn Environment>> {
    let unscanned = Store::new(&config.folders.data).own_paths();
    let set = &config.settings.environment;
    let options = Options {
        provider_keys: ProviderKeys::Withheld,
        variables: match set.variables {
            Variables::Filtered => Policy::Filtered,
            Variables::All => Policy::All,
            Variables::Core => Policy::Core,
            Variables::None => Policy::Nothing,
        },
        shell: set.shell.clone(),
        command_prefix: set.command_prefix.clone(),
        supervisor: supervisor(ambient),
        without_namespaces: false,
        unscanned,
    };
    let wrap = &set.wrap;
    let env: Arc<dyn Environment> = if wrap.value.is_empty() {
        let local = Arc::new(Local::new(ambient, options));
        Arc::new(Overlay::new(local, editors))
    } else {
        // Paths of the other side are read with this system's rules.
        anyhow::ensure!(
            System::CURRENT != System::Windows,
            "the command prefix from {} is not supported on Windows\n  run pintle inside WSL to use it",
            config.origin(&wrap.source)
        );
        let wrapped = Wrapped::connect(ambient, wrap.value.clone(), options).await;
        Arc::new(
            wrapped.with_context(|| {
                format!("the command prefix from {}", config.origin(&wrap.source))
            })?,
        )
    };
    Ok(if set.read_only.value { Arc::new(ReadOnly(env)) } else { env })
}

/// Loads the settings.
pub(crate) fn load_config(settings: &args::Settings, ambient: &Ambient) -> anyhow::Result<Config> {
    config::load(ambient, settings.flags()).map_err(|error| match &error.hint {
        Some(hint) => anyhow::anyhow!("{error}\n  {hint}"),
        None => anyhow::anyhow!("{error}"),
    })
}

/// Returns the limits of retries.
fn retry_policy(set: &config::Settings) -> RetryPolicy {
    let usual = RetryPolicy::default();
    RetryPolicy {
        retries: set.retries.as_ref().map_or(usual.retries, |retries| retries.value),
        total: set.retry_wait_s.map_or(usual.total, Seconds::get),
        ..usual
    }
}

/// Returns the timeouts for model requests.
fn timeouts(config: &Config) -> Timeouts {
    let (set, usual) = (&config.settings, Timeouts::default());
    Timeouts {
        first_byte: set.model_start_timeout_s.map_or(usual.first_byte, Seconds::get),
        idle: set.model_idle_timeout_s.map_or(usual.idle, Seconds::get),
        ..usual
    }
}

/// Returns the network between this machine and the models.
pub(crate) fn network(config: &Config, ambient: &Ambient) -> Network {
    Network {
        proxies: Proxies::from_env(ambient),
        extra_ca: config.settings.extra_ca_file.as_ref().map(|file| file.text.expose().to_owned()),
        client_certificate: config
            .settings
            .client_certificate_file
            .as_ref()
            .map(|file| file.text.clone()),
    }
}

/// Builds the models of these settings.
pub(crate) fn configured_models(
    settings: &args::Settings,
    config: &Config,
    ambient: &Ambient,
) -> anyhow::Result<ConfiguredModels> {
    let network = network(config, ambient);
    let http =
        || -> Arc<dyn Wire> { Arc::new(Http::new(timeouts(config)).behind(network.clone())) };
    let wire = recording::wire(settings, config, ambient, http)?;
    let here = this_machine(ambient);
    register_secrets(config, ambient);
    Ok(ConfiguredModels {
        settings: Live::new(ambient, settings.flags(), config.clone()),
        commands: Commands::new(Arc::new(KeyFetcher::new(here, ambient.secrets()))),
        logins: Logins::in_folder(&config.folders.data, ambient, network.clone()),
        ambient: ambient.clone(),
        wire,
        is_replay: settings.replay.is_some(),
    })
}

/// Returns the environment for the user's commands, which run on this machine and see all variables.
pub(crate) fn this_machine(ambient: &Ambient) -> Arc<dyn Environment> {
    let options = Options {
        variables: Policy::All,
        provider_keys: ProviderKeys::Passed,
        supervisor: supervisor(ambient),
        ..Options::default()
    };
    Arc::new(Local::new(ambient, options))
}

/// Returns this program, which guards and confines commands on Linux. On macOS `sandbox-exec` confines them in its name.
pub(crate) fn supervisor(ambient: &Ambient) -> Option<PathBuf> {
    if System::CURRENT == System::Windows { None } else { ambient.program().ok() }
}

fn hook(set: &HookSettings) -> anyhow::Result<Hook> {
    let tools = set.tools.as_deref().map(pintle_agent::ToolNames::new).transpose();
    Ok(Hook {
        points: vec![set.point],
        tools: tools.map_err(|error| anyhow::anyhow!("`hooks`: {error}"))?,
        timeout: set.timeout_s.map_or(HOOK_TIMEOUT, Seconds::get),
        on_failure: set.on_failure,
        runner: Runner::Command(set.command.clone()),
    })
}

fn lint(set: &LintSettings) -> anyhow::Result<Option<Lint>> {
    let Some(command) = set.command.clone().filter(|command| !command.trim().is_empty()) else {
        return Ok(None);
    };
    let globs = (!set.globs.is_empty()).then(|| pintle_agent::globs_of(&set.globs)).transpose();
    Ok(Some(Lint {
        command,
        globs: globs.map_err(|error| anyhow::anyhow!("`lint.globs`: {error}"))?,
        timeout: set.timeout_s.map_or(LINT_TIMEOUT, Seconds::get),
    }))
}

/// Returns the model for session titles. An unusable model is detected later and does no harm.
fn title_model(set: &TitleSettings) -> anyhow::Result<Option<ModelRef>> {
    let Some(model) = set.model.as_deref().filter(|_| set.enabled != Some(false)) else {
        return Ok(None);
    };
    let parsed = model.parse::<ModelRef>();
    parsed.map(Some).map_err(|error| anyhow::anyhow!("`title.model`: {error}"))
}

/// Returns the model that replaces an unavailable one. An unusable model is reported when it is needed.
fn fallback_model(set: &config::Settings) -> anyhow::Result<Option<ModelRef>> {
    let Some(model) = &set.fallback_model else { return Ok(None) };
    let parsed = model.value.parse::<ModelRef>();
    parsed.map(Some).map_err(|error| anyhow::anyhow!("`fallback_model`: {error}"))
}

/// Returns the model that writes summaries. An unusable model is reported at the first summary.
fn summary_model(set: &ContextSettings) -> anyhow::Result<Option<ModelRef>> {
    let parsed = set.summary_model.as_deref().map(str::parse::<ModelRef>).transpose();
    parsed.map_err(|error| anyhow::anyhow!("`context.summary_model`: {error}"))
}

fn tool_settings(set: &ToolSettings, network: Network) -> anyhow::Result<Settings> {
    let default = image::Limits::default();
    Ok(Settings {
        read_first: named("tools.read_first", set.read_first.as_deref(), &READ_FIRST)?,
        block_images: set.block_images,
        image_limits: image::Limits {
            max_side: set.max_image_side.map_or(default.max_side, NonZero::get),
            max_base64_bytes: set.max_image_bytes.map_or(default.max_base64_bytes, NonZero::get),
        },
        // Depends on the model of each turn.
        max_document_pages: None,
        // Depends on where commands run.
        shell: Dialect::default(),
        web_fetch_private: set.web_fetch_private,
        network,
        max_output_lines: set.max_output_lines.map(NonZero::get),
        max_output_bytes: set.max_output_bytes,
        default_command_timeout: set.command_timeout_s.map(Seconds::get),
        max_command_timeout: set
            .max_command_timeout_s
            .map_or(Settings::default().max_command_timeout, Seconds::get),
    })
}

/// Returns the tools with these names. A name with `*` matches every tool that fits the pattern, and any other also matches the tools of
/// other profiles with the same purpose.
///
/// # Errors
/// Fails if a name matches no tool.
pub(crate) fn only(of: Toolbox, names: &[String]) -> anyhow::Result<Toolbox> {
    let all = PROFILES.iter().flat_map(|(_, profile)| profile.all());
    let all = all.chain([Arc::new(WebSearch) as Arc<dyn Tool>]);
    let all: BTreeSet<String> = all.map(|tool| tool.name().to_owned()).collect();
    for name in names {
        let named = std::slice::from_ref(name);
        // The tools of MCP servers are not known before these are asked.
        if !name.starts_with("mcp_") && !all.iter().any(|tool| names_tool(named, tool)) {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            anyhow::bail!("unknown tool `{name}`; expected one of {}", all.join(", "));
        }
    }
    let chosen: Vec<String> = all.into_iter().filter(|tool| names_tool(names, tool)).collect();
    let globs = |names: &[String]| {
        pintle_agent::globs_of(names).map_err(|error| anyhow::anyhow!("{error}"))
    };
    Ok(Toolbox::Chosen { of: Box::new(of), only: Some(globs(&chosen)?), without: globs(&[])? })
}

/// Returns a run's tools: those given on the command line, else the usual ones.
///
/// # Errors
/// Fails if a name matches no tool.
pub(crate) fn tools_of_run(of: Toolbox, task: &args::Run) -> anyhow::Result<Toolbox> {
    match (&task.tools, usual_tools(&task.settings)) {
        (Some(names), _) => only(of, names).context("--tools"),
        (None, Some(names)) => only(of, &names).context("--untrusted"),
        (None, None) => Ok(of),
    }
}

/// Returns the tools of a task without a tool list: only reading tools for untrusted code, unless the policy lists some; `None` for all.
pub(crate) fn usual_tools(settings: &args::Settings) -> Option<Vec<String>> {
    let is_named = settings.policy.as_ref().is_some_and(|policy| policy.tools.is_some());
    (settings.is_untrusted && !is_named).then(|| args::READING_TOOLS.map(str::to_owned).to_vec())
}

/// Adds the tool for findings.
pub(crate) fn with_findings(of: Toolbox, finding: ReportFinding) -> Toolbox {
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(finding)];
    Toolbox::Also { of: Box::new(of), tools: tools.into() }
}

/// Reads the file with this path if it exists, else returns the text itself.
pub(crate) fn text_or_file(cwd: &Path, text: &str) -> anyhow::Result<String> {
    let path = cwd.join(text);
    if text.len() < 1024 && !text.contains('\n') && path.is_file() {
        return std::fs::read_to_string(&path).with_context(|| path.display().to_string());
    }
    Ok(text.to_owned())
}

fn limits(set: &LimitSettings) -> Limits {
    let free = Limits::default();
    Limits {
        steps: set.steps.map_or(free.steps, NonZero::get),
        tool_calls: set.tool_calls.map(NonZero::get),
        tokens: set.tokens.map(NonZero::get),
        cost_nano_usd: set.cost_usd.map(|cost| cost.0),
        duration_ms: set.seconds.map(|seconds| seconds.get().saturating_mul(1000)),
        continuations: set.continuations.unwrap_or(free.continuations),
        loop_window: set.loop_window.unwrap_or(free.loop_window),
        subagent_depth: set.subagent_depth.unwrap_or(free.subagent_depth),
        turns: set.turns.map(NonZero::get),
        ..free
    }
}

fn compaction(set: &ContextSettings) -> CompactionPolicy {
    let usual = CompactionPolicy::default();
    CompactionPolicy {
        is_automatic: set.automatic.unwrap_or(usual.is_automatic),
        reserve: set.reserve.map_or(usual.reserve, |tokens| tokens.0),
        keep: set.keep_recent_tokens.map_or(usual.keep, |tokens| tokens.0),
        prune_above: match set.prune_above {
            Some(PruneAbove::Tokens(tokens)) => PruneThreshold::Tokens(tokens),
            Some(PruneAbove::Percent(percent)) => PruneThreshold::Percent(percent),
            None => usual.prune_above,
        },
    }
}

fn load_script(path: &Path) -> anyhow::Result<Script> {
    Script::load(path).map_err(|error| match &error.hint {
        Some(hint) => anyhow::anyhow!("{error}\n  {hint}"),
        None => anyhow::anyhow!("{error}"),
    })
}

fn scripted(script: Script) -> Models {
    let provider: Arc<dyn Provider> = Arc::new(script);
    Models::new(move |_: &ModelRef| -> Result<Arc<dyn Provider>, Error> {
        Ok(Arc::clone(&provider))
    })
}

/// Builds the demo engine's services: real ones except for the model, all within the demo's directory, to which the project is copied.
pub(crate) fn demo_services(ambient: &Ambient, demo: &Demo) -> anyhow::Result<Services> {
    std::fs::create_dir_all(demo.project())?;
    for (name, text) in PROJECT {
        std::fs::write(demo.project().join(name), text)?;
    }
    let script = Script::from_json(&demo.script())?;
    let options = Options { supervisor: supervisor(ambient), ..Options::default() };
    let local = Arc::new(Local::new(ambient, options));
    let editors = Editors::default();
    Ok(Services {
        ambient: ambient.clone(),
        here: this_machine(ambient),
        hooks: Arc::default(),
        store: Store::temporary(&demo.folder.join("data")),
        env: Arc::new(Overlay::new(local, &editors)),
        editors: Some(editors),
        tools: Toolbox::from(Profile::Pi.tools()).into(),
        models: scripted(script),
        auth: None,
        model_policy: ModelPolicy::default(),
        defaults: SessionDefaults {
            model: Some("script/demo".to_owned()),
            ..SessionDefaults::default()
        },
        personal: Arc::default(),
        permissions: Arc::new(PermissionPolicy::open(PermissionMode::Ask)),
        checks: CheckSettings::default(),
        timeouts: AnswerTimeouts::default(),
    })
}

/// Returns the working directory: the named one, else the one in which the program was started. Behind a command prefix only the target
/// knows its directories: the default is the directory with the same path, as in a container that shares it, or else the home there.
pub(crate) async fn working_folder(
    settings: &args::Settings,
    ambient: &Ambient,
    env: &dyn Environment,
    named: Option<&Path>,
) -> anyhow::Result<PathBuf> {
    let config = load_config(settings, ambient)?;
    let here = ambient.base_dir(named)?;
    if config.settings.environment.wrap.value.is_empty() {
        return folder(&named.map_or(here.clone(), |named| here.join(named)));
    }
    let there = match named {
        Some(named) => named.to_path_buf(),
        None if env.stat(&here).await.is_ok_and(|there| there.kind == FileKind::Folder) => here,
        None => env.platform().home.clone().unwrap_or_else(|| PathBuf::from("/")),
    };
    anyhow::ensure!(
        there.is_absolute(),
        "--wrap requires absolute directory paths, not {}",
        there.display()
    );
    Ok(there)
}

/// Returns the default session directory for a server. If the directory in which the program was started has been deleted, it can still serve
/// sessions in other directories.
pub(crate) async fn served_folder(
    settings: &args::Settings,
    ambient: &Ambient,
    env: &dyn Environment,
) -> anyhow::Result<PathBuf> {
    match (ambient.current_dir(), ambient.start_dir()) {
        (Err(error), Ok(former)) => {
            tracing::warn!("{error}, or name a directory for each session");
            Ok(former)
        }
        _ => working_folder(settings, ambient, env, None).await,
    }
}

/// Refuses a run in a copy whose commands could reach the tree that was copied.
///
/// # Errors
/// Commands run outside of the sandbox.
pub(crate) fn check_copy(settings: &args::Settings, mode: PermissionMode) -> anyhow::Result<()> {
    let is_confined = settings.sandbox == Some(args::SandboxChoice::Required);
    anyhow::ensure!(
        mode != PermissionMode::Full || is_confined,
        "--no-apply conflicts with full mode, in which commands could change your files: use --permission auto-edit, or add --sandbox required"
    );
    Ok(())
}

/// Returns an existing file's absolute path without symbolic links.
pub(crate) fn file(path: &Path) -> std::io::Result<PathBuf> {
    names::canonicalize(path)
}

/// Returns an existing directory's absolute path without symbolic links.
pub(crate) fn folder(path: &Path) -> anyhow::Result<PathBuf> {
    let folder = names::canonicalize(path).with_context(|| format!("{}", path.display()))?;
    anyhow::ensure!(folder.is_dir(), "not a directory: {}", path.display());
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the settings from a `config.toml` with this text.
    fn config_of(text: &str) -> Config {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        let place = home.path().to_string_lossy().into_owned();
        config::load(&Ambient::fixed([("PINTLE_HOME".to_owned(), place)]), config::Flags::default())
            .unwrap()
    }

    #[test]
    fn the_values_that_the_configuration_guide_shows_are_the_defaults() {
        let guide = include_str!("help/configuration.md");
        let shown = guide.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        let (shown, unset) = (config_of(shown), config_of(""));
        let values = |config: &Config| {
            let config::Settings { environment, tools, lint: check, .. } = &config.settings;
            let set = &config.settings;
            let title = title_model(&set.title).unwrap();
            [
                format!("{:?}", set.permission_mode.value),
                format!("{:?}", retry_policy(set)),
                format!("{:?}", set.approval_timeout_s.map_or(APPROVAL_TIMEOUT, Seconds::get)),
                format!("{:?}", set.question_timeout_s.map_or(QUESTION_TIMEOUT, Seconds::get)),
                format!("{:?}", timeouts(config)),
                format!("{:?} {:?}", set.instructions, set.model),
                format!(
                    "{:?} {}",
                    tool_settings(tools, Network::default()).unwrap(),
                    tools.web_fetch
                ),
                tools.web_search.to_string(),
                format!("{:?}", limits(&set.limits)),
                format!("{:?}", compaction(&set.context)),
                format!("{:?} {:?}", check.command, check.globs),
                format!("{:?}", check.timeout_s.map_or(LINT_TIMEOUT, Seconds::get)),
                format!("{:?}", check.wait_ms.map_or(REPORT_WAIT, Duration::from_millis)),
                format!("{title:?} {:?}", set.title.enabled.unwrap_or(true)),
                format!("{:?}", set.sessions),
                format!("{:?} {:?}", environment.wrap.value, environment.read_only.value),
                format!("{:?}", environment.variables),
                format!("{:?} {:?}", set.hooks, config.providers),
            ]
        };
        assert_eq!(values(&shown), values(&unset));
    }
}
