//! The keys that settings and catalogue name, made known before anything runs.

use crate::config::{self, Config, TextSource};
use pintle_base::ambient::Ambient;
use pintle_base::network::Network;
use pintle_llm::catalog;
use pintle_llm::login::Logins;

/// Cloud variables that contain keys, in addition to those in the catalogue.
const CLOUD_VARIABLES: [&str; 3] =
    ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"];

/// Adds the keys of all providers to the known secrets: by the names of their variables, and by their values; and the tokens of stored
/// logins. Keys that commands print are added when they are printed.
pub fn register(config: &Config, ambient: &Ambient) {
    // Reading them makes them known.
    let _ = Logins::in_folder(&config.folders.data, ambient, Network::default());
    let secrets = ambient.secrets();
    let variable = |name: &str| {
        secrets.add_name(name);
        if let Some(value) = ambient.var(name) {
            secrets.add(value);
        }
    };
    let known = catalog::providers().iter().flat_map(|known| &known.key_vars);
    known.map(String::as_str).chain(CLOUD_VARIABLES).for_each(variable);
    for entry in config.providers.values() {
        entry.key_vars.iter().map(String::as_str).for_each(variable);
        let key = entry.key.iter().map(|source| (source, true));
        let of_models = entry.models.iter().flat_map(|model| &model.headers);
        let headers = entry.headers.iter().chain(of_models);
        let headers = headers.map(|(name, source)| (source, is_secret_header(name)));
        for (source, is_secret) in key.chain(headers) {
            let TextSource::Text(text) = source else { continue };
            let named = config::variables(text.expose());
            named.iter().copied().for_each(variable);
            if (is_secret || !named.is_empty())
                && let Ok(value) = config::fill(text.expose(), ambient)
            {
                secrets.add(&value);
            }
        }
    }
}

/// Returns true if a header with this name is secret.
pub(super) fn is_secret_header(name: &str) -> bool {
    const WORDS: [&str; 7] =
        ["authorization", "key", "token", "secret", "password", "cookie", "auth"];
    let name = name.to_ascii_lowercase();
    name.split(['-', '_']).any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_with_secrets_are_told_from_others() {
        for (name, want) in [
            ("Authorization", true),
            ("x-api-key", true),
            ("X-Auth-Token", true),
            ("Cookie", true),
            ("anthropic-beta", false),
            ("User-Agent", false),
            ("x-keyboard", false),
        ] {
            assert_eq!(is_secret_header(name), want, "{name}");
        }
    }
}
