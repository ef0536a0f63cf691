//! `recall`: shows an earlier result that was removed from the conversation to make room.
//!
//! The call does not run again: the original result is shown.

use super::arguments::Arguments;
use super::schema::Builtin;
use super::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure};
use pintle_protocol::content::Content;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The results that were taken out of a conversation, whole, by the ids of their calls.
pub type Pruned = Arc<BTreeMap<String, Vec<Content>>>;

/// Brings a result back.
#[derive(Debug, Clone, Copy, Default)]
pub struct Recall(pub Profile);

impl Tool for Recall {
    shaped!(Builtin::Recall);

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Recall), arguments)?;
        Ok(Box::new(Call { call: arguments.filled_text("call")?.trim().to_owned() }))
    }
}

#[derive(Debug)]
struct Call {
    call: String,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        format!("recall: {}", self.call)
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    fn access(&self) -> Access {
        Access::Engine
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        match ctx.pruned.get(&self.call) {
            Some(content) => ToolResult { content: content.clone(), ..ToolResult::default() },
            None => failure(format!(
                "No result of a call `{}` was removed from this conversation. Notes that replace results contain their call ids; results that have since been summarized are gone: run the call again.",
                self.call
            )),
        }
    }
}
