//! Lists permission rules, and finds those to remove by their numbers. Pure.

use super::look::{Ink, Look};
use pintle_base::text::visible::visible_line;
use pintle_protocol::approval::Scope;
use pintle_protocol::permission::{PermissionListResult, PermissionRule, RuleSource};
use std::fmt::Write as _;

/// The rules that were listed last and can be removed.
#[derive(Debug, Default)]
pub(super) struct Removable {
    rules: Vec<PermissionRule>,
}

impl Removable {
    /// Takes a new list, and returns its text.
    pub(super) fn list(&mut self, listed: PermissionListResult, look: Look) -> String {
        let PermissionListResult { rules, problems } = listed;
        let mut text = String::new();
        for problem in problems {
            let _ = writeln!(text, "! {}", visible_line(&problem));
        }
        if rules.is_empty() {
            text += "no rules; `pintle help permissions` explains how to add some\n";
        }
        self.rules.clear();
        for rule in rules {
            let line = format!("{}  {}", visible_line(&rule.text), place(&rule));
            if rule.rule_id.is_some() {
                self.rules.push(rule);
                let number = look.paint(Ink::Bold, &format!("{:>3}", self.rules.len()));
                let _ = writeln!(text, "{number}  {line}");
            } else {
                let _ = writeln!(text, "     {line}");
            }
        }
        if !self.rules.is_empty() {
            let hint = "/forget N… removes rules that your answers added.";
            let _ = writeln!(text, "{}", look.paint(Ink::Dim, hint));
        }
        text
    }

    /// Returns the rules with these numbers, from 1, or why there are none.
    pub(super) fn numbered(&self, numbers: &[usize]) -> Result<Vec<PermissionRule>, String> {
        let rule = |number: &usize| {
            let found = number.checked_sub(1).and_then(|at| self.rules.get(at));
            found.cloned().ok_or_else(|| {
                format!("there is no rule {number} in the last list; run /rules again")
            })
        };
        numbers.iter().map(rule).collect()
    }
}

/// Describes a rule's source, or how long it applies.
fn place(rule: &PermissionRule) -> &'static str {
    match (rule.source, rule.scope) {
        (RuleSource::Config, _) => "in config.toml",
        (RuleSource::Policy, _) => "in this engine's policy",
        (RuleSource::Project, _) => "in .pintle/permissions.toml",
        (RuleSource::Answer, Some(Scope::Turn)) => "for this turn",
        (RuleSource::Answer, Some(Scope::Session)) => "for this session",
        (RuleSource::Answer, Some(Scope::Project)) => "always in this project",
        (RuleSource::Answer, Some(Scope::User)) => "always",
        (RuleSource::Answer, Some(Scope::Once) | None) => "by your answer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::permission::RuleDecision;

    fn rule(text: &str, source: RuleSource, scope: Option<Scope>) -> PermissionRule {
        let rule_id = scope.map(|_| format!("id of {text}"));
        PermissionRule {
            text: text.to_owned(),
            decision: RuleDecision::Allow,
            source,
            scope,
            rule_id,
        }
    }

    #[test]
    fn rules_from_answers_are_numbered() {
        let mut removable = Removable::default();
        let look = Look { columns: 80, is_styled: false };
        let rules = vec![
            rule("deny `git push **`", RuleSource::Config, None),
            rule("allow `make **`", RuleSource::Answer, Some(Scope::User)),
            rule("allow `touch **`", RuleSource::Answer, Some(Scope::Turn)),
        ];
        let problems = vec!["rule 1: no".to_owned()];
        assert_eq!(
            removable.list(PermissionListResult { rules, problems }, look),
            "! rule 1: no\n     deny `git push **`  in config.toml\n  1  allow `make **`  always\n  2  allow `touch **`  for this turn\n\
             /forget N… removes rules that your answers added.\n"
        );
        let ids = |numbers: &[usize]| {
            let found = removable.numbered(numbers)?;
            Ok::<_, String>(found.into_iter().filter_map(|rule| rule.rule_id).collect::<Vec<_>>())
        };
        assert_eq!(ids(&[2, 1]).unwrap(), ["id of allow `touch **`", "id of allow `make **`"]);
        for number in [0, 3] {
            assert!(ids(&[1, number]).unwrap_err().contains("run /rules again"), "{number}");
        }
        assert_eq!(
            removable.list(PermissionListResult::default(), look),
            "no rules; `pintle help permissions` explains how to add some\n"
        );
        assert!(removable.numbered(&[1]).is_err());
    }
}
