//! Finds the folders, reads the config file, folds the layers.
#![expect(clippy::disallowed_methods, reason = "this file reads the config file")]

use super::environment::{self, Said};
use super::file::{self, FileSettings};
use super::{Config, Error, Flags, Folders, Server, Setting, Source, ToolSettings};
use crate::ambient::Ambient;
use pintle_protocol::approval::PermissionMode;
use std::io;
use std::path::PathBuf;

/// The settings that hold for this program run.
///
/// # Errors
/// The config file exists and cannot be read or makes no sense, or there is no home folder to put things in.
pub fn load(ambient: &Ambient, flags: Flags) -> Result<Config, Error> {
    let mut folders = folders(ambient)?;
    let settings = match std::fs::read_to_string(&folders.config_file) {
        Ok(text) => {
            folders.has_config_file = true;
            file::parse(&text, &folders.config_file, ambient)?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => FileSettings::default(),
        Err(error) => {
            return Err(Error::new(format!("{}: {error}", folders.config_file.display())));
        }
    };
    Ok(fold(ambient, flags, settings, folders))
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
    let environment =
        Said { wrap: flags.wrap, read_only: flags.read_only.then_some(true), ..Said::default() };
    let environment = environment::fold(environment, file.environment, &from_file);
    Config {
        model,
        retries,
        permission_mode,
        providers: file.providers,
        tools: ToolSettings {
            web_fetch: file.tools.web_fetch || flags.web_fetch,
            profile: flags.profile.or(file.tools.profile),
            ..file.tools
        },
        limits: file.limits,
        server: flags.base_url.map(|base_url| Server { base_url, api: flags.api }),
        environment,
        folders,
        warnings: file.warnings,
    }
}

fn folders(ambient: &Ambient) -> Result<Folders, Error> {
    if let Some(home) = ambient.var("PINTLE_HOME").map(PathBuf::from) {
        if !home.is_absolute() {
            return Err(Error::new(format!("PINTLE_HOME is `{}`", home.display()))
                .hint("give it an absolute path"));
        }
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
        return Err(Error::new("there is no home folder to keep sessions in")
            .hint("set HOME, or PINTLE_HOME to a folder of your choice"));
    };
    Ok(Folders {
        config_file: config.join("config.toml"),
        has_config_file: false,
        data,
        source: Source::BuiltIn,
    })
}
