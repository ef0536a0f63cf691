//! `pintle login` and `pintle logout`: stored provider logins.

use crate::cli::args::{Login, Logout, Settings};
use crate::cli::assemble;
use crate::cli::signals::Signals;
use anyhow::Context;
use pintle_agent::models::{ConfiguredModels, LoginRequest};
use pintle_base::ambient::{Ambient, Secret};
use pintle_base::text::screen;
use pintle_base::text::visible::visible_line;
use pintle_llm::Error;
use pintle_llm::login::Prompt;
use pintle_os::signals::FileSize;
use pintle_os::terminal::Silent;
use pintle_protocol::auth::{AuthMethod, ProviderAuth};
use pintle_protocol::models::KeyState;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::time::Duration;

/// The maximum length of a key.
const MAX_KEY_BYTES: u64 = 16 * 1024;

/// Logs in, or lists the logins.
pub(crate) async fn run(wanted: Login, ambient: Ambient) -> anyhow::Result<u8> {
    let models = models(&ambient)?;
    let method = wanted.method();
    let Some(provider) = wanted.provider else { return list(&models) };
    let row = models.auth_status().providers.into_iter().find(|row| row.provider == provider);
    let preferred = row.as_ref().and_then(|row| row.methods.first().copied());
    let takes_key = |row: &ProviderAuth| row.methods.contains(&AuthMethod::Key);
    let asks_for_key = method.or(preferred) == Some(AuthMethod::Key);
    let key = match &row {
        Some(row) if asks_for_key && takes_key(row) => Some(key(&provider)?),
        _ => None,
    };
    let mut signals = Signals::new()?;
    let cancel = signals.token();
    let request = LoginRequest { provider: provider.clone(), method, key };
    let mut show = |prompt: Prompt| show(&prompt);
    let logging_in = models.log_in(request, &mut show, &cancel);
    let done = tokio::select! {
        done = logging_in => done,
        code = signals.run() => return Ok(code),
    };
    match done {
        Ok(_) => {
            let mut out = screen::out();
            writeln!(out, "logged in to {provider}")?;
            if let Some(notice) = shadowed(&models, &provider) {
                writeln!(out, "{notice}")?;
            }
            Ok(0)
        }
        Err(_) if cancel.is_cancelled() => Ok(signals.code()),
        Err(error) => Err(explained(&error)),
    }
}

/// Removes a stored login.
pub(crate) async fn log_out(wanted: Logout, ambient: Ambient) -> anyhow::Result<u8> {
    let _file_size = FileSize::new()?;
    let models = models(&ambient)?;
    let Logout { provider } = wanted;
    let removed = models.log_out(&provider).await.map_err(|error| explained(&error))?;
    let text = if removed { "logged out of" } else { "not logged in to" };
    writeln!(screen::out(), "{text} {}", visible_line(&provider))?;
    Ok(0)
}

fn models(ambient: &Ambient) -> anyhow::Result<ConfiguredModels> {
    let settings = Settings::default();
    let config = assemble::load_config(&settings, ambient)?;
    assemble::configured_models(&settings, &config, ambient)
}

fn explained(error: &Error) -> anyhow::Error {
    match &error.hint {
        Some(hint) => anyhow::anyhow!("{error}\n  {hint}"),
        None => anyhow::anyhow!("{error}"),
    }
}

/// Returns a line about a key that takes precedence over the login.
fn shadowed(models: &ConfiguredModels, provider: &str) -> Option<String> {
    let row = models.auth_status().providers.into_iter().find(|row| row.provider == provider)?;
    match (row.key, row.key_var) {
        (KeyState::Login | KeyState::Missing, _) => None,
        (_, Some(variable)) => Some(format!("{variable} is set and takes precedence")),
        (_, None) => Some("`key` in your settings takes precedence".to_owned()),
    }
}

