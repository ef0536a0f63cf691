//! `todo_write`: the model's plan, shown to the user.
//!
//! Each call gives the complete list; the session keeps it.

use super::arguments::Arguments;
use super::schema::Builtin;
use super::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use pintle_protocol::plan::{PlanItem, PlanStatus};
use serde_json::Value;

/// The maximum number of steps in a plan: a longer list is a document.
const MAX_ITEMS: usize = 100;

/// The status names, in all families.
const STATUSES: [(&str, PlanStatus); 5] = [
    ("pending", PlanStatus::Pending),
    ("in_progress", PlanStatus::InProgress),
    ("completed", PlanStatus::Completed),
    ("done", PlanStatus::Completed),
    ("blocked", PlanStatus::Pending),
];

/// Records the plan.
#[derive(Debug, Clone, Copy, Default)]
pub struct TodoWrite(pub Profile);

impl Tool for TodoWrite {
    shaped!(Builtin::Todo);

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Todo), arguments)?;
        let shown = arguments.shown("items");
        let rows = arguments.optional_objects("items")?;
        let rows =
            rows.ok_or_else(|| format!("{shown} is missing: it must be a list of objects"))?;
        if rows.len() > MAX_ITEMS {
            return Err(format!(
                "{shown} has {} items, more than the maximum of {MAX_ITEMS}: combine some",
                rows.len()
            ));
        }
        let items: Vec<Option<PlanItem>> =
            rows.into_iter().map(item).collect::<Result<_, String>>()?;
        Ok(Box::new(Call {
            tool: self.0.row(Builtin::Todo).name,
            items: items.into_iter().flatten().collect(),
        }))
    }
}

/// Returns a step; `None` if the model has given it up.
fn item(mut row: Arguments) -> Result<Option<PlanItem>, String> {
    let content = row.filled_text("content")?.trim().to_owned();
    let said = row.text("status")?;
    if said == "cancelled" {
        return Ok(None);
    }
    let found = STATUSES.iter().find(|(name, _)| *name == said);
    let (_, status) = found.ok_or_else(|| {
        let shown = row.shown("status");
        format!("{shown} is `{said}`: it must be pending, in_progress or completed")
    })?;
    Ok(Some(PlanItem { content, status: *status }))
}

/// Returns a plan as a model reads it.
pub fn plan_text(items: &[PlanItem]) -> String {
    let lines = items.iter().map(|item| {
        let mark = match item.status {
            PlanStatus::Pending => "[ ]",
            PlanStatus::InProgress => "[>]",
            PlanStatus::Completed => "[x]",
        };
        format!("{mark} {}", item.content)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[derive(Debug)]
struct Call {
    tool: &'static str,
    items: Vec<PlanItem>,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        let done = self.items.iter().filter(|item| item.status == PlanStatus::Completed).count();
        let now = self.items.iter().find(|item| item.status == PlanStatus::InProgress);
        let now =
            now.map(|item| format!(", {}", item.content.chars().take(60).collect::<String>()));
        format!("{}: {done} of {} done{}", self.tool, self.items.len(), now.unwrap_or_default())
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    fn access(&self) -> Access {
        Access::Engine
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let said = if self.items.is_empty() {
            "The list is now empty.".to_owned()
        } else {
            format!("The list is now:\n{}", plan_text(&self.items))
        };
        match ctx.client.plan(self.items).await {
            Ok(()) => success(said),
            Err(message) => failure(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_exec::Dialect;
    use serde_json::json;

    #[test]
    fn a_plan_is_checked_before_it_is_written_down() {
        let folders = Folders { cwd: "/w".into(), home: None, shell: Dialect::Bourne };
        let rows = [
            ("missing", json!({}), "`items` is missing: it must be a list of objects"),
            ("no list", json!({"items": "a"}), "`items` must be a list of objects, not a string"),
            ("no object", json!({"items": ["a"]}), "`items[0]` must be an object, not a string"),
            (
                "no content",
                json!({"items": [{"content": " ", "status": "pending"}]}),
                "`items[0].content` must not be empty",
            ),
            (
                "an odd status",
                json!({"items": [{"content": "a", "status": "soon"}]}),
                "`items[0].status` is `soon`: it must be pending, in_progress or completed",
            ),
            (
                "too long",
                json!({"items": vec![json!({"content": "a", "status": "pending"}); 101]}),
                "`items` has 101 items, more than the maximum of 100: combine some",
            ),
        ];
        for (name, arguments, want) in rows {
            let got = TodoWrite::default().prepare(arguments, &folders).map(|call| call.title());
            assert_eq!(got, Err(want.to_owned()), "{name}");
        }
        let items = json!({"items": [
            {"content": "look", "status": "completed"},
            {"content": "fix ", "status": "in_progress"},
        ]});
        let call = TodoWrite::default().prepare(items, &folders).unwrap();
        assert_eq!(call.title(), "todo_write: 1 of 2 done, fix");
    }
}
