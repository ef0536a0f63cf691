//! Finds the folders, reads the config file and the models files, folds the layers.
#![expect(clippy::disallowed_methods, reason = "this file reads the settings files")]

use super::environment::{self, EnvironmentLayer};
use super::file::{self, FileSettings};
use super::text_source::{TextSource, variables};
use super::{
    Config, Error, Flags, Folders, PriceEntry, ProviderEntry, Server, Setting, Source, ToolSettings,
};
use pintle_base::ambient::{Ambient, Secret};
use pintle_base::disk;
use pintle_llm::catalog;
use pintle_protocol::approval::PermissionMode;
use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The maximum size of a settings file.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// A settings file that was looked for.
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
    id: (u64, u64),
    size: u64,
    modified_ns: (i64, i64),
    changed_ns: (i64, i64),
}

impl Stamp {
    /// Returns the present stamp of a file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self {
            id: (meta.dev(), meta.ino()),
            size: meta.len(),
            modified_ns: (meta.mtime(), meta.mtime_nsec()),
            changed_ns: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

/// Loads the settings of this program run.
///
/// # Errors
/// A file exists but cannot be read or parsed, or there is no home folder.
pub fn load(ambient: &Ambient, flags: Flags) -> Result<Config, Error> {
    read(ambient, flags).1
}

/// Like [`load`], and returns the files that were looked for even if one of them cannot be used.
pub(super) fn read(ambient: &Ambient, flags: Flags) -> (Vec<ReadFile>, Result<Config, Error>) {
    let mut files = Vec::new();
    let config = folders(ambient).and_then(|mut folders| {
        let text = take(&folders.config_file, &mut files)?;
        folders.has_config_file = text.is_some();
        let mut settings = match text {
            Some(text) => file::parse(&text, &folders.config_file, ambient)?,
            None => FileSettings::default(),
        };
        let providers = std::mem::take(&mut settings.providers);
        let mut layers =
            models_files(ambient, &flags.models_files, &mut settings, &folders, &mut files)?;
        layers.push(providers);
        for (name, entry) in layers.into_iter().flatten() {
            settings.warnings.extend(open_key(&name, &entry));
            match settings.providers.entry(name) {
                Slot::Occupied(mut earlier) => earlier.get_mut().lay_over(entry),
                Slot::Vacant(free) => {
                    free.insert(entry);
                }
            }
        }
        let half = settings.providers.iter().flat_map(half_prices);
        settings.warnings.extend(half.collect::<Vec<_>>());
        instructions(ambient, &mut settings, &folders, &mut files)?;
        Ok(fold(ambient, flags, settings, folders))
    });
    let config = config.map(|config| Config { files: files.clone(), ..config });
    (files, config)
}

/// Returns a warning if an entry of one file holds a key that others may read.
fn open_key(name: &str, entry: &ProviderEntry) -> Option<String> {
    let Some(TextSource::Text(key)) = &entry.key else { return None };
    let file = entry.files.iter().find(|file| disk::is_readable_by_others(file))?;
    variables(key.expose()).is_empty().then(|| {
        let file = file.display();
        format!("{file} holds the key of {name}, and other users may read it: `chmod 600 {file}`")
    })
}

/// The settings that name certificates.
const CERTIFICATES: [&str; 2] = ["extra_ca_file", "client_certificate_file"];

/// Reads the certificates and the file that `system_prompt_file` names, and appends the text of the one that `instructions_file` names to `instructions`.
fn instructions(
    ambient: &Ambient,
    settings: &mut FileSettings,
    folders: &Folders,
    files: &mut Vec<ReadFile>,
) -> Result<(), Error> {
    let mut text_of = |key: &str, named: Option<String>| {
        let Some(named) = named else { return Ok(None) };
        let place = folders.config_file.display();
        let wrong = |what: &str| Error::new(format!("{place}: `{key}` names {what}"));
        let path = path_of(&named, ambient, &folders.config_file)
            .map_err(|variable| wrong(&format!("{variable}, which is not set")))?;
        let text = take(&path, files).map_err(|error| {
            let is_pem = CERTIFICATES.contains(&key);
            let hint = if is_pem { "; it must be a text in PEM" } else { "" };
            Error::new(format!("{place}: `{key}` names a file that cannot be used: {error}{hint}"))
        })?;
        text.ok_or_else(|| wrong(&format!("{}, which does not exist", path.display()))).map(Some)
    };
    let [ca, own] = CERTIFICATES;
    settings.extra_ca = text_of(ca, settings.extra_ca_file.take())?;
    let certificate = text_of(own, settings.client_certificate_file.take())?;
    settings.client_certificate = certificate.map(Secret::new);
    settings.base_prompt = text_of("system_prompt_file", settings.system_prompt_file.take())?;
    if let Some(text) = text_of("instructions_file", settings.instructions_file.take())? {
        let both = settings.instructions.take().into_iter().chain([text]);
        settings.instructions = Some(both.collect::<Vec<_>>().join("\n\n"));
    }
    Ok(())
}

/// Returns the text of a file, if it exists.
fn take(path: &Path, files: &mut Vec<ReadFile>) -> Result<Option<String>, Error> {
    files.push(ReadFile { path: path.to_owned(), stamp: Stamp::of(path) });
    match disk::read_to_string(path, MAX_FILE_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::new(format!("{}: {error}", path.display()))),
    }
}

