//! Rule commands: listing and removing permission rules.

use super::Session;
use crate::command::{FileWork, RulesCommand};
use crate::turn::RuleFiles;
use futures_util::FutureExt;
use std::sync::Arc;

impl Session {
    pub(super) fn rules_command(&mut self, command: RulesCommand) {
        match command {
            RulesCommand::List { reply } => {
                let _ = reply.send(Ok(FileWork(self.rule_files().list().boxed())));
            }
            RulesCommand::Find { id, reply } => {
                let files = self.rule_files();
                let removing = async move { files.remove(&id).await };
                let _ = reply.send(Ok(FileWork(removing.boxed())));
            }
            RulesCommand::Remove { rule, reply } => {
                Arc::make_mut(&mut self.grants).remove(*rule);
                let _ = reply.send(Ok(()));
            }
        }
    }

    fn rule_files(&self) -> RuleFiles {
        RuleFiles {
            policy: Arc::clone(&self.services.permissions),
            mode: self.settings.permission_mode,
            workspace: self.workspace(),
            granted: self.grants.rules().to_vec(),
        }
    }
}
