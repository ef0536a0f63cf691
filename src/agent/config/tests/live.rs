use super::ambient;
use crate::config::{Flags, Live, Problem, load};
use std::fs;

/// Its name, the file, its new text, the providers in effect then, and the reported problems.
type Step<'a> = (&'a str, &'a str, Option<&'a str>, &'a str, &'a [&'a str]);

/// Each step writes or removes a file, and lists the providers in effect afterwards and the newly reported problems.
#[test]
fn edits_are_seen_and_broken_ones_change_nothing() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().to_str().unwrap();
    let ambient = ambient(&[("PINTLE_HOME", path)]);
    let one = "[providers.one]\n";
    fs::write(home.path().join("config.toml"), one).unwrap();
    let flags = Flags::default();
    let live = Live::new(&ambient, flags.clone(), load(&ambient, flags).unwrap());
    let steps: [Step<'_>; 12] = [
        ("nothing", "none.txt", None, "one", &[]),
        ("an edit", "config.toml", Some("[providers.two]\n"), "two", &[]),
        ("the same content again", "config.toml", Some("[providers.two]\n"), "two", &[]),
        (
            "a broken edit",
            "config.toml",
            Some("providers = 1"),
            "two",
            &["error: HOME/config.toml:1:13: `providers` must be tables: [providers.NAME]"],
        ),
        (
            "the next broken version",
            "config.toml",
            Some("providers = 2"),
            "two",
            &["error: HOME/config.toml:1:13: `providers` must be tables: [providers.NAME]"],
        ),
        ("mended", "config.toml", Some(one), "one", &[]),
        (
            "a file that is new",
            "models.json",
            Some("{\"providers\": {\"json\": {}}}"),
            "json one",
            &[],
        ),
        (
            "a file that is new and broken",
            "config.toml",
            Some("models_files = [\"more.json\"]"),
            "json",
            &["HOME/config.toml: `models_files` lists HOME/more.json, which does not exist"],
        ),
        (
            "broken",
            "more.json",
            Some("{"),
            "json",
            &["error: HOME/more.json:1:1: not valid JSON: Unterminated object"],
        ),
        (
            "and repaired automatically",
            "more.json",
            Some("{\"providers\": {\"more\": {}}}"),
            "json more",
            &[],
        ),
        ("taken away", "models.json", None, "more", &[]),
        (
            "settings kept by a running engine",
            "config.toml",
            Some(
                "model = \"a/b\"\nretries = 9\napproval_timeout_s = 5\nquestion_timeout_s = 5\ninstructions = \"Be brief.\"\n\
                 model_idle_timeout_s = 9\n[tools]\nweb_fetch = true\n\
                 [[rules]]\ndecision = \"deny\"\nargv = [\"x\"]\n\
                 [[hooks]]\npoint = \"beforeToolCall\"\ncommand = \"true\"\n\
                 [sessions]\nkeep_days = 9\n[lint]\ncommand = \"true\"\n[title]\nmodel = \"a/b\"\n",
            ),
            "",
            &[
                "HOME/config.toml: changes to model, retries, model_idle_timeout_s, approval_timeout_s, question_timeout_s, instructions, tools, lint, title, sessions, rules, hooks take effect when the engine restarts",
            ],
        ),
    ];
    for (name, file, text, want, want_told) in steps {
        let file = home.path().join(file);
        match text {
            // As most editors do it, and so that no two versions look alike.
            Some(text) => {
                let new = home.path().join("new");
                fs::write(&new, text).unwrap();
                fs::rename(new, file).unwrap();
            }
            None if file.exists() => fs::remove_file(file).unwrap(),
            None => {}
        }
        live.refresh();
        live.refresh();
        let config = live.current();
        let names: Vec<_> = config.providers.keys().map(String::as_str).collect();
        assert_eq!(names.join(" "), want, "{name}");
        let told = |problem: Problem| {
            let mark = if problem.is_error { "error: " } else { "" };
            super::in_home(&format!("{mark}{}", problem.message), path)
        };
        let told: Vec<_> = live.take_untold().into_iter().map(told).collect();
        assert_eq!(told, want_told, "{name}");
    }
}
