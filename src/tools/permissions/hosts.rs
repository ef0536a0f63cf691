//! The hosts that rules are about, for connections that leave no opportunity to ask the user while they are made.

use super::decide::by_rule;
use super::{Compiled, Decision};

/// Host patterns, from the rules that apply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostPatterns {
    /// Patterns that a rule allows.
    pub allowed: Vec<String>,
    /// Patterns that a rule denies or asks about, which takes precedence over allowing, each with the rule as text.
    pub restricted: Vec<(String, String)>,
}

impl HostPatterns {
    /// Gathers the patterns for a tool's connections. A rule that allows counts only if it specifies a host: one that allows a tool or a
    /// kind of call opens no network to a command.
    pub fn gather<'a>(rules: impl IntoIterator<Item = &'a Compiled>, tool: &str) -> Self {
        let mut patterns = Self::default();
        for rule in rules {
            let Some(pattern) = rule.host_pattern(tool) else { continue };
            match rule.rule.decision {
                Decision::Allow if rule.rule.host.is_some() => {
                    patterns.allowed.push(pattern.to_owned());
                }
                Decision::Allow => {}
                Decision::Ask | Decision::Deny => {
                    patterns.restricted.push((pattern.to_owned(), by_rule(rule)));
                }
            }
        }
        patterns
    }

    /// Returns true if no rule denies all hosts or asks about them.
    pub fn leave_open(&self) -> bool {
        self.restricted.iter().all(|(pattern, _)| pattern != "*")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::{Kind, Origin, Rule};

    #[test]
    fn patterns_come_from_the_rules_about_hosts() {
        let rule = |decision, tool: &str, kind, host: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let rule = Rule { tool: some(tool), kind, host: some(host), ..Rule::new(decision) };
            rule.compile(Origin::User, &[], None).unwrap()
        };
        let network = Some(Kind::Network);
        let rules = [
            rule(Decision::Allow, "", None, "docs.rs"),
            rule(Decision::Allow, "", network, "*.example.com"),
            rule(Decision::Allow, "bash", None, "crates.io"),
            rule(Decision::Allow, "web_fetch", None, "only.for.pages"),
            rule(Decision::Allow, "bash", None, ""),
            rule(Decision::Allow, "", network, ""),
            rule(Decision::Allow, "", Some(Kind::Execute), ""),
            rule(Decision::Ask, "", None, "ask.example.com"),
            rule(Decision::Deny, "web_fetch", network, ""),
            rule(Decision::Deny, "", Some(Kind::Execute), ""),
        ];
        let got = HostPatterns::gather(&rules, "bash");
        assert_eq!(got.allowed, ["docs.rs", "*.example.com", "crates.io"]);
        let by = "the rule \u{201c}ask host `ask.example.com`\u{201d} of your configuration";
        assert_eq!(got.restricted, [("ask.example.com".to_owned(), by.to_owned())]);
        let closed = [rule(Decision::Deny, "", network, "")];
        assert_eq!(HostPatterns::gather(&closed, "bash").restricted[0].0, "*");
    }
}
