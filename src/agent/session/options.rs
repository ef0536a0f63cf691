//! Setting commands: options that can be set while a session is open.
//!
//! Invariant: no option is accepted and ignored. An option that cannot be set is rejected with a reason; others apply from the next turn.

use super::{Session, Settings};
use crate::command::{
    NewFolder, OpenConfig, Record, Reply, SettingsCommand, mode_kept, mode_limited,
};
use crate::error::{Error, ErrorKind};
use crate::session::parse_model;
use crate::turn::mode::WORK_MODES;
use pintle_llm::{Effort, ModelRef};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::{ConfigChanged, Event};
use pintle_protocol::methods::{ConfigOption, ConfigResult, ConfigSetParams, Rejected};
use pintle_protocol::plan::WorkMode;
use pintle_protocol::queue::QueueMode;
use pintle_tools::mcp::SessionServers;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The option to compact a conversation automatically when it becomes too long.
const AUTO_COMPACT: &str = "autoCompact";

/// No effort is set: the provider's default applies.
const DEFAULT_EFFORT: &str = "default";

/// The queue modes by name.
const QUEUE_MODES: [(&str, QueueMode); 2] = [("all", QueueMode::All), ("one", QueueMode::One)];

fn queue_option(id: &str, name: &str, mode: QueueMode) -> ConfigOption {
    let value = QUEUE_MODES.iter().find(|(_, known)| *known == mode);
    ConfigOption {
        id: id.to_owned(),
        name: name.to_owned(),
        value: value.map_or("", |(name, _)| *name).to_owned(),
        choices: QUEUE_MODES.iter().map(|(name, _)| (*name).to_owned()).collect(),
    }
}

impl Session {
    pub(super) fn settings_command(&mut self, command: SettingsCommand) {
        let SettingsCommand::Configure { mut config, reply } = command;
        // Opening a session never widens its permissions.
        let now = self.settings.permission_mode;
        let wider = config.permission_mode.filter(|wanted| *wanted > now);
        config.permission_mode = config.permission_mode.map(|mode| mode.min(now));
        let done = self.configure(config).map(|record| ((), record));
        let is_open = done.is_ok();
        self.respond(reply, done);
        if let Some(wanted) = wider.filter(|_| is_open) {
            let policy = &self.services.permissions;
            self.log.unseen.push(if wanted > policy.ceiling {
                mode_limited(wanted, now, &policy.ceiling_source)
            } else {
                mode_kept(wanted, now)
            });
        }
    }

    /// Changes how the session works. The record is to be handed on once the answer is out.
    fn configure(&mut self, config: OpenConfig) -> Result<Option<Arc<Record>>, Error> {
        config.check_open()?;
        if let Some(NewFolder::Move(folder)) = &config.cwd
            && folder != self.log.cwd()
        {
            let message = format!("the session is open and works in {}", self.log.cwd().display());
            return Err(Error::new(ErrorKind::Conflict, message)
                .hint("close it first, then open it with the new directory"));
        }
        let before = self.config_changed();
        let model = config.model.map(|model| parse_model(&model)).transpose()?;
        if let Some(model) = model.filter(|model| *model != self.settings.model) {
            self.settings.model = model;
            self.view.usage = None;
        }
        if let Some(mode) = config.permission_mode {
            self.settings.permission_mode = mode;
        }
        self.settings.mode = config.mode.unwrap_or(self.settings.mode);
        if let Some(variables) = config.variables {
            self.settings.variables = variables;
        }
        if let Some(servers) = config.servers.filter(|servers| *servers != self.settings.servers) {
            self.settings.servers = servers;
            // The next turn discovers the servers and the tool list again.
            self.servers = SessionServers::default();
        }
        if let Some(trace) = config.trace {
            self.settings.trace = trace;
        }
        if let Some(additional) = config.additional {
            self.settings.additional = additional;
        }
        let changed = self.config_changed();
        if before == changed {
            return Ok(None);
        }
        self.log.append(None, Event::ConfigChanged(changed), None).map(Some)
    }

    /// Returns the session's configuration as an event.
    pub(super) fn config_changed(&self) -> ConfigChanged {
        ConfigChanged {
            model: self.settings.model.to_string(),
            permission_mode: self.settings.permission_mode,
            mode: self.settings.mode,
        }
    }

    /// Returns every option with its current value.
    pub(super) fn options(&self) -> Vec<ConfigOption> {
        let settings = &self.settings;
        let work = WORK_MODES.iter().find(|(_, mode)| *mode == settings.mode);
        let efforts = Effort::NAMES.iter().map(|(name, _)| (*name).to_owned());
        vec![
            ConfigOption {
                id: "model".to_owned(),
                name: "Model".to_owned(),
                value: settings.model.origin(),
                choices: Vec::new(),
            },
            ConfigOption {
                id: "effort".to_owned(),
                name: "Effort".to_owned(),
                value: settings.model.effort.map_or(DEFAULT_EFFORT, Effort::name).to_owned(),
                choices: [DEFAULT_EFFORT.to_owned()].into_iter().chain(efforts).collect(),
            },
            ConfigOption {
                id: "permissionMode".to_owned(),
                name: "Permission mode".to_owned(),
                value: settings.permission_mode.wire_name().to_owned(),
                choices: PermissionMode::NAMES
                    .iter()
                    .filter(|(_, mode)| *mode <= self.services.permissions.ceiling)
                    .map(|(_, mode)| mode.wire_name().to_owned())
                    .collect(),
            },
            ConfigOption {
                id: "mode".to_owned(),
                name: "Mode".to_owned(),
                value: work.map_or("", |(name, _)| *name).to_owned(),
                choices: WORK_MODES.iter().map(|(name, _)| (*name).to_owned()).collect(),
            },
            queue_option("steerMode", "Messages read together", self.inbox.steer_mode),
            queue_option("followUpMode", "Queued prompts in one turn", self.inbox.follow_up_mode),
            ConfigOption {
                id: AUTO_COMPACT.to_owned(),
                name: "Compact when the context window is nearly full".to_owned(),
                value: if settings.compaction.is_automatic { "on" } else { "off" }.to_owned(),
                choices: ["on", "off"].map(str::to_owned).into(),
            },
        ]
    }

