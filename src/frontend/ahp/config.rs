//! The engine as an agent with its models, and session settings under the names for which clients have pickers.

use super::state::PROVIDER;
use ahp_types::common::JsonObject;
use ahp_types::state::{
    AgentCapabilities, AgentInfo, ConfigPropertySchema, ConfigSchema,
    MultipleWorkingDirectoriesCapability, PolicyState, RootState, SessionConfigPropertySchema,
    SessionConfigSchema, SessionConfigState, SessionModelInfo,
};
use pintle_agent::EngineHandle;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::models::{KeyState, ModelInfo, ModelsListResult};
use pintle_protocol::plan::WorkMode;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The setting for actions without approval, and its values: ours, theirs, and the label.
const APPROVALS: &str = "autoApprove";
const APPROVAL_VALUES: [(PermissionMode, &str, &str); 4] = [
    (PermissionMode::ReadOnly, "readOnly", "Read only"),
    (PermissionMode::Ask, "default", "Default permissions"),
    (PermissionMode::AutoEdit, "assisted", "Edit freely"),
    (PermissionMode::Full, "autoApprove", "Bypass approvals"),
];

/// The setting that decides whether the model acts or only plans.
const MODE: &str = "mode";
const MODE_VALUES: [(WorkMode, &str, &str); 2] =
    [(WorkMode::Act, "interactive", "Interactive"), (WorkMode::Plan, "plan", "Plan")];

/// The model setting for the amount of thinking.
const THINKING: &str = "thinkingLevel";

/// A setting with one of some names as its value. The two types of settings have these fields in common, and no default.
macro_rules! choice {
    ($kind:ident { $title:expr, $default:expr, $names:expr, $labels:expr $(, $more:ident: $value:expr)* }) => {
        $kind {
            r#type: "string".to_owned(),
            title: $title.to_owned(),
            description: None,
            default: Some(json!($default)),
            r#enum: Some($names),
            enum_labels: $labels,
            enum_descriptions: None,
            read_only: None,
            items: None,
            min_items: None,
            max_items: None,
            properties: None,
            required: None,
            additional_properties: None,
            $($more: $value,)*
        }
    };
}

/// Returns the root channel's state: the engine as the only agent.
pub(super) fn root(engine: &EngineHandle) -> RootState {
    let mut root = root_of(&engine.models());
    // A model of the settings that no table knows.
    if let (Some(model), Some(agent)) = (engine.default_model(), root.agents.first_mut()) {
        let id = model.split(':').next().unwrap_or(model);
        if !agent.models.iter().any(|known| known.id == id) {
            agent.models.insert(0, unknown_model(id));
        }
    }
    root
}

fn root_of(models: &ModelsListResult) -> RootState {
    let usable: BTreeSet<&str> = models
        .providers
        .iter()
        .filter(|provider| provider.key != KeyState::Missing)
        .map(|provider| provider.name.as_str())
        .collect();
    let is_usable =
        |info: &&ModelInfo| info.model.split('/').next().is_some_and(|name| usable.contains(name));
    let agent = AgentInfo {
        provider: PROVIDER.to_owned(),
        display_name: "pintle".to_owned(),
        description: "Coding agent on this machine".to_owned(),
        models: models
            .models
            .iter()
            .filter(is_usable)
            .map(|info| model(info, &models.efforts))
            .collect(),
        // With any of these, VS Code asks for a separate login.
        protected_resources: None,
        customizations: None,
        capabilities: Some(AgentCapabilities {
            multiple_chats: None,
            multiple_working_directories: Some(MultipleWorkingDirectoriesCapability {
                immutable_primary: Some(true),
                primary_replacement: None,
            }),
        }),
    };
    RootState {
        agents: vec![agent],
        active_sessions: Some(0),
        terminals: Some(Vec::new()),
        config: None,
        meta: None,
    }
}

fn unknown_model(id: &str) -> SessionModelInfo {
    SessionModelInfo {
        id: id.to_owned(),
        provider: PROVIDER.to_owned(),
        name: id.to_owned(),
        max_context_window: None,
        max_output_tokens: None,
        max_prompt_tokens: None,
        supports_vision: None,
        policy_state: Some(PolicyState::Enabled),
        config_schema: None,
        meta: None,
    }
}

