//! `pintle doctor --secrets`: plants keys in a temporary home, lets a scripted model look for them in each way, and searches everything
//! that is left for them.
#![expect(clippy::disallowed_methods, reason = "makes a temporary home, and looks through it")]

use crate::cli::args::{Permission, Settings};
use crate::cli::assemble;
use pintle_agent::Engine;
use pintle_base::ambient::Ambient;
use pintle_base::private_files;
use pintle_base::text::screen;
use pintle_base::transport::stdio;
use pintle_frontend::run;
use pintle_llm::catalog;
use pintle_llm::login::FILE_NAME;
use pintle_session::export::{self, Format};
use pintle_session::store::{Filter, Store};
use pintle_tools::mcp::LOGINS_FILE_NAME;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The maximum size of a file that is looked through; a run leaves none that is larger.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The files in the temporary home that contain planted keys by design.
const PLANTED: [&str; 4] = ["config.toml", "script.json", "logins.toml", "mcp-logins.json"];

/// Prints the planted keys and the places they were found. The exit code is 0 if they were found nowhere, else 1.
pub(crate) async fn run(ambient: &Ambient) -> anyhow::Result<u8> {
    use std::io::Write;
    let folder = pintle_base::private_files::temporary_folder("pintle-secrets-")?;
    let home = assemble::folder(folder.path())?;
    let marker = format!("planted{}", ambient.new_id().replace('-', ""));
    let (ambient, names) = plant(ambient, &home, &marker)?;
    let cwd = home.join("project");
    std::fs::create_dir(&cwd)?;
    let code = run_turn(&ambient, &home, &cwd).await?;
    // The permissions deny some of the ways.
    let is_done = matches!(code, run::DONE | run::DENIED);
    anyhow::ensure!(is_done, "the scripted turn failed with exit code {code}");
    let exports = export_all(&home)?;

    let mut out = screen::out();
    writeln!(
        out,
        "planted   {} variables, a config file, a header, a command, a login",
        names.len()
    )?;
    let mut is_clean = true;
    let mut report = |label: &str, found: Vec<PathBuf>| -> anyhow::Result<()> {
        is_clean &= found.is_empty();
        let shown: Vec<String> = found
            .iter()
            .map(|path| path.strip_prefix(&home).unwrap_or(path).display().to_string())
            .collect();
        let found = if found.is_empty() { "no key".to_owned() } else { shown.join(", ") };
        writeln!(out, "{label:<10}{found}")?;
        Ok(())
    };
    let mut rest = holding(&home, &marker)?;
    let mut take = |belongs: &dyn Fn(&Path) -> bool| -> Vec<PathBuf> {
        let (found, others) = std::mem::take(&mut rest).into_iter().partition(|path| belongs(path));
        rest = others;
        found
    };
    let commands = take(&|path| path.starts_with(&cwd));
    let messages = take(&|path| path.ends_with("stdout"));
    let exported = take(&|path| exports.iter().any(|export| export == path));
    report("commands", commands)?;
    report("messages", messages)?;
    report("exports", exported)?;
    report("data", rest)?;
    if !is_clean {
        writeln!(out, "A key leaked. Please report this, with the lines above.")?;
    }
    Ok(u8::from(!is_clean))
}

