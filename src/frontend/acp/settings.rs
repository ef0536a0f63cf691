//! A session's options as this protocol lists them: configuration options, and the older modes as well. Pure.
//!
//! The engine has two options that decide which actions a model may take without asking: the mode and the permission mode. Clients have one
//! selector for that, so both are shown as one option; modes are the same.

use agent_client_protocol_schema::v1 as acp;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::ConfigChanged;
use pintle_protocol::methods::ConfigOption;
use pintle_protocol::models::{KeyState, ModelsListResult};
use pintle_protocol::plan::WorkMode;
use std::collections::{BTreeMap, BTreeSet};

/// Id of the option that combines mode and permission mode.
pub(super) const MODE: &str = "mode";

const PERMISSION: &str = "permissionMode";
const MODEL: &str = "model";
const EFFORT: &str = "effort";

/// A model's modes: id, name, description.
const MODES: [(&str, &str, &str); 5] = [
    ("read-only", "Read only", "Reads the workspace; edits and commands are denied"),
    ("ask", "Ask", "Reads the workspace; edits and commands ask first"),
    (
        "auto-edit",
        "Edit freely",
        "Edits the workspace and runs commands in the sandbox; everything else asks first",
    ),
    ("full", "Full access", "Nothing asks"),
    ("plan", "Plan", "Reads and writes a plan; changes nothing until the plan is accepted"),
];

/// A session's options, as the engine lists them, and the available models.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    options: Vec<ConfigOption>,
    models: Vec<(String, String)>,
}

impl Settings {
    pub(super) fn new(options: Vec<ConfigOption>, models: &ModelsListResult) -> Self {
        let usable: BTreeSet<&str> = models
            .providers
            .iter()
            .filter(|provider| provider.key != KeyState::Missing)
            .map(|provider| provider.name.as_str())
            .collect();
        let models = models
            .models
            .iter()
            .filter(|info| info.model.split('/').next().is_some_and(|name| usable.contains(name)))
            .map(|info| {
                (info.model.clone(), info.name.clone().unwrap_or_else(|| info.model.clone()))
            })
            .collect();
        Self { options, models }
    }

    /// Replaces the options.
    pub(super) fn replace(&mut self, options: Vec<ConfigOption>) {
        self.options = options;
    }

    /// Applies an event.
    pub(super) fn apply(&mut self, changed: &ConfigChanged) {
        let efforts = self.find(EFFORT).map(|option| option.choices.clone()).unwrap_or_default();
        let (model, effort) = match changed.model.rsplit_once(':') {
            Some((model, effort)) if efforts.iter().any(|known| known == effort) => {
                (model.to_owned(), effort.to_owned())
            }
            _ => (changed.model.clone(), efforts.first().cloned().unwrap_or_default()),
        };
        let permission = changed.permission_mode.wire_name();
        let mode = match changed.mode {
            WorkMode::Act => "act",
            WorkMode::Plan => "plan",
        };
        for option in &mut self.options {
            match option.id.as_str() {
                MODEL => option.value.clone_from(&model),
                EFFORT => option.value.clone_from(&effort),
                PERMISSION => permission.clone_into(&mut option.value),
                MODE => mode.clone_into(&mut option.value),
                _ => {}
            }
        }
    }

    fn find(&self, id: &str) -> Option<&ConfigOption> {
        self.options.iter().find(|option| option.id == id)
    }

    fn value(&self, id: &str) -> &str {
        self.find(id).map_or("", |option| option.value.as_str())
    }

    /// Returns the current model.
    pub(super) fn model(&self) -> &str {
        self.value(MODEL)
    }

    /// Returns the current mode.
    pub(super) fn mode(&self) -> &'static str {
        match PermissionMode::named(self.value(PERMISSION)) {
            _ if self.value(MODE) == "plan" => "plan",
            mode => mode.unwrap_or_default().name(),
        }
    }

    /// Returns the modes, for clients without options.
    pub(super) fn modes(&self) -> acp::SessionModeState {
        let modes = MODES.map(|(id, name, description)| {
            acp::SessionMode::new(id, name).description(description.to_owned())
        });
        acp::SessionModeState::new(self.mode(), modes.to_vec())
    }

    /// Returns the options, in the order in which clients show them.
    pub(super) fn options(&self) -> Vec<acp::SessionConfigOption> {
        let modes = MODES.map(|(id, name, description)| {
            acp::SessionConfigSelectOption::new(id, name).description(description.to_owned())
        });
        let mode = acp::SessionConfigOption::select(MODE, "Mode", self.mode(), modes.to_vec())
            .category(acp::SessionConfigOptionCategory::Mode);
        let others =
            self.options.iter().filter(|option| option.id != MODE && option.id != PERMISSION);
        [mode].into_iter().chain(others.map(|option| self.shown(option))).collect()
    }

    fn shown(&self, option: &ConfigOption) -> acp::SessionConfigOption {
        let mut choices: Vec<(String, String)> = match option.id.as_str() {
            MODEL => self.models.clone(),
            _ => option.choices.iter().map(|value| (value.clone(), value.clone())).collect(),
        };
        // The current value is always among the choices.
        if !choices.iter().any(|(value, _)| *value == option.value) {
            choices.insert(0, (option.value.clone(), option.value.clone()));
        }
        let choices: Vec<_> = choices
            .into_iter()
            .map(|(value, name)| acp::SessionConfigSelectOption::new(value, name))
            .collect();
        let category = match option.id.as_str() {
            MODEL => Some(acp::SessionConfigOptionCategory::Model),
            EFFORT => Some(acp::SessionConfigOptionCategory::ThoughtLevel),
            _ => None,
        };
        acp::SessionConfigOption::select(
            option.id.clone(),
            option.name.clone(),
            option.value.clone(),
            choices,
        )
        .category(category)
    }
}

/// Returns the engine's options that a client's option sets.
///
/// # Errors
/// Fails if the value is unknown.
pub(super) fn engine_options(id: &str, value: &str) -> Result<BTreeMap<String, String>, String> {
    let entry = |id: &str, value: &str| (id.to_owned(), value.to_owned());
    if id != MODE {
        return Ok(BTreeMap::from([entry(id, value)]));
    }
    match PermissionMode::named(value) {
        _ if value == "plan" => Ok(BTreeMap::from([entry(MODE, "plan")])),
        Some(mode) => Ok(BTreeMap::from([entry(MODE, "act"), entry(PERMISSION, mode.wire_name())])),
        None => {
            let names = MODES.map(|(id, ..)| id).join(", ");
            Err(format!("unknown mode `{value}`; expected one of {names}"))
        }
    }
}
