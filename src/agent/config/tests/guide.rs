//! The complete `config.toml` of the guide, read by the real parser.

use super::models::load_files;
use crate::config::unknown;
use pintle_llm::catalog::Dialect;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../cli/help/configuration.md");

/// The TOML blocks of a page.
fn blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next())
}

/// The file with its defaults.
fn defaults() -> &'static str {
    blocks(PAGE).next().unwrap()
}

/// The same file with its examples too, which are comments without a space.
fn whole() -> String {
    let example = |line: &str| {
        line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).map(str::to_owned)
    };
    defaults().lines().map(|line| example(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

/// The names that the file sets: keys of lines and of inline tables, and tables.
fn names(text: &str) -> BTreeSet<String> {
    fn add(table: &toml::Table, names: &mut BTreeSet<String>) {
        for (key, value) in table {
            names.insert(key.clone());
            if let toml::Value::Table(table) = value {
                add(table, names);
            }
            let rows = value.as_array().into_iter().flatten();
            rows.filter_map(toml::Value::as_table).for_each(|table| add(table, names));
        }
    }
    let mut names = BTreeSet::new();
    add(&text.parse().unwrap(), &mut names);
    names
}

/// The keys that the parsers match on, by the arms of their `match key`: the first name of each arm, which is ours.
fn parsed_keys(source: &str) -> BTreeSet<String> {
    let is_key = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let matches = code.split("match key").skip(1);
    let arms =
        matches.flat_map(|body| body.split("            _ =>").next().unwrap_or_default().lines());
    let keys = arms.filter_map(|line| {
        let line = line.trim_start();
        let (name, rest) = line.strip_prefix('"')?.split_once('"')?;
        let is_arm = rest.starts_with(" =>") || rest.starts_with(" |");
        (is_arm && is_key(name)).then(|| name.to_owned())
    });
    keys.collect()
}

#[test]
fn the_keys_that_a_warning_can_name_are_those_that_are_read() {
    let file_of = |table: &str| match table {
        "" => Some(include_str!("../file.rs")),
        "environment" => Some(include_str!("../environment.rs")),
        "context" => Some(include_str!("../context.rs")),
        "limits" => Some(include_str!("../limits.rs")),
        "hooks" => Some(include_str!("../hooks.rs")),
        "lint" => Some(include_str!("../lint.rs")),
        "sessions" => Some(include_str!("../sessions.rs")),
        "title" => Some(include_str!("../title.rs")),
        "tools" => Some(include_str!("../tools.rs")),
        _ => None,
    };
    let every = parsed_keys(include_str!("../providers.rs"));
    let dialect = serde_json::to_value(Dialect::PLAIN).unwrap();
    for (table, keys) in unknown::KEYS {
        let keys: BTreeSet<String> = keys.iter().map(|&key| key.to_owned()).collect();
        if let Some(file) = file_of(table) {
            let mut read = parsed_keys(file);
            for value in ["filtered", "all", "core", "none"] {
                read.remove(value);
            }
            assert_eq!(keys, read, "[{table}]");
        } else {
            let is_read = |key: &&String| !every.contains(*key) && dialect.get(key).is_none();
            assert_eq!(keys.iter().find(is_read), None, "[{table}]");
        }
    }
}

const PARSERS: [&str; 10] = [
    include_str!("../file.rs"),
    include_str!("../providers.rs"),
    include_str!("../environment.rs"),
    include_str!("../context.rs"),
    include_str!("../limits.rs"),
    include_str!("../hooks.rs"),
    include_str!("../lint.rs"),
    include_str!("../sessions.rs"),
    include_str!("../title.rs"),
    include_str!("../tools.rs"),
];

#[test]
fn the_guides_config_is_read_without_a_warning() {
    for text in [defaults().to_owned(), whole()] {
        let config = load_files(
            &[
                ("config.toml", &text),
                ("style.md", "short"),
                ("prompt.md", "other"),
                ("ca.pem", "one"),
                ("client.pem", "two"),
            ],
            &[],
        )
        .unwrap();
        assert_eq!(config.warnings, Vec::<String>::new());
    }
    let providers = include_str!("../../../cli/help/providers.md");
    let others = [
        include_str!("../../../cli/help/hooks.md"),
        include_str!("../../../cli/help/remote.md"),
        include_str!("../../../../README.md"),
    ];
    for text in blocks(providers).chain(others.into_iter().flat_map(blocks)) {
        let config = load_files(&[("config.toml", text)], &[]).unwrap();
        assert_eq!(config.warnings, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_guides_config_names_every_setting() {
    let mut keys: BTreeSet<String> = PARSERS.into_iter().flat_map(parsed_keys).collect();
    let dialect = serde_json::to_value(Dialect::PLAIN).unwrap();
    keys.extend(dialect.as_object().unwrap().keys().cloned());
    // Only lists of models have `id`, `compat` is Pi's, and the others are values of `variables`.
    for key in ["id", "compat", "filtered", "all", "core", "none"] {
        assert!(keys.remove(key), "{key}");
    }
    assert!(keys.len() > 70, "the parsers were not understood: {keys:?}");
    let named = names(&whole());
    let missing: Vec<&String> = keys.difference(&named).collect();
    assert_eq!(missing, Vec::<&String>::new(), "add these to src/cli/help/configuration.md");
}

#[test]
fn a_setting_that_the_guide_leaves_out_would_be_found() {
    let source = "match key.as_str() {\n    \"new_one\" => set.it(),\n    \"two\" | \"zwei\" => {}\n            _ => {}\n}";
    let want = ["new_one", "two"].map(str::to_owned);
    assert_eq!(parsed_keys(source), BTreeSet::from(want));
}
