use super::*;
use expect_test::{expect, expect_file};
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the link targets of a page.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

/// Returns a page's heading anchors, as code hosts create them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|line| line.chars().filter(kept).collect::<String>().replace(' ', "-"))
        .collect()
}

/// Returns a page's dead links.
#[expect(clippy::disallowed_methods, reason = "a test looks at the repository")]
fn broken(file: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let leads_nowhere = |link: &String| {
        if link.starts_with("http") {
            return false;
        }
        let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target =
            if target.is_empty() { path.clone() } else { path.with_file_name("").join(target) };
        let has_anchor = || anchors(&std::fs::read_to_string(&target).unwrap()).contains(anchor);
        !target.exists() || (!anchor.is_empty() && !has_anchor())
    };
    links(&text).into_iter().filter(leads_nowhere).map(|link| format!("{file}: {link}")).collect()
}

#[test]
fn every_topic_has_a_page_that_is_laid_out_within_the_width() {
    for Topic { name, text, summary } in &TOPICS {
        assert!(text.starts_with("# "), "{name} begins with its title");
        assert!(text.ends_with('\n') && !text.contains('\t'), "{name}");
        assert!(summary.len() <= 80 - 19, "{name}: the summary fits a line of 80 columns");
        let page = Layout::new(80, false).page(text);
        let is_code = |line: &str| line.starts_with("    ");
        for line in page.lines().filter(|line| !is_code(line) && line.contains(' ')) {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}

#[test]
fn every_page_of_the_folder_is_a_topic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/help");
    #[expect(clippy::disallowed_methods, reason = "a test looks at the repository")]
    let names = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name());
    let pages = names.filter_map(|name| Some(name.to_str()?.strip_suffix(".md")?.to_owned()));
    let topics = TOPICS.iter().map(|topic| topic.name.to_owned());
    assert_eq!(pages.collect::<BTreeSet<_>>(), topics.collect::<BTreeSet<_>>());
}

#[test]
fn no_topic_hides_a_command() {
    let commands = Args::command();
    for Topic { name, .. } in &TOPICS {
        assert!(commands.find_subcommand(name).is_none(), "{name} is a command too");
    }
}

#[test]
fn links_lead_somewhere() {
    let pages = TOPICS.iter().map(|topic| format!("src/cli/help/{}.md", topic.name));
    let others = [
        "README.md",
        "CONTRIBUTING.md",
        "protocol/README.md",
        "editors/README.md",
        "editors/nvim/README.md",
        "editors/vscode/README.md",
    ];
    let all = pages.chain(others.map(str::to_owned));
    let wrong: Vec<String> = all.flat_map(|file| broken(&file)).collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_page_looks_like_this_on_a_terminal_of_80_columns() {
    let page = Layout::new(80, true).page(page("permissions").unwrap());
    expect_file!["../../../tests/golden/help-permissions.txt"].assert_eq(&page);
}

#[test]
fn markdown_is_laid_out() {
    let text = "# Title\n\nSome *fine* words and `code`, **strong**, \
        [hooks](hooks.md), [these rules](permissions.md#x) and [the map](../../ARCHITECTURE.md).\n\n\
        ## Part\n\n- one item that is long enough to be broken in two\n- two:\n\n  1. first\n  2. second\n\n\
        ```toml\nmodel = \"a/b\"\n\nkey = 1\n```\n\n\
        | name | meaning |\n|---|---|\n| `a` | a text that does not fit into what is left |\n| bee | short |\n\n\
        | | |\n|---|---|\n| x | y |\n";
    expect![[r#"
        Title
        =====

        Some fine words and `code`, strong,
        `pintle help hooks`, these rules (pintle
        help permissions) and the map
        (ARCHITECTURE.md).

        Part
        ----

        - one item that is long enough to be
          broken in two
        - two:
          1. first
          2. second

            model = "a/b"

            key = 1

        name  meaning
        `a`   a text that does not fit into what
              is left
        bee   short

        x  y
    "#]]
    .assert_eq(&Layout::new(40, false).page(text));
    let styled = Layout::new(40, true).page("# T\n\n`a b` *c*\n");
    assert_eq!(styled, "\u{1b}[1;4mT\u{1b}[0m\n\n\u{1b}[36ma b\u{1b}[0m \u{1b}[3mc\u{1b}[0m\n");
}

#[test]
fn an_unknown_topic_names_the_nearest() {
    let told = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        unknown(&words).lines().next().unwrap().to_owned()
    };
    expect![[r"
        unknown help topic or command `permission`; did you mean `permissions`?
        unknown help topic or command `Hook`; did you mean `hooks`?
        unknown help topic or command `session`; did you mean `sessions`?
        unknown help topic or command `xyz`
        unknown help topic or command `sessions xyz`; did you mean `sessions`?"]]
    .assert_eq(
        &[
            told(&["permission"]),
            told(&["Hook"]),
            told(&["session"]),
            told(&["xyz"]),
            told(&["sessions", "xyz"]),
        ]
        .join("\n"),
    );
}

/// The quoted messages of the troubleshooting guide, without the parts that differ (`…`).
#[test]
#[expect(clippy::disallowed_methods, reason = "a test looks at the repository")]
fn troubleshooting_names_messages_that_exist() {
    fn sources(folder: &Path, into: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs")
            {
                into.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut code = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut code);
    let guide = include_str!("troubleshooting.md");
    let rows = guide.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    // Of `no key for anthropic`, the name differs.
    let parts = rows.flat_map(|row| row.split(['…', ',', ':']));
    let parts = parts.map(|part| part.trim().trim_end_matches("anthropic").trim());
    let parts: Vec<&str> = parts.filter(|part| part.len() > 3).collect();
    assert!(parts.len() > 6, "{parts:?}");
    for part in parts {
        let stable = part.trim_end_matches(|c: char| c.is_ascii_digit()).trim();
        let stable = stable.split(" 3 ").next().unwrap_or(stable);
        assert!(code.contains(stable), "no message contains {stable:?}");
    }
}
