//! One tool call of a reply: from its arguments to a prepared call, or to an error message for the model.

use crate::turn::context::TurnContext;
use pintle_base::text::visible::visible_line;
use pintle_exec::WriteLog;
use pintle_exec::sandbox::{Confinement, Names};
use pintle_protocol::item::{Item, ItemBody, ToolCall};
use pintle_tools::{Prepared, ResolvedPaths};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A tool call that the model made whole.
#[derive(Debug)]
pub(crate) struct Call {
    /// Its item, pending.
    pub(crate) item: Item,
    /// The provider's id.
    pub(crate) provider_id: String,
    /// The tool's name.
    pub(crate) tool_name: String,
    /// The prepared call, or the reason why there is none.
    pub(crate) prepared: Preparation,
    /// The effective tool and its arguments, if the called tool only forwards them.
    pub(crate) acting: Option<(String, Value)>,
    /// The sandbox confinement, if the call runs a confined command.
    pub(crate) confinement: Option<Arc<Confinement>>,
    /// The programs that a command outside of the sandbox must not start.
    pub(crate) programs: Names,
    /// Receives the paths that a command changes.
    pub(crate) writes: WriteLog,
    /// The paths that its permission was decided for.
    pub(crate) resolved: ResolvedPaths,
    /// Cancels the call; a child of the turn's token once the call runs.
    pub(crate) cancel: CancellationToken,
}

/// The result for a call that was cut off by the reply's length limit.
const CUT_BY_LIMIT: &str = "The reply reached its length limit inside this call, so nothing was run. Make the call smaller: write a long file in several parts.";

impl Call {
    /// Refuses a call with incomplete arguments in a reply that ended at its length limit.
    pub(crate) fn cut_by_limit(&mut self) {
        let is_whole = matches!(&self.item.body, ItemBody::ToolCall(call) if call.input.is_some());
        if !is_whole {
            self.refuse_as_cut();
        }
    }

    /// Returns the tool name that rules and hooks use for the call: that of the effective tool.
    pub(crate) fn acting_tool(&self) -> &str {
        self.acting.as_ref().map_or(&self.tool_name, |(name, _)| name)
    }

    /// Refuses the call, and reports to the model that the length limit cut it off.
    pub(crate) fn refuse_as_cut(&mut self) {
        self.prepared = Err(CUT_BY_LIMIT.to_owned());
    }
}

/// A call that is ready to run, or an error message for the model.
pub(crate) type Preparation = Result<Box<dyn Prepared>, String>;

/// Prepares a call with complete arguments, or returns why it cannot run.
pub(crate) fn prepare(ctx: &TurnContext, call: &mut ToolCall, arguments: &str) -> Preparation {
    let Some(tool) = ctx.tools.find(&call.tool_name) else {
        let names: Vec<&str> = ctx.tools.list.iter().map(|tool| tool.name()).collect();
        let name = &call.tool_name;
        let mut why = format!("Unknown tool `{name}`. Available tools: {}.", names.join(", "));
        if let Some(withheld) = ctx.tools.withheld(name) {
            why.push_str(
                " The user excluded it from this session: do not try to achieve the same result another way.",
            );
            // Every attempted call is shown to the user.
            let tried = parse_arguments(arguments)
                .and_then(|arguments| withheld.prepare(arguments, &ctx.workspace.folders));
            if let Ok(tried) = tried {
                call.title = visible_line(&tried.title()).into_owned();
            }
        }
        return Err(why);
    };
    let arguments = parse_arguments(arguments)?;
    tool.check(&arguments)?;
    let prepared = tool.prepare(arguments, &ctx.workspace.folders)?;
    call.title = visible_line(&prepared.title()).into_owned();
    call.locations = prepared.locations();
    Ok(prepared)
}

/// Parses a call's arguments; empty text counts as `{}`.
pub(crate) fn parse_arguments(text: &str) -> Result<Value, String> {
    // Some servers write `null` for no arguments.
    if matches!(text.trim(), "" | "null") {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_str(text).map_err(|error| {
        format!(
            "The arguments are not valid JSON ({error}). Send the call again with a JSON object."
        )
    })
}
