//! The macOS sandbox: a profile for `sandbox-exec`, written from the same confinement as on Linux. Pure.
//!
//! **Untested.** The test suite has not been run on macOS yet. So its level is partial, and it never lets a command run without approval.
//!
//! If two rules match one operation, the later one decides. So the order is: permissions of every program, then what this command may
//! change, then what is denied to it, then exceptions to that.
//!
//! Limitations: there are no namespaces, so a command sees other processes, though it may not signal or inspect them; it reaches no host,
//! not even those that rules allow; and resource limits are not enforced. Its processes are ended by their group and mark.
//!
//! Source: the comments of the profiles that macOS ships in `/System/Library/Sandbox/Profiles`; the man page of `sandbox-exec`.
use super::{Confinement, Level, Network};
use pintle_os::System;
use std::fmt::Write as _;
use std::path::Path;

/// The program that applies a profile.
const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Operations that any program needs, even one that changes no file and uses no network.
const BASE: &str = r#"(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow file-read* file-test-existence file-map-executable)
(allow sysctl-read)
(allow ipc-posix-sem ipc-posix-shm*)
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx")
  (literal "/dev/stdin") (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd") (regex #"^/dev/ttys[0-9]+$"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.logd")
  (global-name "com.apple.bsd.dirhelper"))
"#;

/// A command that runs through the program that applies its profile.
#[derive(Debug)]
pub(crate) struct Profiled {
    pub(crate) argv: Vec<String>,
    /// The variables that it gets besides its own.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) level: Level,
}

/// Returns true on a system with this kind of profile.
#[cfg_attr(target_os = "linux", expect(dead_code, reason = "Linux has a supervisor"))]
pub(crate) fn is_there() -> bool {
    System::CURRENT == System::MacOs && Path::new(PROGRAM).exists()
}

/// Returns the same command, confined by a profile; `None` on a system without profiles.
pub(crate) fn profiled(confinement: &Confinement, argv: &[String]) -> Option<Profiled> {
    if System::CURRENT != System::MacOs {
        return None;
    }
    let mut confinement = confinement.clone();
    confinement.resolve();
    let folder = confinement.temporary.folder();
    let variables =
        folder.map(|folder| ("TMPDIR".to_owned(), folder.to_string_lossy().into_owned()));
    let before = [PROGRAM.to_owned(), "-p".to_owned(), profile(&confinement)];
    Some(Profiled {
        argv: before.into_iter().chain(argv.iter().cloned()).collect(),
        variables: variables.into_iter().collect(),
        level: Level { has_seatbelt: true, ..Level::default() },
    })
}

/// Writes a confinement's profile. Its paths are canonical: the kernel compares paths after resolving links.
fn profile(confinement: &Confinement) -> String {
    let mut text = BASE.to_owned();
    let rules = |text: &mut String, action: &str, operations: &str, filters: &[String]| {
        for filter in filters {
            let _ = writeln!(text, "({action} {operations} {filter})");
        }
    };
    let below = |paths: &[std::path::PathBuf]| -> Vec<String> {
        paths.iter().map(|path| format!("(subpath {})", quoted(path))).collect()
    };
    let temporary = confinement.temporary.folder().map(Path::to_owned);
    rules(&mut text, "allow", "file-write*", &below(&confinement.writable));
    rules(&mut text, "allow", "file-write*", &below(temporary.as_slice()));
    let patterns = confinement.names.patterns();
    let roots = &confinement.writable;
    let in_roots = |patterns: &[String]| -> Vec<String> {
        roots
            .iter()
            .flat_map(|root| patterns.iter().map(|pattern| named(Some(root), pattern)))
            .collect()
    };
    rules(&mut text, "deny", "file-write*", &in_roots(&patterns.obeyed));
    rules(&mut text, "allow", "file-write*", &in_roots(&patterns.output));
    rules(&mut text, "deny", "file-write*", &below(&confinement.protected));
    rules(&mut text, "deny", "file-read* file-write*", &below(&confinement.hidden));
    let anywhere = |patterns: &[String]| -> Vec<String> {
        patterns.iter().map(|pattern| named(None, pattern)).collect()
    };
    rules(&mut text, "deny", "file-read-data file-write*", &anywhere(&patterns.secret));
    rules(&mut text, "allow", "file-read-data", &anywhere(&patterns.open));
    rules(&mut text, "allow", "file-read*", &below(&confinement.readable));
    // A directory above must keep its name, or its content would be found under another.
    for path in confinement.protected.iter().chain(&confinement.writable) {
        let _ = writeln!(text, "(deny file-write-unlink (literal {}))", quoted(path));
    }
    if confinement.network == Network::Open {
        text.push_str("(allow network* system-socket)\n");
    }
    text
}

