//! `ask_user` and `exit_plan`: a question to the session's user.
//!
//! They only ask. The session decides what an answer changes, and the default without one.

use super::arguments::{Arguments, Options};
use super::client::Ask;
use super::schema::Builtin;
use super::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use pintle_protocol::question::QuestionKind;
use serde_json::Value;

/// The maximum number of options of a question: more cannot be read at a glance.
const MAX_OPTIONS: usize = 12;

/// The maximum number of questions of a call.
const MAX_QUESTIONS: usize = 4;

/// Asks the user a question.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskUser(pub Profile);

/// Asks the user to accept the plan.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExitPlan(pub Profile);

impl Tool for AskUser {
    shaped!(Builtin::Ask);

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Ask), arguments)?;
        let shown = arguments.shown("questions");
        let asks = match arguments.optional_objects("questions")? {
            None => vec![question(arguments)?],
            Some(questions) if (1..=MAX_QUESTIONS).contains(&questions.len()) => {
                questions.into_iter().map(question).collect::<Result<_, _>>()?
            }
            Some(questions) => {
                let count = questions.len();
                return Err(format!(
                    "{shown} contains {count} questions: ask 1 to {MAX_QUESTIONS}"
                ));
            }
        };
        Ok(Box::new(Call { tool: self.0.row(Builtin::Ask).name, asks }))
    }
}

/// Reads a question.
fn question(mut arguments: Arguments) -> Result<Ask, String> {
    let text = arguments.filled_text("question")?;
    let mut options: Vec<String> = Vec::new();
    let mut add = |option: &str| {
        let option = option.trim().to_owned();
        if !option.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    };
    match arguments.options("options")? {
        Options::Texts(texts) => texts.iter().for_each(|option| add(option)),
        Options::Objects(objects) => {
            for mut option in objects {
                let label = option.filled_text("label")?;
                match option.optional_text("description")?.filter(|text| !text.trim().is_empty()) {
                    Some(description) => add(&format!("{}: {}", label.trim(), description.trim())),
                    None => add(&label),
                }
            }
        }
    }
    if arguments.optional_text("type")?.as_deref() == Some("yesno") && options.is_empty() {
        options = vec!["Yes".to_owned(), "No".to_owned()];
    }
    if options.len() > MAX_OPTIONS {
        return Err(format!(
            "{} has {} answers, more than the maximum of {MAX_OPTIONS}: offer fewer",
            arguments.shown("options"),
            options.len()
        ));
    }
    let multiple = arguments.flag("multiple")?;
    Ok(Ask { kind: QuestionKind::Choice, text, plan: None, options, multiple })
}

impl Tool for ExitPlan {
    shaped!(Builtin::ExitPlan);

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let row = self.0.row(Builtin::ExitPlan);
        let plan = Arguments::new(row, arguments)?.filled_text("plan")?;
        let ask = Ask {
            kind: QuestionKind::Plan,
            text: "Accept this plan?".to_owned(),
            plan: Some(plan),
            options: vec!["Accept and start".to_owned(), "Keep planning".to_owned()],
            multiple: false,
        };
        Ok(Box::new(Call { tool: row.name, asks: vec![ask] }))
    }
}

#[derive(Debug)]
struct Call {
    tool: &'static str,
    /// The questions, at least one.
    asks: Vec<Ask>,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        let first = self.asks.first();
        let text = first.map_or("", |ask| ask.plan.as_deref().unwrap_or(&ask.text));
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
        let is_one = self.asks.len() == 1;
        let mut told = Vec::new();
        for ask in self.asks {
            let question = ask.text.clone();
            let said = tokio::select! {
                biased;
                () = ctx.cancel.cancelled() => return failure("Operation aborted"),
                said = ctx.client.ask(ask) => said,
            };
            match said {
                Ok(asked) if is_one => return success(asked.words),
                Ok(asked) => told.push(format!("{question}\n{}", asked.words)),
                Err(why) if told.is_empty() => return failure(why),
                Err(why) => told.push(format!("{question}\n{why}")),
            }
        }
        success(told.join("\n\n"))
    }
}
