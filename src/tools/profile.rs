//! Profiles: under which names, shapes and limits a family of models sees the tools.
//!
//! A tool is implemented once and carries its profile; it asks it only for names and fields, never for what to do.

use super::Settings;
use super::adapted::adapted;
use super::{
    ApplyPatch, AskUser, Bash, CloseAgent, Edit, ExitPlan, Find, Grep, JobControl, Ls, Read,
    ReadMany, Recall, SendInput, SpawnAgent, TodoWrite, Tool, WaitAgents, Write,
};
use crate::text::truncate::{Guard, Keep, Limits};
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
}

/// No result of a tool that does not limit itself is longer than this.
pub(super) const CEILING: Guard =
    Guard { max_chars: 60_000, max_lines: None, keep: Keep::HeadAndTail };

/// The limit of a tool that prints or reads, and of what its notices may advise.
pub(super) const SHELL_BYTES: usize = 30_000;

/// The profiles by name.
pub const PROFILES: [(&str, Profile); 4] = [
    ("pi", Profile::Pi),
    ("anthropic", Profile::Anthropic),
    ("openai", Profile::OpenAi),
    ("gemini", Profile::Gemini),
];

impl Profile {
    /// The limit of a short result: in `pi` a ceiling, in the others what their models are used to.
    pub(super) fn guard(self, max_chars: usize, keep: Keep) -> Guard {
        match self {
            Self::Pi => CEILING,
            Self::Anthropic | Self::OpenAi | Self::Gemini => {
                Guard { max_chars, max_lines: None, keep }
            }
        }
    }

    /// The limits of a long result, which the tool itself keeps to: in `pi` Pi's own for every tool, in the others what their
    /// models are used to.
    pub(super) fn limits(self, max_lines: usize, max_bytes: usize) -> Limits {
        match self {
            Self::Pi => Limits::default(),
            Self::Anthropic | Self::OpenAi | Self::Gemini => Limits { max_lines, max_bytes },
        }
    }

    /// The name of the tool that runs commands.
    pub(super) fn shell(self) -> &'static str {
        match self {
            Self::Pi => "bash",
            Self::Anthropic | Self::OpenAi | Self::Gemini => "shell",
        }
    }

    /// The name of the tool that reads a file.
    pub(super) fn read(self) -> &'static str {
        match self {
            Self::Pi => "read",
            Self::Anthropic | Self::OpenAi | Self::Gemini => "read_file",
        }
    }

    /// The name of the tool that writes a whole file.
    pub(super) fn write(self) -> &'static str {
        match self {
            Self::Pi => "write",
            Self::Anthropic | Self::OpenAi | Self::Gemini => "write_file",
        }
    }

    /// The name of the tool that lists a folder, or else finds what is in it.
    pub(super) fn list(self) -> &'static str {
        match self {
            Self::Pi => "ls",
            Self::Anthropic => "glob",
            Self::OpenAi | Self::Gemini => "list_dir",
        }
    }

    /// The profile's name.
    pub fn name(self) -> &'static str {
        PROFILES.iter().find(|(_, profile)| *profile == self).map_or("pi", |(name, _)| name)
    }

    /// The name of the argument that holds a file's path.
    pub(super) fn path_field(self) -> &'static str {
        match self {
            Self::Pi => "path",
            Self::Anthropic | Self::OpenAi | Self::Gemini => "file_path",
        }
    }

    /// The tools that make sub-agents and speak with them, the same in every profile that has them.
    pub fn agents() -> [Arc<dyn Tool>; 4] {
        [Arc::new(SpawnAgent), Arc::new(SendInput), Arc::new(WaitAgents), Arc::new(CloseAgent)]
    }

    /// The tools that speak with the person, the same in every profile; a sub-agent has none of them.
    pub fn person() -> [Arc<dyn Tool>; 2] {
        [Arc::new(AskUser), Arc::new(ExitPlan)]
    }

    /// Returns the tools of [`Self::tools`], described as these settings make them.
    pub fn tools_with(self, settings: &Settings) -> Vec<Arc<dyn Tool>> {
        let tools = self.tools().into_iter().map(|tool| {
            let parameters = if tool.name() == self.shell() {
                Bash(self).parameters_with(settings)
            } else {
                tool.parameters()
            };
            adapted(tool, parameters, settings)
        });
        tools.collect()
    }

    /// Returns the tools of the profile, without those that ask a person and those for sub-agents, in the order in
    /// which they are listed to a model.
    pub fn tools(self) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Read(self))];
        if self == Self::Gemini {
            tools.push(Arc::new(ReadMany(self)));
        }
        tools.extend([Arc::new(Bash(self)) as Arc<dyn Tool>, Arc::new(JobControl)]);
        match self {
            Self::OpenAi => tools.push(Arc::new(ApplyPatch(self))),
            Self::Pi | Self::Anthropic | Self::Gemini => tools.push(Arc::new(Edit(self))),
        }
        tools.extend([
            Arc::new(Write(self)) as Arc<dyn Tool>,
            Arc::new(Grep(self)),
            Arc::new(Find(self)),
        ]);
        if self != Self::Anthropic {
            tools.push(Arc::new(Ls(self)));
        }
        tools.extend([Arc::new(TodoWrite) as Arc<dyn Tool>, Arc::new(Recall)]);
        tools
    }
}