/// Lists the providers with a login, and those for which a key is stored.
fn list(models: &ConfiguredModels) -> anyhow::Result<u8> {
    let status = models.auth_status();
    let mut out = screen::out();
    let has_login = |row: &&ProviderAuth| {
        row.stored.is_some() || row.methods.iter().any(|method| *method != AuthMethod::Key)
    };
    for row in status.providers.iter().filter(has_login) {
        let ways: Vec<&str> = row.methods.iter().map(|method| method.name()).collect();
        let state = match (row.stored, row.key, &row.key_var) {
            (Some(_), KeyState::Set, Some(variable)) => {
                format!("logged in, but {variable} takes precedence")
            }
            (Some(_), KeyState::Set | KeyState::Command, _) => {
                "logged in, but `key` in your settings takes precedence".to_owned()
            }
            (Some(method), _, _) => format!("logged in ({})", method.name()),
            (None, KeyState::Set, Some(variable)) => format!("key in {variable}"),
            (None, KeyState::Set | KeyState::Command, _) => "key in your settings".to_owned(),
            (None, _, _) => "not logged in".to_owned(),
        };
        let name = visible_line(&row.provider);
        writeln!(out, "{name:<16}{:<22}{state}", ways.join(", "))?;
    }
    writeln!(out, "\nFor other providers, `pintle login PROVIDER` stores a key.")?;
    match status.problem {
        None => Ok(0),
        Some(problem) => anyhow::bail!(problem),
    }
}

/// Shows the page to open.
pub(crate) fn show(prompt: &Prompt) {
    let page = visible_line(&prompt.url);
    let minutes = prompt.expires_in.map(|left| left.max(Duration::from_secs(60)).as_secs() / 60);
    let within = minutes.map(|minutes| format!(", within {minutes} minutes")).unwrap_or_default();
    let text = match &prompt.code {
        Some(code) => format!("Open {page}\nand enter the code {}{within}.\n", visible_line(code)),
        None => format!("Open this page in a browser on this machine{within}:\n{page}\n"),
    };
    // A reader that is gone does not end the login.
    let mut out = screen::out();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Reads a key: without echo where stdin is a terminal.
fn key(provider: &str) -> anyhow::Result<Secret> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        let mut text = String::new();
        stdin
            .take(MAX_KEY_BYTES)
            .read_to_string(&mut text)
            .context("failed to read the key from stdin")?;
        let line = text.lines().map(str::trim).find(|line| !line.is_empty());
        return line.map(Secret::new).context("no key on stdin");
    }
    let silent = Silent::new()?;
    let mut err = screen::err();
    let asked = write!(err, "Key for {}: ", visible_line(provider)).and_then(|()| err.flush());
    let typed = asked.and_then(|()| typed(&mut stdin.lock()));
    drop(silent);
    writeln!(err)?;
    typed?.context("no key entered")
}

/// Reads a typed line; `None` for an empty or cancelled one.
fn typed(input: &mut impl BufRead) -> io::Result<Option<Secret>> {
    const CANCEL: [u8; 3] = [3, 4, 28];
    const ERASE: [u8; 2] = [8, 127];
    let mut line = Vec::new();
    for byte in input.take(MAX_KEY_BYTES).bytes() {
        match byte? {
            b'\r' | b'\n' => break,
            byte if CANCEL.contains(&byte) => return Ok(None),
            byte if ERASE.contains(&byte) => {
                line.pop();
            }
            byte => line.push(byte),
        }
    }
    let line = String::from_utf8_lossy(&line).trim().to_owned();
    Ok((!line.is_empty()).then(|| Secret::new(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_key_ends_with_its_line() {
        for (keys, want) in [
            ("sk-1\r", Some("sk-1")),
            ("sk-1\nmore", Some("sk-1")),
            (" sk-2x\u{7f} \n", Some("sk-2")),
            ("sk-1\u{3}", None),
            ("\n", None),
            ("", None),
        ] {
            let typed = typed(&mut keys.as_bytes()).unwrap();
            assert_eq!(typed.as_ref().map(Secret::expose), want, "{keys:?}");
        }
    }
}
