//! The user's edits to a proposed change, applied after the call, attributed to the user, and reported to the model.

use crate::host::TurnHost;
use crate::turn::context::{TurnContext, TurnState};
use pintle_protocol::approval::ProposalEdit;
use pintle_protocol::content::Content;
use pintle_protocol::event::{Event, Notice, NoticeLevel};
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
    edits: Vec<ProposalEdit>,
    result: &mut ToolResult,
) {
    let paths: Vec<PathBuf> = edits.iter().map(|edit| edit.path.clone().into()).collect();
    for edit in edits {
        let path = &edit.path;
        let report = match host.wait(edit_proposal(tool_ctx, &edit)).await {
            Ok(None) => continue,
            Ok(Some(change)) => format!(
                "the user edited {path} before allowing this call. Keep this difference from your version:\n{}",
                change.diff
            ),
            Err(why) => {
                let hint = format!("{path} has the agent's version; edit the file directly");
                warn(host, format!("your edit was not applied: {why}"), hint);
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
pub(super) fn drop_edits<H: TurnHost>(host: &mut H, edits: &[ProposalEdit]) {
    for ProposalEdit { path, .. } in edits {
        let message =
            format!("your edit to {path} was not applied because the call did not complete");
        warn(host, message, "edit the file directly".to_owned());
    }
}

fn warn<H: TurnHost>(host: &mut H, message: String, hint: String) {
    let (level, code) = (NoticeLevel::Warning, "proposalNotEdited".to_owned());
    host.record(Event::Notice(Notice { level, code, message, hint: Some(hint) }));
}
