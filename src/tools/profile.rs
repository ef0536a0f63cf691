//! Profiles: the names, shapes and limits with which a model family sees the tools.
//!
//! A tool is implemented once and carries its profile, which knows each tool's [row](super::schema::Row), the result limits and the file and
//! command layouts that the family's models were trained with. The tables are in [`toolsets`].

use super::schema::{Builtin, Declaration, Facts, Row};
use super::toolsets::{self, Family, Layout, Numbers};
use super::{
    AgentTool, ApplyPatch, AskUser, Bash, Edit, ExitPlan, Fetch, Find, Grep, JobControl, Ls, Read,
    ReadMany, Recall, Settings, TodoWrite, Tool, ViewImage, Write, WriteStdin,
};
use pintle_base::text::truncate::{Guard, Keep, Limits};
use pintle_exec::Dialect;
use std::sync::Arc;

/// The shape in which tools are shown to a model: the one its family was trained with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// Few tools with short names, for any model.
    #[default]
    Pi,
    /// Anthropic's models.
    Anthropic,
    /// OpenAI's models, which change files by patches.
    OpenAi,
    /// Google's models.
    Gemini,
    /// Alibaba's Qwen.
    Qwen,
    /// Moonshot's Kimi.
    Kimi,
    /// Z.ai's GLM.
    Glm,
    /// DeepSeek's models.
    DeepSeek,
    /// Mistral's models.
    Mistral,
}

/// No result of a tool that does not limit itself is longer than this.
pub const CEILING: Guard = Guard { max_chars: 60_000, max_lines: None, keep: Keep::HeadAndTail };

/// The limit on a tool that prints or reads, and on advice in its notices.
pub(super) const SHELL_BYTES: usize = 30_000;

/// The profiles by name.
pub const PROFILES: [(&str, Profile); 9] = [
    ("pi", Profile::Pi),
    ("anthropic", Profile::Anthropic),
    ("openai", Profile::OpenAi),
    ("gemini", Profile::Gemini),
    ("qwen", Profile::Qwen),
    ("kimi", Profile::Kimi),
    ("glm", Profile::Glm),
    ("deepseek", Profile::DeepSeek),
    ("mistral", Profile::Mistral),
];

/// Returns what a tool with this name does, in any family.
pub(super) fn purpose(name: &str) -> Option<Builtin> {
    let mut rows = PROFILES.iter().flat_map(|(_, profile)| profile.family().rows);
    rows.find(|row| row.name == name).map(|row| row.does)
}

