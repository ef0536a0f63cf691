//! Commands that change a session's settings: its model, its thinking level, its queue modes, its name.
//!
//! They apply to the open session only; no settings file is written.

use super::driver::{Driver, error_text};
use super::line::{Head, QueueMode};
use super::models::{self, ModelName};
use pintle_protocol::config::ConfigSetParams;
use pintle_protocol::methods::{ConfigResult, ConfigSet, SessionUpdate};
use pintle_protocol::models::ModelsListResult;
use pintle_protocol::session::{SessionUpdateParams, SessionUpdateResult};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Driver {
    pub(super) fn models(&self) -> ModelsListResult {
        self.sessions.client.engine.models()
    }

    pub(super) fn levels(&self) -> Vec<&'static str> {
        models::levels(&self.models(), ModelName::read(&self.open.model))
    }

    /// Sets session options. The error explains the first rejected option.
    pub(super) async fn set(&mut self, values: &[(&str, &str)]) -> Result<(), String> {
        let values = values.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned()));
        let values: BTreeMap<String, String> = values.collect();
        let model = values.get("model").cloned();
        let effort = values.get("effort").cloned();
        let set = ConfigSetParams { session_id: None, values };
        let set =
            self.open.handle.call::<ConfigSet>(set).await.map_err(|error| error_text(&error))?;
        let ConfigResult { rejected, .. } = set;
        if let Some(rejected) = rejected.into_iter().next() {
            return Err(rejected.reason);
        }
        // The event that confirms this arrives after the response.
        let named = ModelName::read(&self.open.model);
        let (provider_id, level) = (format!("{}/{}", named.provider, named.id), named.level);
        let effort =
            effort.or_else(|| models::effort(level).filter(|_| level != "off").map(str::to_owned));
        let model = model.unwrap_or(provider_id);
        self.open.model = match effort {
            Some(effort) => format!("{model}:{effort}"),
            None => model,
        };
        self.open.update_variables(self.sessions.options.preferences.dialect).await;
        let mut lines = Vec::new();
        self.open.translator.set_level(ModelName::read(&self.open.model).level, &mut lines);
        self.out.push_all(lines);
        Ok(())
    }

    pub(super) async fn set_model(&mut self, head: &Head, model: &str) -> Value {
        if !models::is_listed(&self.models(), model) {
            return head.failed(&format!("Model not found: {model}"));
        }
        match self.set(&[("model", model)]).await {
            Ok(()) => head.data(models::model(&self.models(), ModelName::read(&self.open.model))),
            Err(reason) => head.failed(&format!("Model not found: {model}\n{reason}")),
        }
    }

    pub(super) async fn cycle_model(&mut self, head: &Head) -> Value {
        let patterns = self.sessions.options.preferences.models.clone();
        let list = self.models();
        let all = models::cycle(&list, &patterns);
        let named = ModelName::read(&self.open.model);
        let current = format!("{}/{}", named.provider, named.id);
        let at = all.iter().position(|model| *model == current);
        let next = at.map_or(0, |at| (at + 1) % all.len().max(1));
        let Some(next) = all.get(next).filter(|next| **next != current) else {
            return head.data(Value::Null);
        };
        match self.set(&[("model", next)]).await {
            Ok(()) => {
                let named = ModelName::read(&self.open.model);
                head.data(json!({
                    "model": models::model(&list, named),
                    "thinkingLevel": named.level,
                    "isScoped": !patterns.is_empty(),
                }))
            }
            Err(reason) => head.failed(&reason),
        }
    }

    /// Sets a thinking level. As in Pi, an unknown level, or one that the model lacks, is `off`.
    pub(super) async fn set_level(&mut self, head: &Head, level: &str) -> Value {
        let effort = models::effort(level).filter(|_| self.levels().contains(&level));
        let effort = effort.unwrap_or("none");
        match self.set(&[("effort", effort)]).await {
            Ok(()) => head.done(),
            Err(reason) => head.failed(&reason),
        }
    }

    pub(super) async fn cycle_level(&mut self, head: &Head) -> Value {
        let levels = self.levels();
        let now = ModelName::read(&self.open.model).level;
        let at = levels.iter().position(|level| *level == now).map_or(0, |at| at + 1);
        let next = levels.get(at % levels.len().max(1)).filter(|next| **next != now);
        let Some(next) = next.copied() else { return head.data(Value::Null) };
        match self.set(&[("effort", models::effort(next).unwrap_or_default())]).await {
            Ok(()) => head.data(json!({ "level": next })),
            Err(reason) => head.failed(&reason),
        }
    }

    pub(super) async fn set_queue_mode(
        &mut self,
        head: &Head,
        option: &str,
        mode: QueueMode,
    ) -> Value {
        match self.set(&[(option, mode.name())]).await {
            Ok(()) => head.done(),
            Err(reason) => head.failed(&reason),
        }
    }

    pub(super) async fn set_compaction(&mut self, head: &Head, enabled: bool) -> Value {
        let value = if enabled { "on" } else { "off" };
        match self.set(&[("autoCompact", value)]).await {
            Ok(()) => {
                self.compacts = enabled;
                head.done()
            }
            Err(reason) => head.failed(&reason),
        }
    }

    pub(super) async fn set_name(&mut self, head: &Head, name: &str) -> Value {
        let title = name.trim().to_owned();
        if title.is_empty() {
            return head.failed("Session name cannot be empty");
        }
        let update = SessionUpdateParams { session_id: None, title: Some(Some(title)) };
        match self.open.handle.call::<SessionUpdate>(update).await {
            Ok(SessionUpdateResult { title }) => {
                let mut lines = Vec::new();
                self.open.translator.set_name(title, &mut lines);
                self.out.push_all(lines);
                head.done()
            }
            Err(error) => head.failed(&error_text(&error)),
        }
    }
}
