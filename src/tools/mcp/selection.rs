//! Chooses the tools to list for the model if the servers have too many. Pure.

use pintle_base::text::words::contains_name;
use std::collections::{BTreeMap, BTreeSet};

/// Evidence in a conversation about which tools it needs.
#[derive(Debug, Clone, Default)]
pub struct Relevance {
    /// Tools that were called, by name.
    pub called: BTreeSet<String>,
    /// The user's message.
    pub message: String,
}

/// A tool that may be listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// Its name for models.
    pub(super) name: &'a str,
    /// Its name at the server.
    pub(super) own_name: &'a str,
    pub(super) server: &'a str,
}

/// Chooses at most `max` tools: first the called ones, then those named by the user, then whole servers, the smallest first. Returns their
/// indexes in ascending order.
pub(super) fn choose(tools: &[Candidate<'_>], relevance: &Relevance, max: usize) -> Vec<usize> {
    if tools.len() <= max {
        return (0..tools.len()).collect();
    }
    let message = relevance.message.to_lowercase();
    let is_in_message = |name: &str| contains_name(&message, &name.to_lowercase());
    let is_called = |tool: &Candidate<'_>| relevance.called.contains(tool.name);
    let is_named = |tool: &Candidate<'_>| {
        is_in_message(tool.name) || (is_distinct(tool.own_name) && is_in_message(tool.own_name))
    };
    let is_of_named_server = |tool: &Candidate<'_>| is_in_message(tool.server);
    let mut chosen = BTreeSet::new();
    for is_wanted in [&is_called as &dyn Fn(&Candidate<'_>) -> bool, &is_named, &is_of_named_server]
    {
        let wanted = tools.iter().enumerate().filter(|(_, tool)| is_wanted(tool));
        for (at, _) in wanted {
            if chosen.len() < max {
                chosen.insert(at);
            }
        }
    }
    let mut servers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, tool) in tools.iter().enumerate().filter(|(at, _)| !chosen.contains(at)) {
        servers.entry(tool.server).or_default().push(at);
    }
    let mut servers: Vec<Vec<usize>> = servers.into_values().collect();
    servers.sort_by_key(Vec::len);
    for server in servers {
        if chosen.len() + server.len() <= max {
            chosen.extend(server);
        }
    }
    chosen.into_iter().collect()
}

/// Returns true if a name is unlikely to occur in a sentence by chance.
fn is_distinct(name: &str) -> bool {
    name.contains(['_', '-', '.', '/']) || name.chars().skip(1).any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn called_and_named_tools_come_first_then_small_servers() {
        let tool = |server: &str, own: &str| {
            (format!("mcp__{server}__{own}"), own.to_owned(), server.to_owned())
        };
        let tools = [
            tool("big", "get"),
            tool("big", "put_all"),
            tool("big", "listItems"),
            tool("big", "drop"),
            tool("mid", "a"),
            tool("mid", "b"),
            tool("small", "c"),
        ];
        let tools: Vec<Candidate<'_>> = tools
            .iter()
            .map(|(name, own_name, server)| Candidate { name, own_name, server })
            .collect();
        for (max, called, message, want) in [
            (7, "", "", "get put_all listItems drop a b c"),
            (3, "", "", "a b c"),
            (2, "", "", "c"),
            (3, "mcp__big__drop", "", "drop c"),
            (4, "mcp__big__drop", "", "drop a b c"),
            (2, "", "Get it with put_all.", "put_all c"),
            (2, "", "use LISTITEMS, please", "listItems c"),
            (2, "", "not put_all_of_it", "c"),
            (2, "", "call mcp__big__get", "get c"),
            (3, "", "ask Big about it", "get put_all listItems"),
            (1, "mcp__mid__b", "put_all", "b"),
            (0, "mcp__mid__b", "put_all", ""),
        ] {
            let called = called.split(' ').map(str::to_owned).collect();
            let relevance = Relevance { called, message: message.to_owned() };
            let chosen = choose(&tools, &relevance, max);
            let names: Vec<&str> = chosen.iter().map(|at| tools[*at].own_name).collect();
            assert_eq!(names.join(" "), want, "{max} {message:?}");
        }
    }
}
