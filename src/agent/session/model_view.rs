//! The model's view of the session, apart from the conversation, and its last request.

use pintle_llm::ModelRef;
use pintle_protocol::context::ContextUsage;
use pintle_protocol::plan::{Plan, PlanStatus, WorkMode};
use pintle_session::context::inspect::RequestParts;
use pintle_session::history::touched::TouchedFiles;
use pintle_tools::{ReadTracker, plan_text};
use std::collections::BTreeMap;

/// The model's view of the session. Moving to another point in the history rebuilds it.
#[derive(Debug, Default)]
pub(super) struct ModelView {
    /// The mode last reported to the model.
    pub(super) reported_mode: WorkMode,
    pub(super) plan: Plan,
    /// The files that it has read.
    pub(super) read_tracker: ReadTracker,
    /// True if `seen.json` lists files.
    pub(super) has_saved: bool,
    /// The files that it has read and changed, for summaries.
    pub(super) touched: TouchedFiles,
    /// The last request, without its tools' results.
    pub(super) sent: Option<Box<RequestParts>>,
    /// The window usage at that time.
    pub(super) usage: Option<ContextUsage>,
    /// The models that cannot call tools, as `provider/id`: true if the user chose tools as text.
    pub(super) text_tools: BTreeMap<String, bool>,
}

impl ModelView {
    /// Returns true if the user chose tools as text for this model.
    pub(super) fn uses_text_tools(&self, model: &ModelRef) -> bool {
        self.text_tools.get(&model.origin()).copied().unwrap_or_default()
    }

    /// Returns the unfinished tasks of the plan, as text.
    pub(super) fn open_todos(&self) -> Option<String> {
        let open = self.plan.items.iter().filter(|item| item.status != PlanStatus::Completed);
        let open: Vec<_> = open.cloned().collect();
        (!open.is_empty()).then(|| plan_text(&open))
    }
}
