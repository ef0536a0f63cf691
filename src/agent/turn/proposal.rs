//! The user's edits to a proposed change, applied after the call, attributed to the user, and reported to the model.

use crate::host::TurnHost;
use crate::kept_edits::KeptEdit;
use crate::turn::context::{TurnContext, TurnState};
use pintle_protocol::content::Content;
use pintle_protocol::item::ToolResult;
use pintle_session::context::conversation::from_engine;
use pintle_tools::{ToolContext, edit_proposal};
use std::path::PathBuf;

/// Applies the user's edits, and adds them to the call's result. If an edit cannot be applied, the call's version stays, with a notice.
pub(super) async fn apply_edits<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    tool_ctx: &ToolContext,
    edits: Vec<KeptEdit>,
    result: &mut ToolResult,
) {
    let paths: Vec<PathBuf> = edits.iter().map(|kept| kept.edit.path.clone().into()).collect();
    for kept in edits {
        let path = &kept.edit.path;
        let report = match host.wait(edit_proposal(tool_ctx, &kept.edit)).await {
            Ok(change) => {
                let report = change.map(|change| {
                    format!(
                        "the user edited {path} before allowing this call. Keep this difference from your version:\n{}",
                        change.diff
                    )
                });
                kept.applied();
                let Some(report) = report else { continue };
                report
            }
            Err(why) => {
                let message = format!(
                    "your edit to {path} was not applied, it has the agent's version: {why}"
                );
                host.record(kept.not_applied(message));
                format!(
                    "the user edited {path} before allowing this call, but the edit could not be applied: {why} The file has your version."
                )
            }
        };
        result.content.push(Content::text(from_engine(report)));
    }
    state.files.changed_by_others(host, &ctx.workspace, &paths).await;
}

/// Reports that the edits are not applied because the call failed or was cancelled.
pub(super) fn drop_edits<H: TurnHost>(host: &mut H, edits: &[KeptEdit]) {
    for kept in edits {
        let path = &kept.edit.path;
        let message =
            format!("your edit to {path} was not applied because the call did not complete");
        host.record(kept.not_applied(message));
    }
}
