//! The system prompt, and the changes reported to the model since.
//!
//! The prompt is kept in the journal, so that its bytes stay the same whenever the session is reopened; another model gets a new prompt.
//! This file contains the state; `prompt` reads files and reports changes.

use crate::project::Personal;
use pintle_protocol::event::{AgentRole, Event};
use pintle_protocol::item::{ItemBody, ItemStatus};
use pintle_session::context::rules::PathRule;
use pintle_session::store::Entry;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// System prompt inputs other than files.
#[derive(Debug, Clone)]
pub(crate) struct PromptInputs {
    pub(crate) personal: Arc<Personal>,
    /// The tool profile's name.
    pub(crate) profile: &'static str,
    /// The model's knowledge cutoff (a month), if known.
    pub(crate) cutoff: Option<String>,
    /// True if the session works for another session.
    pub(crate) is_subagent: bool,
    /// The named agent that it is.
    pub(crate) role: Option<AgentRole>,
    /// Instructions for this session alone.
    pub(crate) system_prompt: Option<String>,
    /// A client can answer requests for permission.
    pub(crate) is_attended: bool,
}

/// What the model knows about its working environment. The journal keeps it with `prompt.made`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SystemPromptState {
    /// The model that the prompt is for, as `provider/id`; empty if there is none yet.
    #[serde(default)]
    pub(crate) origin: String,
    /// The prompt.
    #[serde(default)]
    pub(crate) system: String,
    /// The git repository's root, else the working directory.
    #[serde(default)]
    pub(crate) root: PathBuf,
    /// The working directory; none in a journal of a version that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<PathBuf>,
    /// The additional directories known to the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) additional: Vec<PathBuf>,
    /// A digest of the user's agreement at the time the prompt was made. Older journals have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agreement: Option<String>,
    /// The rights known to the model; `None` in journals of versions that did not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rights: Option<String>,
    /// The documents that it knows.
    #[serde(default)]
    pub(crate) documents: Vec<KnownDocument>,
    /// The rules that wait for a path to be touched.
    #[serde(default)]
    pub(crate) waiting: Vec<PathRule>,
    /// Those that do not wait any more.
    #[serde(default)]
    pub(crate) told: Vec<PathBuf>,
    /// The possible documents below the root that were looked for in this turn.
    #[serde(skip)]
    pub(crate) looked_for: BTreeSet<PathBuf>,
}

/// A document in the state that the model knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownDocument {
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) modified_ms: u64,
    /// A checksum of the text, to distinguish a changed file from one that was only touched.
    pub(crate) sum: u64,
    /// True if the model read the document as a message, after a call touched a file below its directory, and not in the prompt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_below: bool,
}

/// The news in a message of the engine; the journal keeps it with the message.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct BriefingUpdate {
    /// The documents as the model knows them now; `None` when they are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) documents: Option<Vec<KnownDocument>>,
    /// The rules already sent to the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<PathBuf>,
    /// The additional directories as the model knows them now; `None` when they are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) additional: Option<Vec<PathBuf>>,
    /// The rights as the model knows them now; `None` when they are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rights: Option<String>,
}

impl SystemPromptState {
    /// Returns the system prompt; empty until it is built.
    pub(crate) fn system(&self) -> &str {
        &self.system
    }

    /// Returns the directory that the model believes to be its working directory, if it differs.
    pub(crate) fn believed_folder(&self, cwd: &Path) -> Option<&Path> {
        let is_same = match &self.cwd {
            Some(known) => known == cwd,
            None => cwd.starts_with(&self.root),
        };
        (!is_same).then_some(self.cwd.as_deref().unwrap_or(&self.root))
    }

    /// Rebuilds it from a journal.
    pub(crate) fn replay(entries: &[Entry]) -> Self {
        let mut prompt_state = Self::default();
        for entry in entries {
            prompt_state.add(entry);
        }
        prompt_state
    }

    /// Takes in the next entry of a journal.
    pub(crate) fn add(&mut self, entry: &Entry) {
        let (Some(record), Some(private)) = (&entry.record, &entry.private) else { return };
        if let Event::PromptMade(_) = &record.event
            && let Ok(made) = serde_json::from_str(private.get())
        {
            *self = made;
        }
        if let Event::ItemCompleted { item } = &record.event
            && let (ItemBody::Compaction(_), ItemStatus::Completed) = (&item.body, item.status)
        {
            self.conversation_compacted();
        }
        if let Event::ItemCompleted { item } = &record.event
            && let ItemBody::EngineMessage(_) = &item.body
            && let Ok(told) = serde_json::from_str(private.get())
        {
            self.apply(told);
        }
    }

    pub(crate) fn apply(
        &mut self,
        BriefingUpdate { documents, rules, additional, rights }: BriefingUpdate,
    ) {
        self.additional = additional.unwrap_or_else(|| std::mem::take(&mut self.additional));
        self.rights = rights.or_else(|| self.rights.take());
        if let Some(documents) = documents {
            self.documents = documents;
        }
        self.told.extend(rules);
    }

    /// Records a compaction: earlier reports may be gone from the conversation, and are repeated if they matter.
    pub(crate) fn conversation_compacted(&mut self) {
        self.told.clear();
        self.documents.retain(|document| !document.is_below);
        self.looked_for.clear();
    }
}
