//! `ask_user` and `exit_plan`: a question to the person who steers the session.
//!
//! They only ask. What an answer changes, and what holds when there is none, is decided by the session.

use super::arguments::Arguments;
use super::client::Ask;
use super::{Access, Folders, Prepared, Tool, ToolContext, failure, success};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use pintle_protocol::question::QuestionKind;
use serde_json::{Value, json};

/// The maximum number of options of a question: more cannot be read at a glance.
const MAX_OPTIONS: usize = 12;

/// Asks a person something.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskUser;

/// Asks a person to accept the plan.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExitPlan;

impl Tool for AskUser {
    fn name(&self) -> &'static str {
        "ask_user"
    }

    fn description(&self) -> &'static str {
        include_str!("descriptions/ask_user.md")
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "question": {"type": "string", "description": "The question, with what the person needs to know to answer it"},
                "options": {"type": "array", "items": {"type": "string"}, "description": "Answers to choose from, the one that you would take first; the person may always answer in own words"},
                "multiple": {"type": "boolean", "description": "Several options may be chosen (default false)"},
            },
            "required": ["question"],
        })
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        let text = arguments.filled_text("question")?;
        let mut options: Vec<String> = Vec::new();
        for option in arguments.optional_texts("options")? {
            let option = option.trim().to_owned();
            if !option.is_empty() && !options.contains(&option) {
                options.push(option);
            }
        }
        if options.len() > MAX_OPTIONS {
            return Err(format!(
                "`options` has {} answers and may have {MAX_OPTIONS}: ask for less at once",
                options.len()
            ));
        }
        let multiple = arguments.flag("multiple")?;
        let kind = QuestionKind::Choice;
        Ok(Box::new(Call {
            tool: self.name().to_owned(),
            ask: Ask { kind, text, plan: None, options, multiple },
        }))
    }
}

impl Tool for ExitPlan {
    fn name(&self) -> &'static str {
        "exit_plan"
    }

    fn description(&self) -> &'static str {
        "Shows your plan to the person and asks to accept it. Only in plan mode, once the plan is whole. When it is accepted, plan mode is over and you carry it out."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "plan": {"type": "string", "description": "The plan, as Markdown: what you will change, where, in which order, and how you will see that it works"},
            },
            "required": ["plan"],
        })
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let plan = Arguments::new(arguments)?.filled_text("plan")?;
        let ask = Ask {
            kind: QuestionKind::Plan,
            text: "Accept this plan?".to_owned(),
            plan: Some(plan),
            options: vec!["Accept it and begin".to_owned(), "Go on planning".to_owned()],
            multiple: false,
        };
        Ok(Box::new(Call { tool: self.name().to_owned(), ask }))
    }
}

#[derive(Debug)]
struct Call {
    tool: String,
    ask: Ask,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        let text = self.ask.plan.as_deref().unwrap_or(&self.ask.text);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        format!("{}: {}", self.tool, line.chars().take(80).collect::<String>())
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    fn access(&self) -> Access {
        Access::Engine
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => failure("Operation aborted"),
            said = ctx.client.ask(self.ask) => {
                said.map_or_else(failure, |asked| success(asked.words))
            }
        }
    }
}
