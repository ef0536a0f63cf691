//! A session's permission rules.

use super::{Reply, SessionHandle};
use crate::error::Error;
use futures_util::future::BoxFuture;
use pintle_protocol::permission::PermissionListResult;
use pintle_tools::permissions::Compiled;

/// Commands about rules.
#[derive(Debug)]
pub enum RulesCommand {
    /// Read the rules.
    List {
        /// Receives the reading, which the sender does.
        reply: Reply<FileWork<PermissionListResult>>,
    },
    /// Find a rule that an answer added, and remove it from the permanent answers if it is one of them.
    Find {
        /// Its id.
        id: String,
        /// Receives the work on the file, which the sender does; it returns the rule.
        reply: Reply<FileWork<Result<Compiled, Error>>>,
    },
    /// Decide calls without a rule that an answer added.
    Remove {
        /// The rule.
        rule: Box<Compiled>,
        /// Receives the response when it no longer applies.
        reply: Reply<()>,
    },
}

/// File access that a command's sender performs, so the session is not held up.
pub struct FileWork<T>(pub(crate) BoxFuture<'static, T>);

impl<T> std::fmt::Debug for FileWork<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FileWork")
    }
}

impl SessionHandle {
    /// Lists the session's permission rules.
    ///
    /// # Errors
    /// The session is closed.
    pub async fn rules(&self) -> Result<PermissionListResult, Error> {
        Ok(self.ask(|reply| RulesCommand::List { reply }).await?.0.await)
    }

    /// Removes a rule that an answer added, and lists the others.
    ///
    /// # Errors
    /// No rule from an answer has this id, the file with the permanent answers cannot be changed, or the session is closed. Nothing is
    /// removed in the first two cases.
    pub async fn remove_rule(&self, id: String) -> Result<PermissionListResult, Error> {
        let rule = Box::new(self.ask(|reply| RulesCommand::Find { id, reply }).await?.0.await?);
        // After the file, so that a turn that begins in between does not read the rule again.
        self.ask(|reply| RulesCommand::Remove { rule, reply }).await?;
        self.rules().await
    }
}