/// Plants a key in every possible source of keys. Returns an environment with these keys, and the variables' names.
fn plant(
    ambient: &Ambient,
    home: &Path,
    marker: &str,
) -> anyhow::Result<(Ambient, BTreeSet<String>)> {
    let known = catalog::providers().iter().flat_map(|known| known.key_vars.iter().cloned());
    let own = ["AWS_SECRET_ACCESS_KEY", "PLANTED_PLAIN", "PLANTED_HEADER"].map(str::to_owned);
    let names: BTreeSet<String> = known.chain(own).collect();
    let place = home.to_string_lossy();
    let ambient = ambient.with_var("PINTLE_HOME", &place).with_var("HOME", &place);
    let with_key =
        |ambient: Ambient, name: &String| ambient.with_var(name, &format!("{marker}-{name}"));
    let ambient = names.iter().fold(ambient, with_key);
    let config = format!(
        "[providers.planted]\nbase_url = \"http://127.0.0.1:9\"\napi = \"chat\"\nkey = \"{marker}-literal\"\n\
         headers = {{ \"X-Token\" = \"${{PLANTED_HEADER}}\" }}\n\
         [providers.second]\nbase_url = \"http://127.0.0.1:9\"\napi = \"chat\"\nkey = \"$PLANTED_PLAIN\"\n"
    );
    private_files::write_private(&home.join("config.toml"), config.as_bytes())?;
    let logins = home.join(FILE_NAME);
    let login = format!("[logins.planted]\nmethod = \"key\"\ntoken = \"{marker}-login\"\n");
    private_files::write_private(&logins, login.as_bytes())?;
    let servers = home.join(LOGINS_FILE_NAME);
    let tokens = json!({"access_token": format!("{marker}-server"), "token_type": "bearer"});
    let login = json!({"https://planted.test/mcp": {"client_id": "c", "token_response": tokens}});
    private_files::write_private(&servers, login.to_string().as_bytes())?;
    let read = home.join("config.toml");
    let many = format!("for i in $(seq 2000); do cat '{}'; done", read.display());
    let script = json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "env > variables; tr '\\0' '\\n' < /proc/self/environ >> variables"}}]},
        {"blocks": [{"tool": "read", "arguments": {"path": read}}]},
        {"blocks": [{"tool": "read", "arguments": {"path": logins}}]},
        {"blocks": [{"tool": "bash", "arguments": {"command": format!("cat '{}'", logins.display())}}]},
        {"blocks": [{"tool": "read", "arguments": {"path": servers}}]},
        {"blocks": [{"tool": "bash", "arguments": {"command": format!("cat '{}'", servers.display())}}]},
        {"blocks": [{"tool": "grep", "arguments": {"pattern": "key", "path": read}}]},
        {"blocks": [{"tool": "bash", "arguments": {"command": many}}]},
        {"blocks": [{"text": format!("I was told {marker}-literal.")}]},
    ]});
    private_files::write_private(&home.join("script.json"), script.to_string().as_bytes())?;
    Ok((ambient, names))
}

/// Runs the scripted turn, with its events in a file.
async fn run_turn(ambient: &Ambient, home: &Path, cwd: &Path) -> anyhow::Result<u8> {
    let settings = Settings {
        script: Some(home.join("script.json")),
        permission: Some(Permission::Full),
        ..Settings::default()
    };
    let services = assemble::services(&settings, ambient).await?;
    let (out, hangup) = stdio::open_lines(File::create(home.join("stdout"))?)?;
    let (engine, handle) = Engine::new(services);
    let options = run::Options {
        cwd: cwd.to_owned(),
        prompt: "Look for keys.".to_owned(),
        attach: Vec::new(),
        piped: None,
        session: run::SessionOptions::default(),
        limits: run::Limits::default(),
        output_schema: None,
        failures: run::FailureConditions {
            fail_on_denied: true,
            require_changes: false,
            is_untrusted: false,
        },
        output: run::Output {
            format: run::Format::Events,
            events: run::EventFilter::default(),
            patch: None,
            reports: Vec::new(),
            is_terminal: false,
            is_quiet: true,
        },
        copy: None,
        keeps_engine: false,
        stop: run::Stop { hangup, ..run::Stop::default() },
    };
    crate::cli::beside(engine, run::run(out, handle, options)).await
}

/// Exports each session in each format.
fn export_all(home: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let store = Store::new(home);
    let mut exports = Vec::new();
    let (sessions, _) = store.list(&Filter::default(), None, usize::MAX)?;
    for session in sessions {
        for format in [Format::Html, Format::Markdown, Format::Json, Format::Pi] {
            let path = home.join(format!("export-{format:?}"));
            export::write(&store, &session.session_id, format, &mut File::create(&path)?)?;
            exports.push(path);
        }
    }
    Ok(exports)
}

/// Returns the files below a directory that contain a text, without those in which it was planted.
fn holding(folder: &Path, text: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(inner)? {
            let path = entry?.path();
            let is_planted = PLANTED.iter().any(|name| path == folder.join(name));
            if path.is_dir() {
                folders.push(path);
            } else if !is_planted
                && let Ok(content) = private_files::read(&path, MAX_BYTES)
                && memchr::memmem::find(&content, text.as_bytes()).is_some()
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
