//! Unknown keys: a warning that names the nearest known key. Pure.

use std::path::Path;

/// The minimum similarity of a key that is worth naming; clap uses the same measure, less strictly.
const MIN_SIMILARITY: f64 = 0.78;

/// The keys of each table. Rows of `[[hooks]]` and tables of providers and models share theirs.
pub(super) const KEYS: [(&str, &[&str]); 13] = [
    (
        "",
        &[
            "model",
            "permission_mode",
            "retries",
            "model_start_timeout_s",
            "model_idle_timeout_s",
            "approval_timeout_s",
            "question_timeout_s",
            "instructions",
            "extra_ca_file",
            "client_certificate_file",
            "instructions_file",
            "system_prompt_file",
            "models_files",
            "tools",
            "limits",
            "context",
            "lint",
            "mcp_servers",
            "title",
            "sessions",
            "environment",
            "rules",
            "hooks",
            "providers",
        ],
    ),
    (
        "tools",
        &[
            "profile",
            "read_first",
            "block_images",
            "max_image_side",
            "max_image_bytes",
            "web_fetch",
            "web_fetch_private",
            "web_search",
            "allow",
            "command_timeout_s",
            "max_command_timeout_s",
            "max_output_lines",
            "max_output_bytes",
        ],
    ),
    (
        "limits",
        &[
            "steps",
            "tokens",
            "tool_calls",
            "seconds",
            "continuations",
            "cost_usd",
            "turns",
            "loop_window",
            "subagent_depth",
        ],
    ),
    ("context", &["automatic", "reserve", "keep", "safe_zone", "summary_model"]),
    ("lint", &["command", "globs", "timeout_s", "wait_ms"]),
    ("title", &["model", "enabled"]),
    ("sessions", &["keep_days", "keep_count", "max_mb"]),
    ("environment", &["wrap", "read_only", "shell", "command_prefix", "variables"]),
    ("hooks", &["point", "command", "tools", "timeout_s", "on_failure"]),
    (
        "providers",
        &[
            "base_url",
            "base_url_var",
            "api",
            "key",
            "key_vars",
            "key_expires_s",
            "auth",
            "headers",
            "login",
            "vision",
            "extra_body",
            "models",
            "output_limit",
            "call_ids",
            "effort",
            "reasoning_back",
            "system_role",
            "include_usage",
            "initiator",
            "cloud",
        ],
    ),
    (
        "login",
        &[
            "client_id",
            "scope",
            "device_url",
            "authorize_url",
            "token_url",
            "exchange_url",
            "returns",
        ],
    ),
    (
        "models",
        &[
            "name",
            "api",
            "window",
            "max_output",
            "price",
            "vision",
            "reasoning",
            "cutoff",
            "profile",
            "efforts",
            "headers",
            "extra_body",
        ],
    ),
    ("price", &["input", "output", "cache_read", "cache_write", "web_search"]),
];

/// Returns the warning for an unknown key, such as `tools.profil`.
pub(super) fn unknown(file: &Path, at: &str) -> String {
    let warning = format!("{}: `{at}` is unknown and ignored", file.display());
    let (place, key) = at.rsplit_once('.').unwrap_or(("", at));
    let table = table_of(place);
    let own = KEYS.iter().find(|(name, _)| *name == table).map_or(&[] as &[_], |(_, keys)| *keys);
    if let Some(nearest) = nearest(key, own) {
        return format!("{warning}; did you mean `{nearest}`?");
    }
    let elsewhere = KEYS.iter().take(PLAIN_TABLES).find(|(_, keys)| keys.contains(&key));
    match elsewhere {
        Some(("", _)) => format!("{warning}; it belongs above all tables"),
        Some((name, _)) => format!("{warning}; it belongs in [{name}]"),
        None => warning,
    }
}

/// The number of tables that occur once, which come first in [`KEYS`].
const PLAIN_TABLES: usize = 8;

/// Returns the name in [`KEYS`] of the table at this path.
fn table_of(place: &str) -> &str {
    let parts: Vec<&str> = place.split('.').collect();
    match parts.as_slice() {
        [.., "price"] => "price",
        ["providers", _, "login"] => "login",
        ["providers", _] => "providers",
        ["providers", _, "models", ..] => "models",
        [first, ..] => first.split('[').next().unwrap_or_default(),
        [] => "",
    }
}

fn nearest(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let similar = known.iter().map(|name| (strsim::jaro_winkler(key, name), *name));
    let similar = similar.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    similar.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_key_of_the_same_table_is_named() {
        for (at, want) in [
            ("modelx", "; did you mean `model`?"),
            ("permissions", "; did you mean `permission_mode`?"),
            ("tools.profil", "; did you mean `profile`?"),
            ("tools.read-first", "; did you mean `read_first`?"),
            ("limits.step", "; did you mean `steps`?"),
            ("hooks[2].timeout", "; did you mean `timeout_s`?"),
            ("providers.mine.baseUrl", "; did you mean `base_url`?"),
            ("providers.mine.models.m.context_window", ""),
            ("providers.mine.models.m.price.cacheread", "; did you mean `cache_read`?"),
            ("providers.mine.login.clientid", "; did you mean `client_id`?"),
            ("steps", "; it belongs in [limits]"),
            ("tools.retries", "; it belongs above all tables"),
            ("colour", ""),
        ] {
            let want = format!("c: `{at}` is unknown and ignored{want}");
            assert_eq!(unknown(Path::new("c"), at), want);
        }
    }
}
