//! `pintle completions`, `complete` and `man`, through the real program. The scripts run in real shells in `tests/clients/shells`.

use crate::support::program::Place;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Output;

fn run(place: &Place, args: &[&str]) -> Output {
    place.command(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns all files of a place, with their content.
fn files(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![place.folder()];
    while let Some(folder) = folders.pop() {
        found.insert(folder.clone(), Vec::new());
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let content = std::fs::read(&path).unwrap();
                found.insert(path, content);
            }
        }
    }
    found
}

#[test]
fn completing_reads_only_and_runs_nothing() {
    // An absent home, a usable one and a broken one; the key's command would leave a file.
    let config = "[providers.box]\nbase_url = 'http://127.0.0.1:1/v1'\napi = 'chat'\n\
                  key = '!touch ran'\nmodels = [{ id = 'm' }]\n\
                  [mcp_servers.clock]\ncommand = 'touch'\nargs = ['ran']\n";
    for config in [None, Some(config), Some("model = [")] {
        let project = ("AGENTS.md", "read nothing");
        let servers =
            (".mcp.json", r#"{"mcpServers": {"x": {"command": "touch", "args": ["ran"]}}}"#);
        let place = Place::new(&[project, servers]);
        if let Some(config) = config {
            std::fs::write(place.home().join("config.toml"), config).unwrap();
        }
        let before = files(&place);
        for line in [
            &["run", "--model", "box/"][..],
            &["run", "--model", ""],
            &["run", "--session", ""],
            &["attach", ""],
            &["login", ""],
            &["mcp", "test", ""],
            &["nothing", ""],
            &["run", "--\u{1b}[31m"],
        ] {
            let out = run(&place, &[&["complete", "--", "pintle"], line].concat());
            assert_eq!(
                (out.status.code(), text(&out.stderr)),
                (Some(0), String::new()),
                "{line:?}"
            );
        }
        let after = files(&place);
        assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
        assert_eq!(before, after);
    }
}

#[test]
fn an_unreadable_store_is_no_error() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&[]);
    let sessions = place.home().join("sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    std::fs::set_permissions(&sessions, std::fs::Permissions::from_mode(0o000)).unwrap();
    let args = ["complete", "--", "pintle", "attach", ""];
    let out = place.unprivileged_command(&args).output().unwrap();
    let said = (out.status.code(), text(&out.stdout), text(&out.stderr));
    std::fs::set_permissions(&sessions, std::fs::Permissions::from_mode(0o700)).unwrap();
    let last = "last\tthe newest session in this directory\n".to_owned();
    assert_eq!(said, (Some(0), last, String::new()));
}

#[test]
fn scripts_call_the_program_as_it_was_started() {
    let place = Place::new(&[]);
    let program = place.command(&[]).get_program().to_owned();
    let program = program.to_str().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "pwsh", "nushell", "nu"] {
        let script = text(&run(&place, &["completions", shell]).stdout);
        assert!(script.contains(program), "{shell}: {script}");
        let other = ["completions", shell, "--program", "pt"];
        let script = text(&run(&place, &other).stdout);
        assert!(!script.contains(program) && script.contains("pt"), "{shell}: {script}");
    }
    let out = run(&place, &["completions", "tcsh"]);
    let said = text(&out.stderr);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0));
    assert!(said.contains("[possible values: bash, zsh, fish, powershell, nushell]"), "{said}");
    let said = text(&run(&place, &["completions", "bash", "--program", "a\nb"]).stderr);
    assert!(said.contains("cannot be completed"), "{said}");
}

#[test]
fn manual_pages_are_written_to_a_directory() {
    let place = Place::new(&[]);
    let folder = place.path("new/man1");
    let mut command = place.command(&["man", folder.to_str().unwrap()]);
    let out = command.env("SOURCE_DATE_EPOCH", "86400").output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let pages = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(
        text(&out.stdout),
        format!("{pages} manual pages written to {}\n", folder.display())
    );
    let page = std::fs::read_to_string(folder.join("pintle.1")).unwrap();
    assert!(page.contains("1970-01-02"), "{page}");
    let file = place.path("file");
    std::fs::write(&file, "").unwrap();
    let out = run(&place, &["man", file.to_str().unwrap()]);
    assert_eq!((out.status.code(), text(&out.stdout)), (Some(2), String::new()));
    assert!(text(&out.stderr).contains("cannot create"), "{}", text(&out.stderr));
}
