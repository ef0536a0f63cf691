//! `pintle doctor`: prints the settings, the keys that are set, and the abilities of this machine.

mod online;

use crate::cli::args::{Doctor, Settings};
use crate::cli::assemble;
use pintle_agent::config::{CATALOG_FILE, Config, Source};
use pintle_agent::models::{ConfiguredModels, ModelSource};
use pintle_base::ambient::Ambient;
use pintle_base::network::{Reach, proxies};
use pintle_base::private_files;
use pintle_base::text::screen;
use pintle_exec::editor::Editors;
use pintle_exec::{Platform, sandbox};
use pintle_llm::script::Script;
use pintle_llm::{ModelRef, catalog};
use pintle_protocol::models::KeyState;
use pintle_protocol::{PROTOCOL_VERSION, schema};
use std::fmt::Write;
use std::path::Path;

/// Prints the report. The exit code is 0 when a turn could start now, else 2.
pub(crate) fn run(wanted: &Doctor, ambient: &Ambient) -> anyhow::Result<u8> {
    use std::io::Write;
    let settings = &wanted.settings;
    let config = assemble::load_config(settings, ambient)?;
    let (report, mut is_ready) = report(settings, &config, ambient)?;
    screen::out().write_all(report.as_bytes())?;
    if wanted.online {
        let (lines, answers) = in_runtime(online::ask(settings, &config, ambient))?;
        screen::out().write_all(lines.as_bytes())?;
        is_ready &= answers;
    }
    Ok(if is_ready { 0 } else { 2 })
}

fn report(
    settings: &Settings,
    config: &Config,
    ambient: &Ambient,
) -> anyhow::Result<(String, bool)> {
    let mut out = String::new();
    writeln!(
        out,
        "pintle    {} (protocol {PROTOCOL_VERSION}, schema {})",
        env!("CARGO_PKG_VERSION"),
        schema::schema_hash()
    )?;

    let folders = &config.folders;
    settings_files(&mut out, config)?;
    let data = writable(&folders.data);
    writeln!(
        out,
        "data      {}: {}",
        folders.data.display(),
        data.as_ref().map_or_else(String::as_str, |()| "writable")
    )?;

    if let Some(problem) = catalog::update_problem() {
        let path = folders.data.join(CATALOG_FILE);
        writeln!(out, "catalog   {}: ignored: {problem}", path.display())?;
        writeln!(out, "          `pintle models --reset` removes it")?;
    }

    let model = model(settings, config, ambient)?;
    writeln!(out, "model     {}", model.as_ref().map_or_else(String::as_str, String::as_str))?;
    let mode = &config.settings.permission_mode;
    let origin = match &mode.source {
        Source::BuiltIn => "default".to_owned(),
        set => format!("from {}", config.origin(set)),
    };
    writeln!(out, "mode      {} ({origin})", mode.value.name())?;

    let environment = &config.settings.environment;
    let wrap = &environment.wrap;
    let place = if wrap.value.is_empty() {
        "on this machine".to_owned()
    } else {
        format!("through `{}` (from {})", wrap.value.join(" "), config.origin(&wrap.source))
    };
    let read_only = if environment.read_only.value {
        format!(", read-only (from {})", config.origin(&environment.read_only.source))
    } else {
        String::new()
    };
    writeln!(out, "tools     run {place}{read_only}")?;
    let answer = in_runtime(assemble::environment(config, ambient, &Editors::default()));
    let shell = match &answer {
        Ok(env) => {
            let Platform { shell, shell_reason, .. } = env.platform();
            let reason = shell_reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            format!("shell {}{reason}", shell.display())
        }
        Err(error) => format!("{error:#}"),
    };
    writeln!(out, "          {shell}, variables {}", environment.variables.name())?;
    if let Some(prefix) = &environment.command_prefix {
        let file = folders.config_file.display();
        writeln!(out, "          command prefix: {prefix:?} (from {file})")?;
    }

    let models = assemble::configured_models(settings, config, ambient)?;
    tools(&mut out, config, &models)?;
    for line in network(config, ambient) {
        writeln!(out, "{line}")?;
    }
    keys(&mut out, config, ambient, &models)?;
    for (index, server) in config.servers.iter().enumerate() {
        let label = if index == 0 { "servers" } else { "" };
        let off = if server.is_enabled { "" } else { " (disabled)" };
        writeln!(out, "{label:<10}{}: {}{off}", server.name, server.target())?;
    }
    writeln!(out, "sandbox   {}", sandbox(ambient)?)?;
    Ok((out, model.is_ok() && data.is_ok() && answer.is_ok()))
}

