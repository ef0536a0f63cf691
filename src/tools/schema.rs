//! A tool as a model family knows it: its name, its arguments, and the names by which the implementation reads these.
//!
//! A tool is implemented once, with internal argument names. A [`Row`] of a family's table gives each argument the name that the family's
//! models were trained with; schema, check and the names in error messages all come from the row, so that they always agree.

use super::Settings;
use pintle_base::text::gaps;
use serde_json::{Map, Value, json};

/// Implements the part of a tool that its profile's row determines. The profile is the first field; `$does` is the purpose, or a closure
/// from the tool to it.
macro_rules! shaped {
    (Builtin::$does:ident) => {
        shaped!(|_| $crate::Builtin::$does);
    };
    ($does:expr) => {
        fn name(&self) -> &'static str {
            let does: fn(&Self) -> $crate::Builtin = $does;
            self.0.row(does(self)).name
        }

        fn does(&self) -> Option<$crate::Builtin> {
            let does: fn(&Self) -> $crate::Builtin = $does;
            Some(does(self))
        }

        fn declare(&self, told: &$crate::Facts<'_>) -> $crate::Declaration {
            let does: fn(&Self) -> $crate::Builtin = $does;
            self.0.declare(does(self), told)
        }

        fn check(&self, arguments: &serde_json::Value) -> Result<(), String> {
            let does: fn(&Self) -> $crate::Builtin = $does;
            self.0.row(does(self)).unknown(arguments).map_or(Ok(()), Err)
        }
    };
}

/// A built-in tool, independent of its name in a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Reads a file.
    Read,
    /// Reads several files.
    ReadMany,
    /// Looks at an image.
    ViewImage,
    /// Searches the web, at the provider.
    WebSearch,
    /// Runs a command.
    Shell,
    /// Reads, lists and stops background jobs.
    Job,
    /// Reads a background job's output.
    JobRead,
    /// Stops a background job.
    JobStop,
    /// Types into a background job's terminal.
    JobWrite,
    /// Replaces parts of a file.
    Edit,
    /// Applies a patch.
    Patch,
    /// Writes a complete file.
    Write,
    /// Searches contents.
    Grep,
    /// Finds files by name.
    Find,
    /// Lists a directory.
    List,
    /// Records the plan.
    Todo,
    /// Brings an earlier result back.
    Recall,
    /// Fetches from the web.
    Fetch,
    /// Asks the user.
    Ask,
    /// Asks the user to accept the plan.
    ExitPlan,
    /// Gives a sub-agent a task, and waits for its answer.
    RunAgent,
    /// Starts a sub-agent.
    SpawnAgent,
    /// Sends a message to a sub-agent.
    SendInput,
    /// Waits for sub-agents.
    WaitAgents,
    /// Closes a sub-agent.
    CloseAgent,
    /// Reports a finding.
    ReportFinding,
}

impl Builtin {
    /// The purposes by name, as texts with gaps name them.
    pub const NAMES: [(&'static str, Self); 26] = [
        ("read", Self::Read),
        ("read_many", Self::ReadMany),
        ("view_image", Self::ViewImage),
        ("web_search", Self::WebSearch),
        ("shell", Self::Shell),
        ("job", Self::Job),
        ("job_read", Self::JobRead),
        ("job_stop", Self::JobStop),
        ("job_write", Self::JobWrite),
        ("edit", Self::Edit),
        ("patch", Self::Patch),
        ("write", Self::Write),
        ("grep", Self::Grep),
        ("find", Self::Find),
        ("list", Self::List),
        ("todo", Self::Todo),
        ("recall", Self::Recall),
        ("fetch", Self::Fetch),
        ("ask", Self::Ask),
        ("exit_plan", Self::ExitPlan),
        ("run_agent", Self::RunAgent),
        ("spawn_agent", Self::SpawnAgent),
        ("send_input", Self::SendInput),
        ("wait_agents", Self::WaitAgents),
        ("close_agent", Self::CloseAgent),
        ("report_finding", Self::ReportFinding),
    ];

    /// Returns the purpose of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, does)| *does)
    }

    /// Returns true for the tools that wait for something or look whether it is there: the same call again is progress.
    pub fn waits(self) -> bool {
        matches!(self, Self::Job | Self::JobRead | Self::JobWrite | Self::WaitAgents)
    }

    /// Returns true for tools that show file contents: the same call again shows the same content as an earlier one.
    pub fn shows_files(self) -> bool {
        matches!(self, Self::Read | Self::ReadMany | Self::ViewImage)
    }

    /// Returns true for the tools that address the user.
    pub fn is_person(self) -> bool {
        matches!(self, Self::Ask | Self::ExitPlan)
    }

