//! `web_search`: a web search run by the model's provider. Off unless the user enables it.
//!
//! It is declared as the provider's tool, so that none of its calls reach the engine.

use super::schema::{Builtin, Declaration, Facts};
use super::{Folders, Prepared, Tool};
use pintle_protocol::item::ToolKind;
use serde_json::{Value, json};

/// Searches the web, at the provider.
#[derive(Debug, Clone, Copy)]
pub struct WebSearch;

impl Tool for WebSearch {
    fn name(&self) -> &'static str {
        "web_search"
    }

    fn does(&self) -> Option<Builtin> {
        Some(Builtin::WebSearch)
    }

    fn declare(&self, _: &Facts<'_>) -> Declaration {
        Declaration {
            description: "Web search by the provider.".to_owned(),
            parameters: json!({ "type": "object", "properties": {} }),
            grammar: None,
        }
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn prepare(&self, _: Value, _: &Folders) -> Result<Box<dyn Prepared>, String> {
        Err("The provider runs web_search itself. Use it as a built-in tool, not as a function."
            .to_owned())
    }
}
