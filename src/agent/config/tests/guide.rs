//! The complete `config.toml` of the guide, read by the real parser.

use super::models::load_files;
use pintle_protocol::schema::CONFIG_SCHEMA_JSON;
use serde_json::Value;

const PAGE: &str = include_str!("../../../cli/help/configuration.md");

/// The TOML blocks of a page.
fn blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next())
}

/// The file with its defaults.
fn defaults() -> &'static str {
    blocks(PAGE).next().unwrap()
}

/// The same file with its examples too, which are comments without a space; the first line names the schema.
fn whole() -> String {
    let example = |line: &str| {
        line.strip_prefix('#').filter(|rest| !rest.starts_with([' ', ':'])).map(str::to_owned)
    };
    defaults().lines().map(|line| example(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

#[test]
fn the_guides_config_is_read_without_a_warning() {
    for text in [defaults().to_owned(), whole()] {
        let config = load_files(
            &[
                ("config.toml", &pintle_testing::paths::absolute(&text)),
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
fn the_schema_accepts_the_guides_files_and_no_wrong_ones() {
    let schema: Value = serde_json::from_str(CONFIG_SCHEMA_JSON).unwrap();
    jsonschema::draft7::meta::validate(&schema).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let errors = |text: &str| {
        let content: Value = toml::from_str(text).unwrap();
        validator.iter_errors(&content).map(|error| error.to_string()).collect::<Vec<_>>()
    };
    let pages = [
        include_str!("../../../cli/help/providers.md"),
        include_str!("../../../cli/help/hooks.md"),
        include_str!("../../../cli/help/remote.md"),
        include_str!("../../../../README.md"),
    ];
    let files = pages.into_iter().flat_map(blocks).map(str::to_owned);
    for text in files.chain([defaults().to_owned(), whole()]) {
        assert_eq!(errors(&text), Vec::<String>::new(), "{text}");
    }
    for text in [
        "modle = \"a/b\"",
        "model = 5",
        "permission_mode = \"everything\"",
        "retries = -1",
        "approval_timeout_s = 0",
        "tools = 1",
        "tools.web_fetch = \"yes\"",
        "tools.profile = \"mine\"",
        "tools.max_output_bytes = 999",
        "limits.loop_window = 3",
        "limits.cost_usd = -1",
        "context.keep_recent_tokens = \"much\"",
        "lint.wait_ms = 60001",
        "environment.wrap = \"ssh a\"",
        "environment.shell = \"zsh\"",
        "environment.variables = \"some\"",
        "[[rules]]\nargv = [\"a\"]",
        "[[rules]]\ndecision = \"deny\"\nargs = [\"a\"]",
        "[[hooks]]\npoint = \"never\"\ncommand = \"a\"",
        "[[hooks]]\npoint = \"sessionEnd\"",
        "mcp_servers.a.program = \"x\"",
        "providers.a.api = \"soap\"",
        "providers.a.store = \"yes\"",
        "providers.a.models.m.cutoff = \"2026\"",
        "providers.a.models.m.price.input = -1",
        "providers.a.models.m.efforts.low = 3",
    ] {
        assert_ne!(errors(text), Vec::<String>::new(), "{text}");
    }
}

/// A key of `config.toml` cannot be set anywhere else: only the user's own directory is searched.
#[test]
fn no_file_of_a_project_is_a_layer() {
    let config = load_files(&[], &[]).unwrap();
    let own = config.folders.config_file.parent().unwrap();
    for file in &config.files {
        assert!(file.path.starts_with(own), "{}", file.path.display());
    }
}