    /// Returns true for the tools that make sub-agents and speak with them.
    pub fn is_agents(self) -> bool {
        matches!(
            self,
            Self::RunAgent
                | Self::SpawnAgent
                | Self::SendInput
                | Self::WaitAgents
                | Self::CloseAgent
        )
    }
}

/// The session facts that its tool declarations state.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The settings, whose limits are stated.
    pub settings: &'a Settings,
    /// The session's tools by purpose: no other is mentioned.
    pub names: &'a (dyn Fn(Builtin) -> Option<String> + Sync),
}

impl std::fmt::Debug for Facts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts").field("settings", self.settings).finish_non_exhaustive()
    }
}

/// A tool's declaration to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The description.
    pub description: String,
    /// JSON Schema of the arguments, an object schema.
    pub parameters: Value,
    /// Grammar of the only argument, in Lark's notation, if a provider may take the call as a text.
    pub grammar: Option<&'static str>,
}

/// A tool of a family.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) does: Builtin,
    pub(super) name: &'static str,
    /// The description, a text with gaps: tools of the session by purpose, our arguments as `arg.NAME`, and facts of the profile.
    pub(super) description: &'static str,
    pub(super) fields: &'static [Field],
    /// Arguments that the family's models may give and that change nothing here.
    pub(super) ignored: &'static [&'static str],
    /// Family flags that can only have this value here; with another one the result would differ from the model's expectation.
    pub(super) fixed: &'static [(&'static str, bool)],
    /// Brings arguments of another structure into ours, before they are read by name.
    pub(super) adapt: Option<fn(&mut Map<String, Value>)>,
}

/// An argument of a tool.
#[derive(Debug)]
pub(super) struct Field {
    /// The family's name.
    pub(super) name: &'static str,
    /// The name under which the implementation reads it.
    pub(super) ours: &'static str,
    pub(super) is: Is,
    pub(super) required: bool,
    /// The description, a text with gaps.
    pub(super) description: &'static str,
}

/// An argument's type, for the schema.
#[derive(Debug, Clone, Copy)]
pub(super) enum Is {
    Text,
    /// A whole number from this one on.
    Count(u64),
    /// A number above zero.
    Number,
    Flag,
    OneOf(&'static [&'static str]),
    Texts,
    Objects(&'static [Field]),
}

/// Names that models of other families give to an argument. Each is unambiguous.
const ALIASES: [(&str, &[&str]); 9] = [
    ("path", &["path", "file_path", "filePath", "absolute_path", "dir_path", "filename"]),
    ("command", &["command", "cmd"]),
    ("oldText", &["old_string", "oldString", "old_text", "old_str"]),
    ("newText", &["new_string", "newString", "new_text", "new_str"]),
    ("replaceAll", &["replace_all", "replaceAll"]),
    ("content", &["content", "contents", "file_text"]),
    ("pattern", &["pattern", "query"]),
    ("patch", &["input", "patch", "patchText"]),
    ("timeoutMs", &["timeoutMs", "timeout_ms"]),
];

/// The patch grammar. Source: `apply_patch` of `@openai/codex` 0.169.0, whose models write such patches, checked 2026-11.
const PATCH_GRAMMAR: &str = include_str!("descriptions/apply_patch.lark");

/// Arguments that models add to explain a call. They change nothing.
pub(super) const REMARKS: [&str; 8] = [
    "description",
    "explanation",
    "instruction",
    "justification",
    "reason",
    "reasoning",
    "thought",
    "thoughts",
];

impl Field {
    const fn new(
        name: &'static str,
        ours: &'static str,
        is: Is,
        description: &'static str,
    ) -> Self {
        Self { name, ours, is, required: false, description }
    }

    /// Returns the same argument, which must be given.
    pub(super) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Returns the names under which a model may give it, its own first.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        let aliases = ALIASES.iter().find(|(ours, _)| *ours == self.ours);
        let aliases = aliases.map(|(_, names)| *names).unwrap_or_default();
        [self.name, self.ours].into_iter().chain(aliases.iter().copied())
    }

    fn schema(&self, fill: &dyn Fn(&str) -> String) -> Value {
        let mut schema = match self.is {
            Is::Text => json!({"type": "string"}),
            Is::Count(min) => json!({"type": "integer", "minimum": min}),
            Is::Number => json!({"type": "number", "exclusiveMinimum": 0}),
            Is::Flag => json!({"type": "boolean"}),
            Is::OneOf(values) => json!({"type": "string", "enum": values}),
            Is::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Is::Objects(fields) => json!({"type": "array", "items": object(fields, fill)}),
        };
        if let (false, Some(schema)) = (self.description.is_empty(), schema.as_object_mut()) {
            schema.insert("description".to_owned(), json!(fill(self.description)));
        }
        schema
    }
}