    /// Sets the options that can be set, and lists all.
    pub(super) fn set_options(&mut self, params: ConfigSetParams, reply: Reply<ConfigResult>) {
        let done = self.try_set_options(params.values);
        self.respond(reply, done);
    }

    /// Sets the options. The caller publishes the record after sending the response.
    fn try_set_options(
        &mut self,
        values: BTreeMap<String, String>,
    ) -> Result<(ConfigResult, Option<Arc<Record>>), Error> {
        let Settings { model, permission_mode, mode, .. } = &self.settings;
        let mut wanted = (model.clone(), *permission_mode, *mode);
        let (mut applied, mut rejected) = (Vec::new(), Vec::new());
        // The model comes before its effort.
        let mut values: Vec<(String, String)> = values.into_iter().collect();
        values.sort_by_key(|(id, _)| id == "effort");
        for (id, value) in values {
            if let Some(set) = self.set_for_now(&id, &value) {
                match set {
                    Ok(()) => applied.push(id),
                    Err(reason) => rejected.push(Rejected { id, reason }),
                }
                continue;
            }
            match self.set(&id, &value, &mut wanted) {
                Ok(()) => applied.push(id),
                Err(reason) => rejected.push(Rejected { id, reason }),
            }
        }
        let (model, permission_mode, mode) = wanted;
        let config = OpenConfig {
            model: Some(model.to_string()),
            permission_mode: Some(permission_mode),
            mode: Some(mode),
            ..OpenConfig::default()
        };
        let record = self.configure(config)?;
        Ok((ConfigResult { options: self.options(), applied, rejected }, record))
    }

    /// Sets an option that applies while the session is open: the number of messages sent at once, or automatic compaction. Returns `None`
    /// for any other option.
    fn set_for_now(&mut self, id: &str, value: &str) -> Option<Result<(), String>> {
        if id == AUTO_COMPACT {
            let is_on = match value {
                "on" => true,
                "off" => false,
                _ => return Some(Err(format!("unknown {id} `{value}`; expected one of on, off"))),
            };
            self.settings.compaction.is_automatic = is_on;
            return Some(Ok(()));
        }
        let mode = match id {
            "steerMode" => &mut self.inbox.steer_mode,
            "followUpMode" => &mut self.inbox.follow_up_mode,
            _ => return None,
        };
        let found = QUEUE_MODES.iter().find(|(name, _)| *name == value);
        Some(match found {
            Some((_, found)) => {
                *mode = *found;
                Ok(())
            }
            None => Err(format!("unknown {id} `{value}`; expected one of all, one")),
        })
    }

    /// Sets one value, or returns why it is not possible.
    fn set(
        &self,
        id: &str,
        value: &str,
        (model, permission_mode, mode): &mut (ModelRef, PermissionMode, WorkMode),
    ) -> Result<(), String> {
        let none_of = |names: &[&str]| {
            format!("unknown {id} `{value}`; expected one of {}", names.join(", "))
        };
        match id {
            "model" => {
                let mut named = parse_model(value).map_err(|error| error.message)?;
                // A model without an effort keeps the current one.
                named.effort = named.effort.or(model.effort);
                self.services.models.provider(&named).map_err(|error| match error.hint {
                    Some(hint) => format!("{}: {hint}", error.message),
                    None => error.message,
                })?;
                *model = named;
            }
            "effort" if value == DEFAULT_EFFORT => model.effort = None,
            "effort" => {
                let known = Effort::NAMES.iter().map(|(name, _)| *name);
                let names: Vec<&str> = [DEFAULT_EFFORT].into_iter().chain(known).collect();
                model.effort = Some(value.parse().map_err(|()| none_of(&names))?);
            }
            "permissionMode" => {
                let names = PermissionMode::NAMES.map(|(_, mode)| mode.wire_name());
                let wanted = PermissionMode::named(value).ok_or_else(|| none_of(&names))?;
                let policy = &self.services.permissions;
                if wanted > policy.ceiling {
                    return Err(format!(
                        "`{value}` allows more than `{}`, the limit set by {}",
                        policy.ceiling.name(),
                        policy.ceiling_source
                    ));
                }
                *permission_mode = wanted;
            }
            "mode" => {
                let found = WORK_MODES.iter().find(|(name, _)| *name == value);
                *mode = found.ok_or_else(|| none_of(&WORK_MODES.map(|(name, _)| name)))?.1;
            }
            _ => {
                let options = self.options();
                let ids: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
                return Err(format!("unknown option `{id}`; expected one of {}", ids.join(", ")));
            }
        }
        Ok(())
    }
}
