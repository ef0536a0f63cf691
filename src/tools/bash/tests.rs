use super::*;
use crate::Progress;
use crate::tests::{Scene, text};
use pintle_base::ambient::Ambient;
use pintle_exec::local::Options;
use pintle_exec::memory::Memory;
use pintle_exec::{Dialect, Local};
use pintle_protocol::ids::ItemId;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn commands_answer() {
    let scene = Scene::with(&[("file", b"content\n")]);
    let multi_byte = "测".repeat(5000);
    let rows = [
        ("echo", json!({"command": "echo hello"}), "hello\n"),
        ("in the working directory", json!({"command": "cat file"}), "content\n"),
        ("nothing", json!({"command": "true"}), "(no output)"),
        (
            "exit code",
            json!({"command": "echo a; exit 3"}),
            "error: a\n\nCommand exited with code 3",
        ),
        (
            "silent failure",
            json!({"command": "false"}),
            "error: (no output)\n\nCommand exited with code 1",
        ),
        ("both outputs", json!({"command": "echo a; echo b >&2"}), "a\nb\n"),
        (
            "time-out",
            json!({"command": "echo a; sleep 5", "timeout": 1.5}),
            "error: a\n\nCommand timed out after 1.5 seconds. If it needs more time, set a larger `timeout` \
             (at most 600 seconds) or run it with `background`.",
        ),
        (
            "5,000 characters",
            json!({"command": "for i in {1..5000}; do printf 测; done"}),
            &multi_byte,
        ),
        (
            "a NUL character",
            json!({"command": "echo a\0b"}),
            "error: `command` contains a NUL character, which shells do not accept: print one with printf '\\000'",
        ),
        ("no editor to wait for", json!({"command": "cat >/dev/null; echo done"}), "done\n"),
    ];
    for (name, arguments, want) in rows {
        assert_eq!(text(&scene.call(&Bash(Profile::Pi), arguments).await), want, "{name}");
    }
    let got =
        text(&scene.call(&Bash(Profile::Pi), json!({"command": "no-such-command-here"})).await);
    assert!(got.contains("not found") && got.ends_with("Command exited with code 127"), "{got}");
}