/// A text argument.
pub(super) const fn text(name: &'static str, ours: &'static str, about: &'static str) -> Field {
    Field::new(name, ours, Is::Text, about)
}

/// A whole number argument from 1 on.
pub(super) const fn count(name: &'static str, ours: &'static str, about: &'static str) -> Field {
    Field::new(name, ours, Is::Count(1), about)
}

/// A whole number argument, including zero.
pub(super) const fn whole(name: &'static str, ours: &'static str, about: &'static str) -> Field {
    Field::new(name, ours, Is::Count(0), about)
}

/// A number argument above zero.
pub(super) const fn number(name: &'static str, ours: &'static str, about: &'static str) -> Field {
    Field::new(name, ours, Is::Number, about)
}

/// A boolean argument.
pub(super) const fn flag(name: &'static str, ours: &'static str, about: &'static str) -> Field {
    Field::new(name, ours, Is::Flag, about)
}

/// One of these words.
pub(super) const fn one_of(
    name: &'static str,
    ours: &'static str,
    values: &'static [&'static str],
    about: &'static str,
) -> Field {
    Field::new(name, ours, Is::OneOf(values), about)
}

/// An argument that is a list of texts.
pub(super) const fn texts(name: &'static str, ours: &'static str, about: &'static str) -> Field {
    Field::new(name, ours, Is::Texts, about)
}

/// An argument that is a list of objects.
pub(super) const fn objects(
    name: &'static str,
    ours: &'static str,
    fields: &'static [Field],
    about: &'static str,
) -> Field {
    Field::new(name, ours, Is::Objects(fields), about)
}

fn object(fields: &[Field], fill: &dyn Fn(&str) -> String) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), field.schema(fill))).collect();
    let required: Vec<&str> =
        fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    if required.is_empty() {
        json!({"type": "object", "properties": properties})
    } else {
        json!({"type": "object", "properties": properties, "required": required})
    }
}

impl Row {
    /// Creates a row whose arguments are read by name alone.
    pub(super) const fn new(
        does: Builtin,
        name: &'static str,
        description: &'static str,
        fields: &'static [Field],
    ) -> Self {
        Self { does, name, description, fields, ignored: &[], fixed: &[], adapt: None }
    }

    /// Returns the same row, whose models may also give these arguments.
    pub(super) const fn ignoring(self, ignored: &'static [&'static str]) -> Self {
        Self { ignored, ..self }
    }

    /// Returns the same row, which takes these flags with these values alone.
    pub(super) const fn fixing(self, fixed: &'static [(&'static str, bool)]) -> Self {
        Self { fixed, ..self }
    }

    /// Returns the same row, whose arguments have another structure than ours.
    pub(super) const fn adapted(self, adapt: fn(&mut Map<String, Value>)) -> Self {
        Self { adapt: Some(adapt), ..self }
    }

    /// Returns the family's name of one of our arguments.
    pub(super) fn theirs(&self, ours: &str) -> Option<&'static str> {
        self.fields.iter().find(|field| field.ours == ours).map(|field| field.name)
    }

    /// Returns the tool as it is declared to a model. `fact` returns the profile's facts, for the gaps of descriptions.
    pub(super) fn declare(
        &self,
        told: &Facts<'_>,
        fact: &dyn Fn(&str) -> Option<String>,
    ) -> Declaration {
        let description = gaps::fill(self.description.trim_end(), |gap| {
            if let Some(ours) = gap.strip_prefix("arg.") {
                return self.theirs(ours).map(str::to_owned);
            }
            match Builtin::named(gap) {
                Some(does) => (told.names)(does),
                None => fact(gap),
            }
        });
        let grammar = (self.does == Builtin::Patch).then_some(PATCH_GRAMMAR);
        let parameters = object(self.fields, &|text: &str| gaps::fill(text, fact));
        Declaration { description, parameters, grammar }
    }
}

/// Returns the names of arguments that no implementation reads by name: remarks, and those from which another structure is built.
#[cfg(test)]
pub(super) fn unread(place: &str, fields: &[Field]) -> std::collections::BTreeSet<String> {
    let own = fields.iter().filter(|field| matches!(field.ours, "remark" | "adapted"));
    let mut names: std::collections::BTreeSet<String> =
        own.map(|field| format!("{place}{}", field.name)).collect();
    for field in fields {
        if let Is::Objects(inner) = field.is {
            names.extend(unread(&format!("{place}{}[].", field.name), inner));
        }
    }
    names
}
