//! Finds the folders, reads the config file and the models files, lays the layers over each other.
#![expect(clippy::disallowed_methods, reason = "this file reads the settings files")]

use super::file::{self, ConfigFile, Providers};
use super::settings::override_with;
use super::text_source::{TextSource, variables};
use super::{Config, Error, Flags, Folders, PriceEntry, ProviderEntry, Server, Settings, Source};
use pintle_base::ambient::{Ambient, Secret};
use pintle_base::private_files;
use pintle_llm::catalog::{self, update};
use pintle_os::System;
use pintle_os::file::Facts;
use std::collections::BTreeSet;
use std::collections::btree_map::Entry as Slot;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The stored update of the catalog, in the data directory.
pub const CATALOG_FILE: &str = "catalog.json";

/// The maximum size of a settings file.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Settings file that the loader looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// Its path.
    pub path: PathBuf,
    /// Its stamp just before it was read; `None` if it did not exist.
    pub stamp: Option<Stamp>,
}

/// Metadata that changes when a file is written or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    serial: u64,
    size: u64,
    modified_ns: (i64, i64),
    changed_ns: (i64, i64),
}

impl Stamp {
    /// Returns a file's current stamp.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self {
            serial: meta.serial(),
            size: meta.len(),
            modified_ns: meta.modified_at(),
            changed_ns: meta.changed_at(),
        })
    }
}

/// Loads the settings of this program run.
///
/// # Errors
/// A file exists but cannot be read or parsed, or there is no home directory.
///
/// # Example
///
/// ```
/// use pintle_agent::config::{Flags, Source, load};
/// use pintle_base::ambient::Ambient;
/// use pintle_protocol::approval::PermissionMode;
///
/// let home = tempfile::tempdir()?;
/// let toml = "model = \"anthropic/claude-sonnet-4-6\"\npermission_mode = \"auto-edit\"\n";
/// std::fs::write(home.path().join("config.toml"), toml)?;
/// let folder = home.path().display().to_string();
/// let ambient = Ambient::fixed([("PINTLE_HOME".to_owned(), folder)]);
///
/// let flags = Flags { model: Some("openai/gpt-5".to_owned()), ..Flags::default() };
/// let settings = load(&ambient, flags)?.settings;
/// assert_eq!(settings.permission_mode.value, PermissionMode::AutoEdit);
/// let model = settings.model.unwrap();
/// assert_eq!((model.value.as_str(), model.source), ("openai/gpt-5", Source::Flag("--model")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(ambient: &Ambient, flags: Flags) -> Result<Config, Error> {
    read(ambient, flags).1
}

/// Like [`load`], but also returns the files that it looked for, even if one of them cannot be used.
pub(super) fn read(ambient: &Ambient, flags: Flags) -> (Vec<ReadFile>, Result<Config, Error>) {
    let mut files = Vec::new();
    let config = folders(ambient).and_then(|mut folders| {
        install_catalog(&folders.data, ambient);
        let text = take(&folders.config_file, &mut files)?;
        folders.has_config_file = text.is_some();
        let mut file = match text {
            Some(text) => file::parse(&text, &folders.config_file, ambient)?,
            None => ConfigFile::default(),
        };
        let of_config = std::mem::take(&mut file.settings.providers);
        let mut layers =
            models_files(ambient, &flags.models_files, &mut file, &folders, &mut files)?;
        layers.push(of_config);
        let mut providers = Providers::new();
        for (name, entry) in layers.into_iter().flatten() {
            file.warnings.extend(open_key(&name, &entry));
            match providers.entry(name) {
                Slot::Occupied(mut earlier) => earlier.get_mut().lay_over(entry),
                Slot::Vacant(free) => _ = free.insert(entry),
            }
        }
        file.warnings.extend(providers.iter().flat_map(half_prices));
        read_texts(ambient, &mut file.settings, &folders, &mut files)?;
        override_settings(ambient, &flags, &mut file.settings);
        Ok(Config {
            settings: file.settings,
            providers,
            servers: file.servers,
            server: flags.base_url.map(|base_url| Server { base_url, api: flags.api }),
            folders,
            files: Vec::new(),
            warnings: file.warnings,
        })
    });
    let config = config.map(|config| Config { files: files.clone(), ..config });
    (files, config)
}

