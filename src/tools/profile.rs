//! Profiles: the names, shapes and limits with which a model family sees the tools.
//!
//! A tool is implemented once and carries its profile, which knows each tool's [row](super::shape::Row), the result limits and the file and
//! command layouts that the family's models were trained with. The tables are in [`families`].

use super::families::{self, Family, Layout, Numbers};
use super::shape::{Declaration, Does, Facts, Row};
use super::{
    AgentTool, ApplyPatch, AskUser, Bash, Edit, ExitPlan, Fetch, Find, Grep, JobControl, Ls, Read,
    ReadMany, Recall, Settings, TodoWrite, Tool, ViewImage, Write,
};
use pintle_base::text::truncate::{Guard, Keep, Limits};
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

/// Returns the purpose of a tool that some family calls by this name.
pub(super) fn purpose(name: &str) -> Option<Does> {
    let mut rows = PROFILES.iter().flat_map(|(_, profile)| profile.family().rows);
    rows.find(|row| row.name == name).map(|row| row.does)
}

impl Profile {
    /// Returns the profile's table.
    pub(super) fn family(self) -> &'static Family {
        match self {
            Self::Pi => &families::pi::FAMILY,
            Self::Anthropic => &families::claude::FAMILY,
            Self::OpenAi => &families::gpt::FAMILY,
            Self::Gemini => &families::gemini::FAMILY,
            Self::Qwen => &families::qwen::FAMILY,
            Self::Kimi => &families::kimi::FAMILY,
            Self::Glm => &families::claude::GLM,
            Self::DeepSeek => &families::deepseek::FAMILY,
            Self::Mistral => &families::mistral::FAMILY,
        }
    }

    /// Returns the profile's name.
    pub fn name(self) -> &'static str {
        PROFILES.iter().find(|(_, profile)| *profile == self).map_or("pi", |(name, _)| name)
    }

    /// Returns a tool's row; if this family lacks the tool, that of another family, since the tool may still be called.
    #[expect(clippy::expect_used, reason = "a test looks for every purpose in the tables")]
    pub(super) fn row(self, does: Does) -> &'static Row {
        let own = self.family().rows.iter();
        let others = PROFILES.iter().flat_map(|(_, profile)| profile.family().rows);
        let mut rows = own.chain(others).filter(|row| row.does == does);
        rows.next().expect("every purpose has a row in some family")
    }

    /// Returns the family's tool name for a purpose, if it has one.
    pub(super) fn named(self, does: Does) -> Option<&'static str> {
        self.family().rows.iter().find(|row| row.does == does).map(|row| row.name)
    }

    /// Returns a tool as it is declared to a model.
    pub(super) fn declare(self, does: Does, told: &Facts<'_>) -> Declaration {
        self.row(does).declare(self, told)
    }

    /// Returns the command tool's name.
    pub(super) fn shell(self) -> &'static str {
        self.row(Does::Shell).name
    }

    /// Returns the file reading tool's name.
    pub(super) fn read(self) -> &'static str {
        self.row(Does::Read).name
    }

    /// Returns the file writing tool's name, or else that of the editing tool.
    pub(super) fn write(self) -> &'static str {
        let names = [Does::Write, Does::Patch].into_iter().find_map(|does| self.named(does));
        names.unwrap_or_else(|| self.row(Does::Write).name)
    }

    /// Returns the directory listing tool's name, or else that of the tool that finds files.
    pub(super) fn list(self) -> &'static str {
        let names = [Does::List, Does::Find].into_iter().find_map(|does| self.named(does));
        names.unwrap_or_else(|| self.row(Does::List).name)
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
        let row = self.row(Does::Read);
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
            Does::Shell => settings.limits(Bash(self).limits()),
            Does::Read | Does::ReadMany => settings.limits(Read(self).limits()),
            Does::Find => settings.limits(Find(self).limits()),
            Does::Grep | Does::List => settings.limits(self.limits(500, 20_000)),
            _ => settings.limits(Limits::default()),
        };
        let found = match gap {
            "lines" => grouped(limits.max_lines),
            "bytes" => format!("{} bytes", grouped(limits.max_bytes)),
            "results" if row.does == Does::Find => grouped(Find(self).limits().max_lines),
            "timeout" => Bash(self).default_timeout(settings)?,
            "max_timeout" => Bash(self).max_timeout(settings),
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
        self.those(|does| does != Does::Fetch && !does.is_person() && !does.is_agents())
    }

    /// Returns the tool that fetches from the web, which the user can enable.
    pub fn fetch(self) -> Arc<dyn Tool> {
        Arc::new(Fetch(self))
    }

    /// Returns the tools that address the user; a sub-agent has none of them.
    pub fn person(self) -> Vec<Arc<dyn Tool>> {
        self.those(Does::is_person)
    }

    /// Returns the tools that make sub-agents and speak with them.
    pub fn agents(self) -> Vec<Arc<dyn Tool>> {
        self.those(Does::is_agents)
    }

    /// Returns every tool of the profile.
    pub fn all(self) -> Vec<Arc<dyn Tool>> {
        self.those(|_| true)
    }

    fn those(self, are: impl Fn(Does) -> bool) -> Vec<Arc<dyn Tool>> {
        let rows = self.family().rows.iter();
        rows.filter(|row| are(row.does)).filter_map(|row| self.tool(row)).collect()
    }

    fn tool(self, row: &'static Row) -> Option<Arc<dyn Tool>> {
        Some(match row.does {
            Does::Read => Arc::new(Read(self)),
            Does::ReadMany => Arc::new(ReadMany(self)),
            Does::ViewImage => Arc::new(ViewImage(self)),
            Does::Shell => Arc::new(Bash(self)),
            Does::Job | Does::JobRead | Does::JobStop => Arc::new(JobControl(self, row.does)),
            Does::Edit => Arc::new(Edit(self)),
            Does::Patch => Arc::new(ApplyPatch(self)),
            Does::Write => Arc::new(Write(self)),
            Does::Grep => Arc::new(Grep(self)),
            Does::Find => Arc::new(Find(self)),
            Does::List => Arc::new(Ls(self)),
            Does::Todo => Arc::new(TodoWrite(self)),
            Does::Recall => Arc::new(Recall(self)),
            Does::Fetch => Arc::new(Fetch(self)),
            Does::Ask => Arc::new(AskUser(self)),
            Does::ExitPlan => Arc::new(ExitPlan(self)),
            Does::RunAgent
            | Does::SpawnAgent
            | Does::SendInput
            | Does::WaitAgents
            | Does::CloseAgent => Arc::new(AgentTool(self, row.does)),
            // These belong to one task, and to the provider.
            Does::ReportFinding | Does::WebSearch => return None,
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