fn model(info: &ModelInfo, efforts: &[String]) -> SessionModelInfo {
    let names = std::iter::once("default").chain(efforts.iter().map(String::as_str));
    let names = names.map(|name| json!(name)).collect();
    let thinking = || choice!(ConfigPropertySchema { "Thinking", "default", names, None });
    SessionModelInfo {
        name: info.name.clone().unwrap_or_else(|| info.model.clone()),
        max_context_window: info.window.map(super::wire::count),
        max_output_tokens: info.max_output.map(super::wire::count),
        supports_vision: info.vision,
        config_schema: (info.reasoning == Some(true)).then(|| ConfigSchema {
            r#type: "object".to_owned(),
            properties: [(THINKING.to_owned(), thinking())].into(),
            required: None,
        }),
        ..unknown_model(&info.model)
    }
}

/// Returns the schema for a session's settings, up to the widest permission mode.
pub(super) fn schema() -> SessionConfigSchema {
    let choice = |title: &str, default: &str, values: Vec<(&str, &str)>| {
        let (names, labels): (Vec<Value>, Vec<String>) =
            values.into_iter().map(|(name, label)| (json!(name), label.to_owned())).unzip();
        choice!(SessionConfigPropertySchema {
            title, default, names, Some(labels), enum_dynamic: None, session_mutable: Some(true)
        })
    };
    // VS Code has a picker for these three alone. A session that only reads shows its own value.
    let wide = APPROVAL_VALUES.iter().filter(|(ours, ..)| *ours != PermissionMode::ReadOnly);
    let approvals = wide.map(|(_, name, label)| (*name, *label)).collect();
    let modes = MODE_VALUES.iter().map(|(_, name, label)| (*name, *label)).collect();
    SessionConfigSchema {
        r#type: "object".to_owned(),
        properties: [
            (APPROVALS.to_owned(), choice("Approvals", "default", approvals)),
            (MODE.to_owned(), choice("Mode", "interactive", modes)),
        ]
        .into(),
        required: None,
    }
}

/// Returns a session's settings, under the protocol's names.
pub(super) fn values(permission_mode: PermissionMode, mode: WorkMode) -> JsonObject {
    let approvals = APPROVAL_VALUES.iter().find(|(ours, ..)| *ours == permission_mode);
    let mode = MODE_VALUES.iter().find(|(ours, ..)| *ours == mode);
    let mut values = JsonObject::new();
    values.insert(APPROVALS.to_owned(), json!(approvals.map(|(_, name, _)| *name)));
    values.insert(MODE.to_owned(), json!(mode.map(|(_, name, _)| *name)));
    values
}

/// Returns the settings with their schema.
pub(super) fn state(permission_mode: PermissionMode, mode: WorkMode) -> SessionConfigState {
    SessionConfigState { schema: schema(), values: values(permission_mode, mode) }
}

/// Reads settings and ignores unknown ones, since clients also send their own settings.
///
/// # Errors
/// Returns a message for the client if a known setting has an unknown value.
pub(super) fn read(
    config: &JsonObject,
) -> Result<(Option<PermissionMode>, Option<WorkMode>), String> {
    let unknown =
        |name: &str, value: &Value| format!("invalid value {value} for the setting `{name}`");
    let permission_mode = match config.get(APPROVALS) {
        None => None,
        Some(value) => {
            let known = APPROVAL_VALUES.iter().find(|(_, name, _)| value == name);
            Some(known.ok_or_else(|| unknown(APPROVALS, value))?.0)
        }
    };
    let mode = match config.get(MODE) {
        None => None,
        Some(value) => {
            let known = MODE_VALUES.iter().find(|(_, name, _)| value == name);
            Some(known.ok_or_else(|| unknown(MODE, value))?.0)
        }
    };
    Ok((permission_mode, mode))
}

/// Returns the engine options for these settings.
pub(super) fn options(
    permission_mode: Option<PermissionMode>,
    mode: Option<WorkMode>,
) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    if let Some(permission_mode) = permission_mode {
        options.insert("permissionMode".to_owned(), permission_mode.name().to_owned());
    }
    if let Some(mode) = mode {
        let name = match mode {
            WorkMode::Act => "act",
            WorkMode::Plan => "plan",
        };
        options.insert("mode".to_owned(), name.to_owned());
    }
    options
}

/// Returns the model that a message chooses, as `provider/id` or `provider/id:effort`.
pub(super) fn chosen_model(selection: &ahp_types::state::ModelSelection) -> String {
    let config = selection.config.as_ref();
    let effort = config.and_then(|config| config.get(THINKING)).and_then(Value::as_str);
    match effort.filter(|effort| *effort != "default") {
        Some(effort) => format!("{}:{effort}", selection.id),
        None => selection.id.clone(),
    }
}