/// Returns a path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a filter for the paths below a directory, or anywhere, that a name pattern matches. Letters match in either case.
fn named(root: Option<&Path>, pattern: &str) -> String {
    let mut expression = String::from("^");
    if let Some(root) = root {
        expression.push_str(&escaped(&root.to_string_lossy(), false));
    }
    // A pattern with a place begins at the root.
    let (begins, pattern) =
        pattern.strip_prefix('/').map_or(("/(.*/)?", pattern), |rest| ("/", rest));
    expression.push_str(begins);
    let (names, is_folder) =
        pattern.strip_suffix('/').map_or((pattern, false), |names| (names, true));
    expression.push_str(&escaped(names, true));
    expression.push_str(if is_folder { "(/.*)?$" } else { "$" });
    format!("(regex #\"{expression}\")")
}

/// Text as an expression. In a pattern, `*` is any text within a name, and letters match in either case.
fn escaped(text: &str, is_pattern: bool) -> String {
    let mut expression = String::new();
    for c in text.chars() {
        match c {
            '*' if is_pattern => expression.push_str("[^/]*"),
            c if is_pattern && c.is_ascii_alphabetic() => {
                expression.extend(['[', c.to_ascii_lowercase(), c.to_ascii_uppercase(), ']']);
            }
            c if c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | ' ') => expression.push(c),
            // A quote would end the expression.
            '"' => expression.push('.'),
            c if c.is_ascii() => expression.extend(['\\', c]),
            c => expression.push(c),
        }
    }
    expression
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::{JudgeNames, NamePatterns, Names, Temporary};
    use std::path::PathBuf;

    struct Nothing;

    impl JudgeNames for Nothing {
        fn is_secret(&self, _: &Path) -> bool {
            false
        }

        fn is_obeyed(&self, _: &Path) -> bool {
            false
        }
    }

    #[test]
    fn the_profile_says_what_the_confinement_says() {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let patterns = NamePatterns {
            obeyed: texts(&[".envrc", ".github/workflows/", "*.code-workspace"]),
            output: texts(&["node_modules/"]),
            secret: texts(&[".env.*"]),
            open: texts(&[".env.example", "/etc/ssl/certs/"]),
        };
        let confinement = Confinement {
            writable: paths(&["/Users/me/a \"b\""]),
            protected: paths(&["/Users/me/a \"b\"/.git"]),
            hidden: paths(&["/Users/me/.ssh"]),
            readable: paths(&["/Users/me/data/session"]),
            temporary: Temporary::Folder("/private/tmp/pintle-1".into()),
            names: Names::new(Nothing, Vec::new(), Vec::new()).with_patterns(patterns),
            ..Confinement::default()
        };
        let text = profile(&confinement);
        let own = text.strip_prefix(BASE).unwrap();
        expect_test::expect![[r#"
            (allow file-write* (subpath "/Users/me/a \"b\""))
            (allow file-write* (subpath "/private/tmp/pintle-1"))
            (deny file-write* (regex #"^/Users/me/a .b./(.*/)?\.[eE][nN][vV][rR][cC]$"))
            (deny file-write* (regex #"^/Users/me/a .b./(.*/)?\.[gG][iI][tT][hH][uU][bB]/[wW][oO][rR][kK][fF][lL][oO][wW][sS](/.*)?$"))
            (deny file-write* (regex #"^/Users/me/a .b./(.*/)?[^/]*\.[cC][oO][dD][eE]-[wW][oO][rR][kK][sS][pP][aA][cC][eE]$"))
            (allow file-write* (regex #"^/Users/me/a .b./(.*/)?[nN][oO][dD][eE]_[mM][oO][dD][uU][lL][eE][sS](/.*)?$"))
            (deny file-write* (subpath "/Users/me/a \"b\"/.git"))
            (deny file-read* file-write* (subpath "/Users/me/.ssh"))
            (deny file-read-data file-write* (regex #"^/(.*/)?\.[eE][nN][vV]\.[^/]*$"))
            (allow file-read-data (regex #"^/(.*/)?\.[eE][nN][vV]\.[eE][xX][aA][mM][pP][lL][eE]$"))
            (allow file-read-data (regex #"^/[eE][tT][cC]/[sS][sS][lL]/[cC][eE][rR][tT][sS](/.*)?$"))
            (allow file-read* (subpath "/Users/me/data/session"))
            (deny file-write-unlink (literal "/Users/me/a \"b\"/.git"))
            (deny file-write-unlink (literal "/Users/me/a \"b\""))
        "#]]
        .assert_eq(own);
        for (network, is_open) in [(Network::None, false), (Network::Open, true)] {
            let text = profile(&Confinement { network, ..confinement.clone() });
            assert_eq!(text.contains("(allow network*"), is_open);
        }
    }

    #[test]
    fn every_rule_of_a_profile_is_closed() {
        let text = profile(&Confinement {
            writable: vec!["/w (x) \\ y".into()],
            hidden: vec!["/h \"q\"".into()],
            ..Confinement::default()
        });
        let (mut depth, mut is_text, mut is_escaped) = (0_i32, false, false);
        for c in text.chars() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if is_text => is_escaped = true,
                '"' => is_text = !is_text,
                '(' if !is_text => depth += 1,
                ')' if !is_text => depth -= 1,
                _ => {}
            }
            assert!(depth >= 0, "{text}");
        }
        assert!(depth == 0 && !is_text, "{text}");
    }
}