/// Writes the settings files, and the warnings about them.
fn settings_files(out: &mut String, config: &Config) -> std::fmt::Result {
    for (index, file) in config.files.iter().enumerate() {
        let label = if index == 0 { "config" } else { "models" };
        let found = match file.stamp {
            Some(_) if private_files::is_readable_by_others(&file.path) => {
                "found (readable by other users)"
            }
            Some(_) => "found",
            None => "not found (optional)",
        };
        writeln!(out, "{label:<10}{}: {found}", file.path.display())?;
    }
    for warning in &config.warnings {
        writeln!(out, "          {warning}")?;
    }
    Ok(())
}

/// Writes the tools' settings.
fn tools(out: &mut String, config: &Config, models: &ConfiguredModels) -> std::fmt::Result {
    let tools = &config.settings.tools;
    let profile = tools.profile.as_deref().unwrap_or("by model");
    let read_first = tools.read_first.as_deref().unwrap_or("by default");
    let on_off = |is_on: bool| if is_on { "on" } else { "off" };
    writeln!(
        out,
        "          profile {profile}, read first {read_first}, web_fetch {}, private addresses {}, web_search {}, images {}",
        on_off(tools.web_fetch),
        on_off(tools.web_fetch_private),
        web_search(config, models),
        on_off(!tools.block_images)
    )?;
    Ok(())
}

/// Writes each provider's key or login.
fn keys(
    out: &mut String,
    config: &Config,
    ambient: &Ambient,
    models: &ConfiguredModels,
) -> std::fmt::Result {
    writeln!(out, "keys")?;
    let is_own = |name: &str| config.providers.contains_key(name);
    let list = models.list();
    let built_in = catalog::providers().iter().map(|provider| &provider.name);
    let names = built_in.chain(list.providers.iter().map(|row| &row.name));
    let width = names.map(|name| name.chars().count()).max().unwrap_or_default();
    for provider in catalog::providers().iter().filter(|known| !is_own(&known.name)) {
        for variable in &provider.key_vars {
            let is_set = if ambient.var(variable).is_some() { "set" } else { "not set" };
            writeln!(out, "  {:<width$} {variable}: {is_set}", provider.name)?;
        }
        let of_login = list.providers.iter().find(|row| row.name == provider.name);
        if of_login.is_some_and(|row| row.key == KeyState::Login) {
            writeln!(out, "  {:<width$} logged in", provider.name)?;
        }
    }
    if let Some(problem) = models.auth_status().problem {
        writeln!(out, "  {problem}")?;
    }
    for provider in list.providers.iter().filter(|row| is_own(&row.name)) {
        let variable = provider.key_var.as_deref().unwrap_or_default();
        let key = match provider.key {
            KeyState::Command => "from a command".to_owned(),
            KeyState::Login => "logged in".to_owned(),
            KeyState::Set if variable.is_empty() => "set".to_owned(),
            KeyState::Set => format!("{variable}: set"),
            KeyState::Missing => format!("{variable}: not set"),
            KeyState::NotNeeded => "none needed".to_owned(),
        };
        writeln!(out, "  {:<width$} {key} ({})", provider.name, provider.source)?;
    }
    Ok(())
}

