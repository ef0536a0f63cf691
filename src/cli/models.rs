//! `pintle models`: model facts, built in and from the user's files.

use crate::cli::args::{ListModels, Settings};
use crate::cli::assemble;
use pintle_agent::models::ModelSource;
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_protocol::models::{KeyState, ModelInfo, ModelsListResult, ProviderInfo};
use std::io::Write;

/// Prints the rows. The exit code is 0, or 2 when no name fits.
pub(crate) fn run(wanted: &ListModels, ambient: &Ambient) -> anyhow::Result<u8> {
    let settings = Settings::default();
    let config = assemble::load_config(&settings, ambient)?;
    let list = assemble::configured_models(&settings, &config, ambient)?.list();
    let ModelsListResult { providers, models, problems } = list;
    let part = wanted.name.as_deref().unwrap_or_default().to_ascii_lowercase();
    let fits = |name: &str| name.to_ascii_lowercase().contains(&part);
    let models = models.iter().filter(|row| fits(&row.model));
    let rows: Vec<String> = match (wanted.providers, wanted.json) {
        (true, is_json) => {
            let rows = providers.iter().filter(|row| fits(&row.name));
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
    // Built-in rows have the month in which their source was read; the user's rows name their file.
    let own = match &row.checked {
        Some(_) => row.source.split_once(", over: ").map(|(files, _)| files),
        None => Some(row.source.as_str()),
    };
    let own = own.map(|files| format!("   {files}")).unwrap_or_default();
    let ModelInfo { model, profile, .. } = row;
    format!("{model:<36}{window:>7} in {most:>6} out   {price:<24} {profile}{own}")
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