#[tokio::test]
async fn details_tell_how_it_ended() {
    let scene = Scene::new();
    for (command, code) in [("true", Some(0)), ("exit 3", Some(3))] {
        let details = scene.call(&Bash(Profile::Pi), json!({"command": command})).await.details;
        assert_eq!((details.exit_code, details.signal), (code, None), "{command}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn signals_are_named() {
    let scene = Scene::new();
    for (command, code, signal, want) in [
        (
            "kill -KILL $$",
            None,
            Some("SIGKILL"),
            "error: (no output)\n\nCommand was killed by signal SIGKILL",
        ),
        (
            "kill -TERM $$",
            None,
            Some("SIGTERM"),
            "error: (no output)\n\nCommand was killed by signal SIGTERM",
        ),
        (
            "exec 2>/dev/null; bash -c 'kill -SEGV $$'; exit $?",
            Some(139),
            None,
            "error: (no output)\n\nCommand exited with code 139 (128 + 11: SIGSEGV)",
        ),
    ] {
        let got = scene.call(&Bash(Profile::Pi), json!({"command": command})).await;
        assert_eq!(text(&got), want, "{command}");
        let details = got.details;
        assert_eq!((details.exit_code, details.signal.as_deref()), (code, signal), "{command}");
    }
}

#[tokio::test]
async fn empty_lines_are_not_cut() {
    let scene = Scene::new();
    for (command, want) in [
        ("echo", "\n"),
        ("printf '\\n\\n\\n'", "\n\n\n"),
        ("echo a; echo", "a\n\n"),
        ("printf '\\r\\n'", "\n"),
        ("true", "(no output)"),
    ] {
        let got = scene.call(&Bash(Profile::Pi), json!({"command": command})).await;
        assert_eq!(text(&got), want, "{command}");
        assert_eq!(got.details.truncation, None, "{command}");
    }
}

#[tokio::test]
async fn long_output_shows_its_end_and_names_the_file() {
    let scene = Scene::new();
    let chinese = "for i in {1..20000}; do printf 测; done";
    // Name, command, first line, last line, notice, lines in all.
    let rows = [
        ("by lines", "seq 5000", "3001", "5000", "Showing lines 3001-5000 of 5000.", 5000),
        (
            "by bytes",
            "yes 0123456789012345678901234567890123456789 | head -n 1999",
            "0123456789012345678901234567890123456789",
            "0123456789012345678901234567890123456789",
            "Showing lines 752-1999 of 1999 (50.0KB limit).",
            1999,
        ),
        ("by bytes, over 100 KB", "seq 100000 200000", "191536", "200000", "", 100_001),
        (
            "a long last line",
            chinese,
            "",
            "",
            "Showing the last 49.9KB of line 1 (the line is 58.5KB, 50.0KB limit).",
            1,
        ),
        (
            "a long last line behind others",
            "echo one; head -c 60000 /dev/zero | tr '\\0' x",
            "",
            "",
            "Showing the last 50.0KB of line 2 (the line is 58.5KB, 50.0KB limit).",
            2,
        ),
    ];
    for (name, command, first, last, notice, lines) in rows {
        let got = scene.call(&Bash(Profile::Pi), json!({"command": command})).await;
        let path = got.details.full_output_path.clone().unwrap();
        let shown = text(&got);
        let (output, end) = shown.rsplit_once("\n\n[").unwrap();
        assert!(!output.contains('\u{fffd}'), "{name}");
        assert!(end.ends_with(&format!(" Full output: {path}]")), "{name}: {end}");
        if !notice.is_empty() {
            assert!(end.starts_with(notice), "{name}: {end}");
        }
        if name == "by lines" || name == "by bytes" {
            assert_eq!(output.lines().next(), Some(first), "{name}");
            assert_eq!(output.lines().last(), Some(last), "{name}");
        }
        let record = got.details.truncation.unwrap();
        assert_eq!(record.total_lines, lines, "{name}");
        assert_eq!(record.output_bytes, output.len() as u64, "{name}");
        let file = path.rsplit('/').next().unwrap();
        assert_eq!(scene.get(file).len() as u64, record.total_bytes, "{name}");
    }
}

#[tokio::test]
async fn a_running_command_is_stopped() {
    let mut scene = Scene::new();
    let (tx, mut rx) = tokio::sync::mpsc::channel(4);
    scene.ctx.progress = Progress::new(tx, ItemId::new("call"));
    let call = scene.call(&Bash(Profile::Pi), json!({"command": "echo started; sleep 100"}));
    let stop = async {
        let printed = rx.recv().await.map(|(_, text)| text);
        assert_eq!(printed.as_deref(), Some("started\n"));
        scene.ctx.cancel.cancel();
    };
    let (got, ()) = tokio::join!(call, stop);
    assert_eq!(text(&got), "error: started\n\nCommand aborted");
}

#[tokio::test]
async fn a_missing_folder_is_named() {
    let mut scene = Scene::new();
    scene.ctx.cwd = scene.path("gone");
    let got = text(&scene.call(&Bash(Profile::Pi), json!({"command": "ls -a; pwd"})).await);
    let folder = format!("The working directory {} no longer exists", names::shown(&scene.ctx.cwd));
    assert!(got.contains(&folder) && !got.starts_with("error"), "{got}");
}

/// The shell command scenarios, under the names used in the specification.
#[tokio::test]
async fn the_scenarios_hold() {
    let scene = Scene::new();
    let system = Ambient::system();
    let home = system.var("HOME").or_else(|| system.var("USERPROFILE")).unwrap_or_default();
    let rows: [(&str, &str, &str); 15] = [
        ("echo", "echo hello", "hello\n"),
        ("exit code", "exit 7", "error: (no output)\n\nCommand exited with code 7"),
        ("stderr and stdout both", "echo out; echo err >&2", "out\nerr\n"),
        ("`yes | head -5` ends well", "yes | head -5", "y\ny\ny\ny\ny\n"),
        ("HOME and PATH inherited", "echo $HOME; test -n \"$PATH\"", &format!("{home}\n")),
        ("bash syntax", "a=(1 2 3); [[ ${#a[@]} -eq 3 ]] && echo yes", "yes\n"),
        (
            "a command that only starts others",
            "sleep 0.01 & sleep 0.01 & wait; echo done",
            "done\n",
        ),
        ("no colours, no pager", "echo $TERM $PAGER $GIT_PAGER", "dumb cat cat\n"),
        ("an editor fails", "$EDITOR file; $VISUAL file; echo $?", "1\n"),
        (
            "a high exit code is no signal",
            "exit 255",
            "error: (no output)\n\nCommand exited with code 255",
        ),
        ("a password cannot be asked for", "read -p x y </dev/tty || echo none", ""),
        (
            "a progress bar",
            "for i in $(seq 0 200); do printf '\\r[%3d/200]' $i; done; echo; echo done",
            "[200/200]\ndone\n",
        ),
        (
            "a long progress bar",
            "echo first; for i in $(seq 20000); do printf '\\r[%6d/20000]' $i; done; echo; echo done",
            "first\n[ 20000/20000]\ndone\n",
        ),
        ("a bell and a backspace", r"printf 'a\ab\bc\n'", "ac\n"),
        ("an empty heredoc", "cat <<'X'\nX", "(no output)"),
    ];
    // Not under Wine: brush, which replaces Git's bash there, lacks it.
    let substitution = ("process substitution", "cat <(echo yes)", "yes\n");
    for (name, command, want) in rows.into_iter().chain(cfg!(unix).then_some(substitution)) {
        let got = text(&scene.call(&Bash(Profile::Pi), json!({"command": command})).await);
        if want.is_empty() {
            assert!(got.ends_with("none\n"), "{name}: {got}");
        } else {
            assert_eq!(got, want, "{name}");
        }
    }
}

#[tokio::test]
async fn a_commit_without_a_message_ends() {
    let scene = Scene::new();
    let command = "git init -q . && git config user.email a@b && git config user.name a && echo a > f && git add f && \
                   git commit";
    let got = scene.call(&Bash(Profile::Pi), json!({"command": command})).await;
    assert!(got.is_error, "{}", text(&got));
    assert!(text(&got).contains("editor"), "{}", text(&got));
}

#[tokio::test]
async fn a_prefix_runs_in_the_same_shell_and_its_output_is_seen() {
    let mut scene = Scene::new();
    let prefix = Some("echo before; name=value".to_owned());
    let options = Options { command_prefix: prefix, ..Options::default() };
    scene.ctx.env = Arc::new(Local::new(&Ambient::system(), options));
    let got = scene.call(&Bash(Profile::Pi), json!({"command": "echo $name"})).await;
    assert_eq!(text(&got), "before\nvalue\n");
}

#[tokio::test]
async fn a_missing_shell_is_named() {
    let mut scene = Scene::new();
    let options = Options { shell: Some("/no/such/shell".into()), ..Options::default() };
    scene.ctx.env = Arc::new(Local::new(&Ambient::system(), options));
    let got = text(&scene.call(&Bash(Profile::Pi), json!({"command": "true"})).await);
    assert!(got.starts_with("error: cannot start the shell /no/such/shell: "), "{got}");
}

#[test]
fn omitted_lines_are_counted_exactly() {
    let bash = Bash(Profile::Pi);
    let folders = Folders { cwd: "/".into(), home: None, shell: Dialect::Bourne };
    drop(bash.prepare(json!({"command": "x"}), &folders).unwrap());
    let call = Call {
        tool: bash,
        command: String::new(),
        given: None,
        description: None,
        in_background: false,
        in_terminal: false,
        yields: None,
    };
    let lines = (1..=150).map(|n| n.to_string()).collect::<Vec<_>>().join("\n") + "\n";
    let ran = Ran {
        end: End::Exited(0),
        total_lines: 150,
        total_bytes: lines.len() as u64,
        head: lines.clone(),
        tail: lines,
        full_output_path: Some("/tmp/all".into()),
        is_file_full: false,
        background_output: None,
        is_displaced: false,
        denied_programs: Vec::new(),
        sandbox: None,
    };
    let ctx = ToolContext {
        settings: Arc::new(Settings { max_output_lines: Some(100), ..Settings::default() }),
        ..ToolContext::new(Arc::new(Memory::new([])), "/".into())
    };
    let got = call.show(&ctx, ran);
    let record = got.details.truncation.clone().unwrap();
    assert_eq!((record.total_lines, record.output_lines), (150, 100));
    let text = text(&got);
    assert!(text.starts_with("51\n") && text.contains("\n150\n"), "{text}");
    assert!(text.ends_with("[Showing lines 51-150 of 150. Full output: /tmp/all]"), "{text}");
}

#[tokio::test]
async fn each_profile_has_its_names_and_times() {
    let scene = Scene::new();
    // Profile, arguments, text after the output.
    let long =
        "set a larger `timeout` (at most 600000 milliseconds) or run it with `run_in_background`.";
    let rows = [
        (
            Profile::Anthropic,
            json!({"command": "sleep 5", "timeout": 100}),
            format!("Command timed out after 100 milliseconds. If it needs more time, {long}"),
        ),
        (
            Profile::DeepSeek,
            json!({"command": "sleep 5", "timeoutMs": 150.5}),
            format!(
                "Command timed out after 150 milliseconds. If it needs more time, {}",
                long.replace("timeout`", "timeoutMs`")
            ),
        ),
    ];
    for (profile, arguments, want) in rows {
        let got = text(&scene.call(&Bash(profile), arguments).await);
        assert_eq!(got, format!("error: (no output)\n\n{want}"), "{profile:?}");
    }
    // Profile, its name, its default in milliseconds, a call's title.
    for (profile, name, default, title) in [
        (Profile::Pi, "bash", None, "bash: ls"),
        (Profile::Anthropic, "Bash", Some(120_000), "Bash: ls (Lists files)"),
        (Profile::OpenAi, "exec_command", None, "exec_command: ls"),
        (
            Profile::Gemini,
            "run_shell_command",
            Some(300_000),
            "run_shell_command: ls (Lists files)",
        ),
        (Profile::Kimi, "Bash", Some(60_000), "Bash: ls (Lists files)"),
    ] {
        let bash = Bash(profile);
        let default = default.map(Duration::from_millis);
        let times = Times::new(profile, &Settings::default());
        assert_eq!((bash.name(), times.default), (name, default));
        let arguments = json!({"command": "ls", "description": "Lists files"});
        let call = bash.prepare(arguments, &scene.folders()).unwrap();
        assert_eq!(call.title(), title, "{profile:?}");
    }
}

#[test]
fn a_time_out_names_what_was_given_and_what_to_do() {
    let scene = Scene::new();
    let seconds = Duration::from_secs;
    // Profile, arguments, in the background, the time that applies, how the message begins, whether it mentions a larger one.
    for (profile, given, in_background, holds, begins, advises) in [
        (Profile::Pi, None, false, None, "", false),
        (Profile::Pi, Some(5), false, Some(5), "Command timed out after 5 seconds. ", true),
        (
            Profile::Pi,
            Some(9000),
            false,
            Some(600),
            "Command timed out after 600 seconds, the longest allowed. ",
            false,
        ),
        (
            Profile::Kimi,
            None,
            false,
            Some(60),
            "Command timed out after 60 seconds, the default. ",
            true,
        ),
        (Profile::Kimi, None, true, None, "", false),
        (Profile::Kimi, Some(9000), true, Some(9000), "", false),
        (Profile::OpenAi, None, false, None, "", false),
    ] {
        let call = Call {
            tool: Bash(profile),
            command: String::new(),
            given: given.map(seconds),
            description: None,
            in_background,
            in_terminal: false,
            yields: None,
        };
        assert_eq!(call.timeout(&scene.ctx), holds.map(seconds), "{profile:?} {given:?}");
        if !begins.is_empty() {
            let text = call.timed_out(&scene.ctx);
            assert!(text.starts_with(begins), "{text}");
            assert_eq!(text.contains("set a larger"), advises, "{text}");
        }
    }
}

#[tokio::test]
async fn without_an_owner_of_jobs_the_background_is_refused() {
    let scene = Scene::new();
    let got = scene.call(&Bash(Profile::Pi), json!({"command": "true", "background": true})).await;
    let want = "error: Background jobs are not available here. Run the command in the foreground.";
    assert_eq!(text(&got), want);
}

#[test]
fn a_directory_is_entered_in_the_language_of_the_shell() {
    let folders = |shell| Folders { cwd: "/w".into(), home: None, shell };
    for (folder, command, shell, want) in [
        ("src", "ls", Dialect::Bourne, "cd src && ls"),
        ("it's", "ls\npwd", Dialect::Bourne, "cd 'it'\\''s' || exit\nls\npwd"),
        ("~/a b", "ls", Dialect::Bourne, "cd ~/'a b' && ls"),
        (".", "ls", Dialect::PowerShell, "ls"),
        (
            "it's",
            "ls; pwd",
            Dialect::PowerShell,
            "Set-Location -LiteralPath 'it''s' -ErrorAction Stop\nls; pwd",
        ),
        (
            "D:/work",
            "ls",
            Dialect::WindowsPowerShell,
            "Set-Location -LiteralPath 'D:/work' -ErrorAction Stop\nls",
        ),
    ] {
        assert_eq!(in_folder(command.to_owned(), folder, &folders(shell)), want, "{folder}");
    }
}

#[test]
fn the_description_names_the_language_of_the_shell() {
    for (shell, has, hints) in [
        (Dialect::Bourne, "with bash in", false),
        (Dialect::PowerShell, "with PowerShell 7 in", false),
        (Dialect::WindowsPowerShell, "with Windows PowerShell 5.1 in", true),
    ] {
        let settings = Settings { shell, ..Settings::default() };
        for profile in crate::PROFILES.map(|(_, profile)| profile) {
            let tools = profile.tools();
            let declared = crate::declarations(&tools, &settings);
            let found = declared.iter().filter(|tool| tool.description.contains(has));
            let found: Vec<_> = found.collect();
            assert_eq!(found.len(), 1, "{profile:?} {has}");
            assert_eq!(found[0].description.contains("has no `&&`"), hints, "{shell:?}");
        }
    }
}
