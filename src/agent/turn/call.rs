//! One tool call of a reply: from its arguments to a prepared call, or to an error message for the model.

use crate::turn::context::TurnContext;
use pintle_base::text::visible::visible_line;
use pintle_exec::{Dialect, Platform};
use pintle_protocol::item::{Item, ItemBody, ToolCall};
use pintle_tools::permissions::Analysis;
use pintle_tools::{Access, Prepared, ResolvedPaths, Supervision};
use serde_json::Value;
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
    /// Supervision of its command.
    pub(crate) supervision: Supervision,
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
    if let Access::Execute(command) = prepared.access() {
        must_write_to_files(ctx.workspace.env.platform(), &command)?;
    }
    Ok(prepared)
}

/// Refuses a command whose output would go to a file that can hardly be deleted.
fn must_write_to_files(platform: &Platform, command: &str) -> Result<(), String> {
    let is_bash = Dialect::detect(&platform.shell) == Dialect::Bourne;
    if !platform.is_windows() || !is_bash {
        return Ok(());
    }
    Analysis::parse_on_windows(command).written_device().map_or(Ok(()), |device| {
        Err(format!(
            "The command was not run: on Windows, bash would write its output to a file called `{device}`, which other programs cannot \
             delete. To discard output, redirect it to /dev/null."
        ))
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_exec::Environment as _;
    use pintle_exec::memory::Memory;

    #[test]
    fn output_is_not_redirected_to_a_device_of_windows() {
        let (bash, pwsh) = (r"C:\Program Files\Git\bin\bash.exe", r"C:\PowerShell\7\pwsh.exe");
        for (os, shell, command, is_refused) in [
            ("windows", bash, "make > nul", true),
            ("windows", bash, "make 2>> src/CON", true),
            ("windows", bash, "make > /dev/null", false),
            ("windows", pwsh, "make > nul", false),
            ("linux", "/bin/bash", "make > nul", false),
        ] {
            let mut env = Memory::new([]);
            env.set_platform(os, shell);
            let checked = must_write_to_files(env.platform(), command);
            let told = checked.is_err_and(|message| message.ends_with("redirect it to /dev/null."));
            assert_eq!(told, is_refused, "{command} on {os}");
        }
    }
}
