//! `pintle models`: model facts, built in, from a catalog update and from the user's files.
#![expect(clippy::disallowed_methods, reason = "the catalog update is a file of the user's")]

use crate::cli::args::{ListModels, Settings};
use crate::cli::assemble;
use anyhow::Context as _;
use pintle_agent::config::CATALOG_FILE;
use pintle_agent::models::ModelSource;
use pintle_base::ambient::Ambient;
use pintle_base::private_files;
use pintle_base::text::screen;
use pintle_llm::catalog::{self, update};
use pintle_protocol::models::{KeyState, ModelInfo, ModelsListResult, ProviderInfo};
use std::io::{self, Write};
use std::path::Path;

/// Prints the rows. The exit code is 0, or 2 when no name fits.
pub(crate) fn run(wanted: &ListModels, ambient: &Ambient) -> anyhow::Result<u8> {
    let settings = Settings::default();
    let config = assemble::load_config(&settings, ambient)?;
    let stored = config.folders.data.join(CATALOG_FILE);
    if let Some(file) = &wanted.update {
        return install(file, &stored, ambient);
    }
    if wanted.reset {
        return reset(&stored);
    }
    let list = assemble::configured_models(&settings, &config, ambient)?.list();
    let ModelsListResult { providers, models, efforts: _, problems } = list;
    let part = wanted.name.as_deref().unwrap_or_default().to_ascii_lowercase();
    let fits = |name: &str| name.to_ascii_lowercase().contains(&part);
    let models =
        models.iter().filter(|row| fits(&row.model) || row.name.as_deref().is_some_and(fits));
    let rows: Vec<String> = match (wanted.providers, wanted.json) {
        (true, is_json) => {
            let rows = providers
                .iter()
                .filter(|row| fits(&row.name) || row.title.as_deref().is_some_and(fits));
            rows.map(|row| if is_json { to_json(row) } else { provider(row) }).collect()
        }
        (false, true) => models.map(to_json).collect(),
        (false, false) => models.map(model).collect(),
    };
    let mut out = screen::out();
    for row in &rows {
        writeln!(out, "{row}")?;
    }
    let mut err = screen::err();
    for problem in problems {
        writeln!(err, "pintle: {problem}")?;
    }
    if rows.is_empty() {
        let what = if wanted.providers { "provider" } else { "model" };
        writeln!(
            err,
            "pintle: no known {what} with this name; any PROVIDER/ID of a known provider still works"
        )?;
        return Ok(2);
    }
    Ok(0)
}

/// Stores a catalog update. The exit code is 0, also for one that is ignored because it is older than the built-in catalog.
fn install(file: &Path, stored: &Path, ambient: &Ambient) -> anyhow::Result<u8> {
    let name = file.display();
    let text = private_files::read(file, update::MAX_BYTES)
        .with_context(|| format!("cannot read the catalog {name}"))?;
    let update = match update::check_new(&text, ambient.now_ms()) {
        Ok(update) => update,
        Err(update::Refused::Older(why)) => {
            writeln!(screen::err(), "pintle: {name} is ignored: {why}")?;
            return Ok(0);
        }
        Err(update::Refused::Invalid(why)) => anyhow::bail!(
            "{name} is not a catalog: {why}\n  the format is described in `pintle help providers`"
        ),
    };
    replace(stored, &text).with_context(|| format!("cannot write {}", stored.display()))?;
    let (models, date) = (update.models.len(), update.date);
    let models = if models == 1 { "1 model".to_owned() } else { format!("{models} models") };
    writeln!(
        screen::out(),
        "{models} of {date} installed; running engines use them after a restart"
    )?;
    for provider in unknown_providers(&update) {
        writeln!(
            screen::err(),
            "pintle: no built-in provider `{provider}`: its models apply once config.toml defines it"
        )?;
    }
    Ok(0)
}

/// Returns an update's providers that are not built in.
fn unknown_providers(update: &update::Update) -> Vec<&str> {
    let names = update.models.iter().map(|model| model.provider.as_str());
    let mut unknown: Vec<&str> = names.filter(|name| catalog::find(name).is_none()).collect();
    unknown.sort_unstable();
    unknown.dedup();
    unknown
}

/// Replaces a file atomically.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    private_files::create_private_folder(folder)?;
    let mut file = tempfile::Builder::new().prefix(".catalog-").tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    pintle_os::replace::put(file, path, &mut None)
}

/// Removes the stored catalog update.
fn reset(stored: &Path) -> anyhow::Result<u8> {
    let said = match std::fs::remove_file(stored) {
        Ok(()) => "catalog update removed; running engines use it until they are restarted",
        Err(error) if error.kind() == io::ErrorKind::NotFound => "no catalog update is installed",
        Err(error) => {
            return Err(error).with_context(|| format!("cannot remove {}", stored.display()));
        }
    };
    writeln!(screen::out(), "{said}")?;
    Ok(0)
}

fn to_json(row: &impl serde::Serialize) -> String {
    serde_json::to_string(row).unwrap_or_default()
}

fn model(row: &ModelInfo) -> String {
    let count = |tokens: Option<u64>| match tokens {
        None => "?".to_owned(),
        Some(tokens @ ..1000) => tokens.to_string(),
        Some(tokens) => format!("{}k", tokens.saturating_add(500) / 1000),
    };
    let price = row.price.map_or("price unknown".to_owned(), |price| {
        format!("${} in, ${} out", price.input_usd_per_mtok, price.output_usd_per_mtok)
    });
    let (window, most) = (count(row.window), count(row.max_output));
    let (model, origin) = (&row.model, origin(row));
    let profile = &row.profile;
    format!("{model:<36}{window:>7} in {most:>6} out   {price:<24} {profile:<10} {origin}")
}

/// Returns a row's origin: the user's files, the catalog update, or the program with the month in which the source was read.
fn origin(row: &ModelInfo) -> String {
    let Some(checked) = &row.checked else { return row.source.clone() };
    if let Some((files, _)) = row.source.split_once(", over: ") {
        return files.to_owned();
    }
    let known = row.model.split_once('/').and_then(|(provider, id)| catalog::model(provider, id));
    match known.and_then(|known| known.update) {
        Some(date) => format!("catalog update of {date}"),
        None => format!("built in, {checked}"),
    }
}

fn provider(row: &ProviderInfo) -> String {
    let var = row.key_var.as_deref().map(|var| format!(" ({var})")).unwrap_or_default();
    let key = match row.key {
        KeyState::Set => format!("key set{var}"),
        KeyState::Command => "key from a command".to_owned(),
        KeyState::Login => "logged in".to_owned(),
        KeyState::NotNeeded => "no key needed".to_owned(),
        KeyState::Missing => format!("no key{var}"),
    };
    let api = row.api.as_deref().unwrap_or("?");
    let url = row.url.as_deref().unwrap_or("?");
    format!("{:<16}{api:<10} {key:<42} {url}   {}", row.name, row.source)
}