/// Returns the lines about the connection to the servers: proxies and certificates.
fn network(config: &Config, ambient: &Ambient) -> Vec<String> {
    let set = proxies::VARIABLES.iter().filter_map(|name| {
        let (set, value) = proxies::variable(ambient, name)?;
        let value =
            if *name == "no_proxy" { value.to_owned() } else { proxies::shown(value.trim()) };
        Some(format!("{set}: {value}"))
    });
    let mut facts: Vec<String> = set.collect();
    for variable in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
        if let Some(path) = ambient.var(variable) {
            facts.push(format!("{variable}: {path} (replaces the system certificates)"));
        }
    }
    let file = config.folders.config_file.display();
    if config.settings.extra_ca_file.is_some() {
        facts.push(format!("extra_ca_file: set in {file}"));
    }
    if config.settings.client_certificate_file.is_some() {
        facts.push(format!("client_certificate_file: set in {file}"));
    }
    let https = Reach { is_plain: false, is_here: false };
    if let Err(error) = assemble::network(config, ambient).builder(https) {
        facts.push(format!("{error}: {}", error.hint));
    }
    if facts.is_empty() {
        facts.push("no proxy, system certificates".to_owned());
    }
    let labels = std::iter::once("network").chain(std::iter::repeat(""));
    labels.zip(facts).map(|(label, fact)| format!("{label:<10}{fact}")).collect()
}

/// Runs one future to its end: the report is made of one question after the other.
fn in_runtime<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Returns the model for the next turn, or the reason that there is none.
fn model(
    settings: &Settings,
    config: &Config,
    ambient: &Ambient,
) -> anyhow::Result<Result<String, String>> {
    if let Some(script) = &settings.script {
        let loaded = Script::load(script);
        return Ok(loaded
            .map(|_| format!("a script (from --script {})", script.display()))
            .map_err(|error| error.message));
    }
    if let Some(replay) = &settings.replay {
        return Ok(Ok(format!("recorded traffic (from --replay {})", replay.display())));
    }
    let Some(model) = &config.settings.model else {
        return Ok(Err(format!(
            "not set: use --model PROVIDER/ID, or set `model = \"PROVIDER/ID\"` in {}",
            config.folders.config_file.display()
        )));
    };
    let parsed: ModelRef = match model.value.parse() {
        Ok(parsed) => parsed,
        Err(message) => return Ok(Err(message)),
    };
    let models = assemble::configured_models(settings, config, ambient)?;
    let origin = config.origin(&model.source);
    Ok(match models.endpoint(&parsed) {
        Ok(endpoint) => Ok(format!("{parsed} (from {origin}) at {}", endpoint.shown_url())),
        Err(error) => {
            let hint = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            Err(format!("{parsed} (from {origin}): {}{hint}", error.message))
        }
    })
}

/// Checks that sessions can be stored in a directory, and creates it, as the first session would.
fn writable(data: &Path) -> Result<(), String> {
    private_files::create_private_folder(data)
        .and_then(|()| tempfile::Builder::new().prefix(".doctor").tempfile_in(data))
        .map(drop)
        .map_err(|error| format!("not writable: {error}"))
}

/// Returns the sandbox level, determined by confining a process.
fn sandbox(ambient: &Ambient) -> anyhow::Result<String> {
    let Some(program) = assemble::supervisor(ambient) else { return Ok("none".to_owned()) };
    let level = in_runtime(async move { Ok(sandbox::probe(&program).await) })?;
    let gaps = level.gaps(&sandbox::Network::None);
    let gaps = gaps.iter().map(|gap| format!("\n          not stopped: {gap}"));
    Ok(level.summary() + &gaps.collect::<String>())
}

/// Returns the web search setting, and whether it has an effect for the configured model.
fn web_search(config: &Config, models: &ConfiguredModels) -> &'static str {
    let model = config.settings.model.as_ref().and_then(|model| model.value.parse().ok());
    match config.settings.tools.web_search {
        false => "off",
        true if model.is_some_and(|model| assemble::cannot_search(models, &model)) => {
            "on (not offered by this model's provider)"
        }
        true => "on",
    }
}