/// Installs the stored update of the catalog, for the rest of this process. A file that cannot be read counts as an invalid update.
fn install_catalog(data: &Path, ambient: &Ambient) {
    let text = private_files::read(&data.join(CATALOG_FILE), update::MAX_BYTES);
    match text {
        Ok(text) => update::install(Ok(text), ambient.now_ms()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => update::install(Err(error.to_string()), ambient.now_ms()),
    }
}

/// Overrides settings of the files with those of the environment and the command line.
fn override_settings(ambient: &Ambient, flags: &Flags, settings: &mut Settings) {
    let model = ambient.var("PINTLE_MODEL").map(str::to_owned);
    override_with(&mut settings.model, model, Source::Variable("PINTLE_MODEL"));
    override_with(&mut settings.model, flags.model.clone(), Source::Flag("--model"));
    let fallback = flags.fallback_model.clone();
    override_with(&mut settings.fallback_model, fallback, Source::Flag("--fallback-model"));
    let retries = ambient.var("PINTLE_RETRIES").and_then(|text| text.trim().parse().ok());
    override_with(&mut settings.retries, retries, Source::Variable("PINTLE_RETRIES"));
    let mode = flags.permission_mode;
    override_with(&mut settings.permission_mode, mode, Source::Flag("--permission"));
    let Settings { environment, tools, .. } = settings;
    override_with(&mut environment.wrap, flags.wrap.clone(), Source::Flag("--wrap"));
    let read_only = flags.read_only.then_some(true);
    override_with(&mut environment.read_only, read_only, Source::Flag("--read-only"));
    tools.web_fetch |= flags.web_fetch;
    tools.web_search |= flags.web_search;
    tools.profile = flags.profile.clone().or(tools.profile.take());
}

/// Returns a warning if an entry of one file contains a key that other users may read.
fn open_key(name: &str, entry: &ProviderEntry) -> Option<String> {
    let Some(TextSource::Text(key)) = &entry.key else { return None };
    let file = entry.files.iter().find(|file| private_files::is_readable_by_others(file))?;
    variables(key.expose()).is_empty().then(|| {
        let file = file.display();
        format!("{file} contains the key for {name} and is readable by other users: run `chmod 600 {file}`")
    })
}

/// Certificate settings.
const CERTIFICATES: [&str; 2] = ["extra_ca_file", "client_certificate_file"];

/// Reads the files that settings refer to.
fn read_texts(
    ambient: &Ambient,
    settings: &mut Settings,
    folders: &Folders,
    files: &mut Vec<ReadFile>,
) -> Result<(), Error> {
    let place = folders.config_file.display();
    for (key, file) in settings.text_files() {
        let Some(file) = file else { continue };
        let wrong = |what: &str| Error::new(format!("{place}: `{key}` refers to {what}"));
        let path = path_of(&file.named, ambient, &folders.config_file)
            .map_err(|variable| wrong(&format!("{variable}, which is not set")))?;
        let text = take(&path, files).map_err(|error| {
            let hint = if CERTIFICATES.contains(&key) { "; it must be PEM text" } else { "" };
            wrong(&format!("an unusable file: {error}{hint}"))
        })?;
        let text =
            text.ok_or_else(|| wrong(&format!("{}, which does not exist", path.display())))?;
        file.text = Secret::new(text);
    }
    Ok(())
}

/// Returns a file's text, if it exists.
fn take(path: &Path, files: &mut Vec<ReadFile>) -> Result<Option<String>, Error> {
    files.push(ReadFile { path: path.to_owned(), stamp: Stamp::read(path) });
    match private_files::read_to_string(path, MAX_FILE_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::new(format!("{}: {error}", path.display()))),
    }
}

/// Reads the models files, in layers: those of another program, those listed in the config file, then the one next to it.
fn models_files(
    ambient: &Ambient,
    others: &[PathBuf],
    config: &mut ConfigFile,
    folders: &Folders,
    files: &mut Vec<ReadFile>,
) -> Result<Vec<Providers>, Error> {
    let mut paths: Vec<(PathBuf, bool)> = others.iter().map(|path| (path.clone(), false)).collect();
    let place = folders.config_file.display();
    for named in &config.settings.models_files {
        match path_of(named, ambient, &folders.config_file) {
            Ok(path) => paths.push((path, true)),
            Err(variable) => config.warnings.push(format!(
                "{place}: `models_files` uses {variable}, which is not set: `{named}` is not read"
            )),
        }
    }
    paths.push((folders.config_file.with_file_name("models.json"), false));
    let mut layers = Vec::new();
    for (path, is_named) in paths {
        if files.iter().any(|file| file.path == path) {
            continue;
        }
        match take(&path, files)? {
            Some(text) => {
                let (providers, mut warnings) = file::parse_models(&text, &path, ambient)?;
                config.warnings.append(&mut warnings);
                layers.push(providers);
            }
            None if is_named => config.warnings.push(format!(
                "{place}: `models_files` lists {}, which does not exist",
                path.display()
            )),
            None => {}
        }
    }
    Ok(layers)
}

