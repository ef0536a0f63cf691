//! Decisions on a volume as macOS has them: it keeps the spelling of names and ignores their case and composition, and `/tmp`, `/var` and
//! `/etc` are links.

use super::*;
use unicode_normalization::UnicodeNormalization;

/// The files of a volume, as they were created.
struct Volume(&'static [&'static str]);

const VOLUME: Volume = Volume(&[
    "/Users/u/.config/other",
    "/Users/u/Projekt/.git/hooks",
    "/Users/u/Projekt/secrets",
    // Decomposed, as a program has created it.
    "/Users/u/Projekt/U\u{308}bung",
    "/private/tmp",
    "/private/etc",
    "/private/var/db",
]);

impl Volume {
    /// Returns the canonical form of a path: the stored spelling as far as it exists, and the rest as it is given.
    fn resolve(&self, path: &str) -> PathBuf {
        let path = ["etc", "tmp", "var"]
            .iter()
            .find(|link| path.to_lowercase().starts_with(&format!("/{link}/")))
            .map_or_else(|| path.to_owned(), |_| format!("/private{path}"));
        let mut found = String::new();
        for name in path.split('/').skip(1) {
            let wanted = format!("{found}/{name}");
            let stored = self.0.iter().find_map(|stored| {
                let names = stored.split('/').take(wanted.split('/').count());
                let stored = names.collect::<Vec<_>>().join("/");
                (Self::key(&stored) == Self::key(&wanted)).then_some(stored)
            });
            found = stored.unwrap_or(wanted);
        }
        PathBuf::from(found)
    }

    fn key(path: &str) -> String {
        path.nfc().flat_map(char::to_lowercase).collect()
    }
}

fn places(ignores_case: bool) -> Places {
    Places {
        roots: vec![PathBuf::from("/Users/u/Projekt")],
        home: Some(PathBuf::from("/Users/u")),
        private: vec![PathBuf::from("/Users/u/.config/pintle")],
        ignores_case,
        ..Places::default()
    }
}

fn decision(path: &str, rule: Option<(Decision, &str)>, ignores_case: bool) -> Decision {
    let places = places(ignores_case);
    let compile = |(decision, pattern): (Decision, &str)| {
        let rule = Rule { path: Some(pattern.to_owned()), ..Rule::new(decision) };
        rule.compile_for(ignores_case, Origin::User, &places.roots, places.home.as_deref()).unwrap()
    };
    let rules: Vec<Compiled> = rule.map(compile).into_iter().collect();
    let resolved = VOLUME.resolve(path);
    let action =
        Action::Write(vec![CheckedPath { named: PathBuf::from(path), resolved, links: 1 }]);
    let context = Context {
        mode: PermissionMode::AutoEdit,
        is_trusted: true,
        sandbox: Sandbox::Missing,
        places: &places,
        rules: &rules,
    };
    decide(&Call { tool: "write".to_owned(), action }, &context).decision
}

#[test]
fn names_in_any_spelling_are_protected() {
    use Decision::{Allow, Ask, Deny};
    for (path, want) in [
        ("/Users/u/Projekt/src/main.rs", Allow),
        ("/users/U/projekt/SRC/main.rs", Allow),
        ("/Users/u/Projekt/U\u{308}bung/a", Allow),
        ("/Users/u/Projekt/\u{dc}bung/a", Allow),
        // They exist, or are made in this spelling.
        ("/Users/u/Projekt/.git/hooks/pre-commit", Ask),
        ("/Users/u/Projekt/.GIT/Hooks/pre-commit", Ask),
        ("/Users/u/Projekt/sub/.Git/hooks/pre-commit", Ask),
        ("/Users/u/Projekt/.g\u{200c}it/config", Ask),
        ("/Users/u/Projekt/.VSCode/Tasks.json", Ask),
        ("/Users/u/Projekt/.ENV", Deny),
        ("/Users/u/Projekt/sub/.Env.Local", Deny),
        ("/Users/u/.SSH/config", Deny),
        ("/users/u/.Ssh/config", Deny),
        // The engine's folder does not exist yet.
        ("/Users/u/.config/pintle/config.toml", Deny),
        ("/Users/u/.config/Pintle/config.toml", Deny),
        ("/users/u/.CONFIG/PINTLE/config.toml", Deny),
        ("/Users/u/.config/pintle2/config.toml", Ask),
        ("/tmp/a", Ask),
        ("/etc/master.passwd", Deny),
        ("/ETC/Master.Passwd", Deny),
        ("/private/etc/master.passwd", Deny),
    ] {
        assert_eq!(decision(path, None, true), want, "{path}");
    }
    // Elsewhere, another spelling is another folder.
    assert_eq!(decision("/Users/u/.config/Pintle/config.toml", None, false), Ask);
}

#[test]
fn a_restriction_covers_each_spelling_and_a_grant_only_equal_names() {
    use Decision::{Allow, Ask, Deny};
    for (rule, path, on_macos, elsewhere) in [
        ((Deny, "secrets/**"), "/Users/u/Projekt/secrets/a", Deny, Deny),
        ((Deny, "Secrets/**"), "/Users/u/Projekt/secrets/a", Deny, Allow),
        ((Deny, "vault/**"), "/Users/u/Projekt/VAULT/a", Deny, Allow),
        ((Ask, "*.SQL"), "/Users/u/Projekt/a.sql", Ask, Allow),
        ((Deny, "\u{dc}bung/**"), "/Users/u/Projekt/U\u{308}bung/a", Deny, Allow),
        ((Deny, "\u{fc}bung/**"), "/Users/u/Projekt/\u{dc}bung/a", Deny, Allow),
        ((Deny, "[!a]*.md"), "/Users/u/Projekt/A.md", Deny, Deny),
        ((Deny, "/tmp/**"), "/tmp/a", Deny, Ask),
        ((Deny, "/private/tmp/**"), "/tmp/a", Deny, Deny),
        ((Deny, "~/Notes/**"), "/Users/u/notes/a", Deny, Ask),
        ((Allow, "/tmp/out/**"), "/tmp/out/a", Allow, Ask),
        ((Allow, "/tmp/out/**"), "/tmp/OUT/a", Ask, Ask),
        ((Allow, "/Users/u/\u{c4}rger/**"), "/Users/u/A\u{308}rger/a", Allow, Ask),
        ((Allow, "/Users/u/notes/**"), "/Users/u/Notes/a", Ask, Ask),
    ] {
        assert_eq!(decision(path, Some(rule), true), on_macos, "{rule:?} {path}");
        assert_eq!(decision(path, Some(rule), false), elsewhere, "{rule:?} {path}, case counts");
    }
}