/// Reads the models files, in layers: those of another program, those that the config file names, then the one beside
/// it.
fn models_files(
    ambient: &Ambient,
    others: &[PathBuf],
    settings: &mut FileSettings,
    folders: &Folders,
    files: &mut Vec<ReadFile>,
) -> Result<Vec<BTreeMap<String, ProviderEntry>>, Error> {
    let mut paths: Vec<(PathBuf, bool)> = others.iter().map(|path| (path.clone(), false)).collect();
    let place = folders.config_file.display();
    for named in &settings.models_files {
        match path_of(named, ambient, &folders.config_file) {
            Ok(path) => paths.push((path, true)),
            Err(variable) => settings.warnings.push(format!(
                "{place}: `models_files` names {variable}, which is not set: `{named}` is not read"
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
                settings.warnings.append(&mut warnings);
                layers.push(providers);
            }
            None if is_named => settings.warnings.push(format!(
                "{place}: `models_files` names {}, which does not exist",
                path.display()
            )),
            None => {}
        }
    }
    Ok(layers)
}

/// Returns warnings about prices that have only one half of input and output.
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
        format!("{file}: `{at}` needs `input` and `output`: until then the price is not known")
    };
    ids.into_iter().filter(half).map(warning).collect()
}

/// Resolves the path in a setting: variables, the home folder, or relative to the config file.
fn path_of(named: &str, ambient: &Ambient, config_file: &Path) -> Result<PathBuf, String> {
    let named = super::fill(named, ambient)?;
    Ok(match named.strip_prefix("~/") {
        Some(rest) => ambient.home().ok_or("HOME")?.join(rest),
        None => config_file.with_file_name("").join(named),
    })
}

fn fold(ambient: &Ambient, flags: Flags, file: FileSettings, folders: Folders) -> Config {
    let from_file = || Source::File(folders.config_file.clone());
    let model = flags
        .model
        .map(|value| Setting { value, source: Source::Flag("--model") })
        .or_else(|| {
            let value = ambient.var("PINTLE_MODEL")?.to_owned();
            Some(Setting { value, source: Source::Variable("PINTLE_MODEL") })
        })
        .or_else(|| file.model.map(|value| Setting { value, source: from_file() }));
    let retries = ambient
        .var("PINTLE_RETRIES")
        .and_then(|text| text.trim().parse().ok())
        .map(|value| Setting { value, source: Source::Variable("PINTLE_RETRIES") })
        .or_else(|| file.retries.map(|value| Setting { value, source: from_file() }));
    let permission_mode = flags
        .permission_mode
        .map(|value| Setting { value, source: Source::Flag("--permission") })
        .or_else(|| file.permission_mode.map(|value| Setting { value, source: from_file() }))
        .unwrap_or(Setting { value: PermissionMode::Ask, source: Source::BuiltIn });
    let instructions = file.instructions.filter(|text| !text.trim().is_empty());
    let instructions = instructions.map(|value| Setting { value, source: from_file() });
    let environment = EnvironmentLayer {
        wrap: flags.wrap,
        read_only: flags.read_only.then_some(true),
        ..EnvironmentLayer::default()
    };
    let environment = environment::fold(environment, file.environment, &from_file);
    Config {
        model,
        retries,
        permission_mode,
        rules: file.rules,
        instructions,
        base_prompt: file.base_prompt.filter(|text| !text.trim().is_empty()),
        providers: file.providers,
        tools: ToolSettings {
            web_fetch: file.tools.web_fetch || flags.web_fetch,
            web_search: file.tools.web_search || flags.web_search,
            profile: flags.profile.or(file.tools.profile),
            ..file.tools
        },
        limits: file.limits,
        context: file.context,
        hooks: file.hooks,
        servers: file.servers,
        lint: file.lint,
        title: file.title,
        sessions: file.sessions,
        approval_timeout: file.approval_timeout,
        question_timeout: file.question_timeout,
        model_start_timeout: file.model_start_timeout,
        model_idle_timeout: file.model_idle_timeout,
        extra_ca: file.extra_ca,
        client_certificate: file.client_certificate,
        server: flags.base_url.map(|base_url| Server { base_url, api: flags.api }),
        environment,
        folders,
        files: Vec::new(),
        warnings: file.warnings,
    }
}

/// Checks that the data folder is a folder, or can be created in one.
fn check_data(data: &Path, name: &str) -> Result<(), Error> {
    let obstacle = data.ancestors().find_map(|place| {
        let facts = fs::symlink_metadata(place).ok()?;
        let kind = match fs::metadata(place) {
            Ok(target) if target.is_dir() => None,
            Ok(_) => Some("is no folder"),
            Err(_) if facts.is_symlink() => Some("is a link that leads nowhere"),
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
    Err(Error::new(message).hint("set PINTLE_HOME to a folder that you can write"))
}

fn folders(ambient: &Ambient) -> Result<Folders, Error> {
    if let Some(home) = ambient.var("PINTLE_HOME").map(PathBuf::from) {
        if !home.is_absolute() {
            return Err(Error::new(format!("PINTLE_HOME is `{}`", home.display()))
                .hint("give it an absolute path"));
        }
        check_data(&home, "PINTLE_HOME")?;
        return Ok(Folders {
            config_file: home.join("config.toml"),
            has_config_file: false,
            data: home,
            source: Source::Variable("PINTLE_HOME"),
        });
    }
    // The XDG rules say that a relative path there counts as not set.
    let xdg = |name, fallback: &str| {
        let set = ambient.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        set.or_else(|| Some(ambient.home()?.join(fallback))).map(|path| path.join("pintle"))
    };
    let (Some(config), Some(data)) =
        (xdg("XDG_CONFIG_HOME", ".config"), xdg("XDG_DATA_HOME", ".local/share"))
    else {
        return Err(Error::new("no home folder for sessions")
            .hint("set HOME, or PINTLE_HOME to a folder of your choice"));
    };
    check_data(&data, "the folder for sessions")?;
    Ok(Folders {
        config_file: config.join("config.toml"),
        has_config_file: false,
        data,
        source: Source::BuiltIn,
    })
}