/// Returns warnings about prices that set only one of input and output.
fn half_prices((provider, entry): (&String, &ProviderEntry)) -> Vec<String> {
    let ids: BTreeSet<&str> = entry.models.iter().map(|model| model.id.as_str()).collect();
    let half = |id: &&str| {
        let price = entry.model(id, None).map(|model| model.price).unwrap_or_default();
        let has_base = catalog::model(provider, id).is_some_and(|row| row.price.is_some());
        let is_whole = price.input.is_some() && price.output.is_some();
        price != PriceEntry::default() && !is_whole && !has_base
    };
    let file = entry.files.last().map(|file| file.display().to_string()).unwrap_or_default();
    let warning = |id: &str| {
        let at = format!("providers.{provider}.models.{id}.price");
        format!("{file}: `{at}` needs both `input` and `output`; the price is unknown without them")
    };
    ids.into_iter().filter(half).map(warning).collect()
}

/// Resolves the path in a setting: variables, the home directory, or relative to the config file.
fn path_of(named: &str, ambient: &Ambient, config_file: &Path) -> Result<PathBuf, String> {
    let named = super::fill(named, ambient)?;
    Ok(match named.strip_prefix("~/") {
        Some(rest) => ambient.home().ok_or("HOME")?.join(rest),
        None => config_file.with_file_name("").join(named),
    })
}

/// Checks that the data directory is a directory, or can be created in one.
fn check_data(data: &Path, name: &str) -> Result<(), Error> {
    let obstacle = data.ancestors().find_map(|place| {
        let facts = fs::symlink_metadata(place).ok()?;
        let kind = match fs::metadata(place) {
            Ok(target) if target.is_dir() => None,
            Ok(_) => Some("is not a directory"),
            Err(_) if facts.is_symlink() => Some("is a broken link"),
            Err(_) => None,
        };
        Some(kind.map(|kind| (place, kind)))
    });
    let Some(Some((place, kind))) = obstacle else { return Ok(()) };
    let message = if place == data {
        format!("{name} is `{}`, which {kind}", data.display())
    } else {
        format!("{name} is `{}`, but `{}` {kind}", data.display(), place.display())
    };
    Err(Error::new(message).hint("set PINTLE_HOME to a writable directory"))
}

fn folders(ambient: &Ambient) -> Result<Folders, Error> {
    if let Some(home) = ambient.var("PINTLE_HOME").map(PathBuf::from) {
        if !home.is_absolute() {
            return Err(Error::new(format!("PINTLE_HOME is `{}`", home.display()))
                .hint("use an absolute path"));
        }
        check_data(&home, "PINTLE_HOME")?;
        return Ok(Folders {
            config_file: home.join("config.toml"),
            has_config_file: false,
            data: home,
            source: Source::Variable("PINTLE_HOME"),
        });
    }
    // According to the XDG rules, a relative path there counts as not set; Windows has other variables.
    let xdg = |name, fallback: &str| {
        let set = ambient.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        set.or_else(|| Some(ambient.home()?.join(fallback))).map(|path| path.join("pintle"))
    };
    let (config, data) = match System::CURRENT {
        System::Linux | System::MacOs => {
            (xdg("XDG_CONFIG_HOME", ".config"), xdg("XDG_DATA_HOME", ".local/share"))
        }
        System::Windows => {
            (xdg("APPDATA", "AppData/Roaming"), xdg("LOCALAPPDATA", "AppData/Local"))
        }
    };
    let (Some(config), Some(data)) = (config, data) else {
        return Err(Error::new("no home directory to store sessions in")
            .hint("set HOME, or set PINTLE_HOME to a directory of your choice"));
    };
    check_data(&data, "the session directory")?;
    Ok(Folders {
        config_file: config.join("config.toml"),
        has_config_file: false,
        data,
        source: Source::BuiltIn,
    })
}