impl Profile {
    /// Returns the profile's table.
    pub(super) fn family(self) -> &'static Family {
        match self {
            Self::Pi => &toolsets::pi::FAMILY,
            Self::Anthropic => &toolsets::claude::FAMILY,
            Self::OpenAi => &toolsets::gpt::FAMILY,
            Self::Gemini => &toolsets::gemini::FAMILY,
            Self::Qwen => &toolsets::qwen::FAMILY,
            Self::Kimi => &toolsets::kimi::FAMILY,
            Self::Glm => &toolsets::claude::GLM,
            Self::DeepSeek => &toolsets::deepseek::FAMILY,
            Self::Mistral => &toolsets::mistral::FAMILY,
        }
    }

    /// Returns the profile's name.
    pub fn name(self) -> &'static str {
        PROFILES.iter().find(|(_, profile)| *profile == self).map_or("pi", |(name, _)| name)
    }

    /// Returns a tool's row; if this family lacks the tool, that of another family, since the tool may still be called.
    #[expect(clippy::expect_used, reason = "a test looks for every purpose in the tables")]
    pub(super) fn row(self, does: Builtin) -> &'static Row {
        let own = self.family().rows.iter();
        let others = PROFILES.iter().flat_map(|(_, profile)| profile.family().rows);
        let mut rows = own.chain(others).filter(|row| row.does == does);
        rows.next().expect("every purpose has a row in some family")
    }

    /// Returns the family's tool name for a purpose, if it has one.
    pub(super) fn named(self, does: Builtin) -> Option<&'static str> {
        self.family().rows.iter().find(|row| row.does == does).map(|row| row.name)
    }

    /// Returns a tool as it is declared to a model.
    pub(super) fn declare(self, does: Builtin, told: &Facts<'_>) -> Declaration {
        let row = self.row(does);
        row.declare(told, &|gap| self.fact(row, gap, told.settings))
    }

    /// Returns the command tool's name.
    pub(super) fn shell(self) -> &'static str {
        self.row(Builtin::Shell).name
    }

    /// Returns the file reading tool's name.
    pub(super) fn read(self) -> &'static str {
        self.row(Builtin::Read).name
    }

    /// Returns the file writing tool's name, or else that of the editing tool.
    pub(super) fn write(self) -> &'static str {
        let names = [Builtin::Write, Builtin::Patch].into_iter().find_map(|does| self.named(does));
        names.unwrap_or_else(|| self.row(Builtin::Write).name)
    }

    /// Returns the directory listing tool's name, or else that of the tool that finds files.
    pub(super) fn list(self) -> &'static str {
        let names = [Builtin::List, Builtin::Find].into_iter().find_map(|does| self.named(does));
        names.unwrap_or_else(|| self.row(Builtin::List).name)
    }

    /// Returns the limit on a short result: a ceiling in `pi`, otherwise the family's usual limit.
    pub(super) fn guard(self, max_chars: usize, keep: Keep) -> Guard {
        if self == Self::Pi { CEILING } else { Guard { max_chars, max_lines: None, keep } }
    }

    /// Returns the limits on a long result, which the tool itself applies: Pi's limits for every tool in `pi`, otherwise what the models
    /// are used to.
    pub(super) fn limits(self, max_lines: usize, max_bytes: usize) -> Limits {
        if self == Self::Pi { Limits::default() } else { Limits { max_lines, max_bytes } }
    }

    /// Returns how the tool that reads a file is asked to begin at a line: `offset=12`.
    pub(super) fn beginning_at(self, line: u64) -> String {
        let row = self.row(Builtin::Read);
        match row.theirs("skip") {
            Some(skip) => format!("{skip}={}", line.saturating_sub(1)),
            None => format!("{}={line}", row.theirs("offset").unwrap_or("offset")),
        }
    }

    /// Returns the format of line numbers in files.
    pub(super) fn numbers(self) -> Numbers {
        self.family().numbers
    }

    /// Returns the layout of command results.
    pub(super) fn layout(self) -> Layout {
        self.family().layout
    }

    /// Returns the value of a gap in this row's description that is a limit or another fact of the profile, under these settings.
    pub(super) fn fact(self, row: &Row, gap: &str, settings: &Settings) -> Option<String> {
        let limits = match row.does {
            Builtin::Shell => settings.limits(Bash(self).limits()),
            Builtin::Read | Builtin::ReadMany => settings.limits(Read(self).limits()),
            Builtin::Find => settings.limits(Find(self).limits()),
            Builtin::Grep | Builtin::List => settings.limits(self.limits(500, 20_000)),
            _ => settings.limits(Limits::default()),
        };
        let found = match gap {
            "lines" => grouped(limits.max_lines),
            "bytes" => format!("{} bytes", grouped(limits.max_bytes)),
            "results" if row.does == Builtin::Find => grouped(Find(self).limits().max_lines),
            "timeout" => Bash(self).default_timeout(settings)?,
            "max_timeout" => Bash(self).max_timeout(settings),
            "language" => settings.shell.name().to_owned(),
            "without_and" => {
                let is_old = settings.shell == Dialect::WindowsPowerShell;
                return is_old.then(String::new);
            }
            "numbered" => return (self.numbers() != Numbers::None).then(String::new),
            "both_ends" => return (self.layout() != Layout::Tail).then(String::new),
            "end_alone" => return (self.layout() == Layout::Tail).then(String::new),
            "like_pi" => return (self == Self::Pi).then(String::new),
            "unlike_pi" => return (self != Self::Pi).then(String::new),
            _ => return None,
        };
        Some(found)
    }

    /// Returns the profile's tools, in the order in which they are listed to a model, without those of the next three.
    pub fn tools(self) -> Vec<Arc<dyn Tool>> {
        self.those(|does| does != Builtin::Fetch && !does.is_person() && !does.is_agents())
    }

    /// Returns the tool that fetches from the web, which the user can enable.
    pub fn fetch(self) -> Arc<dyn Tool> {
        Arc::new(Fetch(self))
    }

    /// Returns the tools that address the user; a sub-agent has none of them.
    pub fn person(self) -> Vec<Arc<dyn Tool>> {
        self.those(Builtin::is_person)
    }

    /// Returns the tools that make sub-agents and speak with them.
    pub fn agents(self) -> Vec<Arc<dyn Tool>> {
        self.those(Builtin::is_agents)
    }

    /// Returns every tool of the profile.
    pub fn all(self) -> Vec<Arc<dyn Tool>> {
        self.those(|_| true)
    }

    fn those(self, are: impl Fn(Builtin) -> bool) -> Vec<Arc<dyn Tool>> {
        let rows = self.family().rows.iter();
        rows.filter(|row| are(row.does)).filter_map(|row| self.tool(row)).collect()
    }

    fn tool(self, row: &'static Row) -> Option<Arc<dyn Tool>> {
        Some(match row.does {
            Builtin::Read => Arc::new(Read(self)),
            Builtin::ReadMany => Arc::new(ReadMany(self)),
            Builtin::ViewImage => Arc::new(ViewImage(self)),
            Builtin::Shell => Arc::new(Bash(self)),
            Builtin::JobWrite if row.theirs("maxTokens").is_some() => Arc::new(WriteStdin(self)),
            Builtin::Job | Builtin::JobRead | Builtin::JobStop | Builtin::JobWrite => {
                Arc::new(JobControl(self, row.does))
            }
            Builtin::Edit => Arc::new(Edit(self)),
            Builtin::Patch => Arc::new(ApplyPatch(self)),
            Builtin::Write => Arc::new(Write(self)),
            Builtin::Grep => Arc::new(Grep(self)),
            Builtin::Find => Arc::new(Find(self)),
            Builtin::List => Arc::new(Ls(self)),
            Builtin::Todo => Arc::new(TodoWrite(self)),
            Builtin::Recall => Arc::new(Recall(self)),
            Builtin::Fetch => Arc::new(Fetch(self)),
            Builtin::Ask => Arc::new(AskUser(self)),
            Builtin::ExitPlan => Arc::new(ExitPlan(self)),
            Builtin::RunAgent
            | Builtin::SpawnAgent
            | Builtin::SendInput
            | Builtin::WaitAgents
            | Builtin::CloseAgent => Arc::new(AgentTool(self, row.does)),
            // These belong to one task, and to the provider.
            Builtin::ReportFinding | Builtin::WebSearch => return None,
        })
    }
}

/// Returns a number with commas between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
