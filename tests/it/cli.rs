//! The commands as a person or a script types them.

use crate::support::frames::check_logs;
use crate::support::program::Place;
use expect_test::{expect, expect_file};
use serde_json::{Value, json};
use std::process::{Output, Stdio};

fn run(place: &Place, args: &[&str]) -> Output {
    place.command(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_demo_tells_its_story() {
    let place = Place::untrusted(&[]);
    let out = run(&place, &["demo"]);
    assert_eq!((out.status.code(), text(&out.stderr)), (Some(0), String::new()));
    expect_file!["../golden/demo.txt"].assert_eq(&text(&out.stdout));
    assert!(!place.home().exists(), "the demo leaves nothing in the user's folders");
}

#[test]
fn the_demo_shows_the_protocol_itself() {
    let place = Place::new(&[]);
    let out = run(&place, &["demo", "--json", "--keep"]);
    assert_eq!(out.status.code(), Some(0));
    // What has a method of the client, or answers an approval, is the client's.
    let printed = text(&out.stdout);
    let (sent, received): (Vec<&str>, Vec<&str>) = printed.lines().partition(|line| {
        line.contains(r#""result":{"optionId""#)
            || ["initialize", "session/create", "turn/start", "shutdown", "exit"]
                .iter()
                .any(|method| line.contains(&format!(r#""method":"{method}""#)))
    });
    check_logs(&sent.join("\n"), &received.join("\n"));
    let mut shown = String::new();
    let mut names = std::collections::BTreeMap::new();
    for line in printed.lines() {
        let mut message: Value = serde_json::from_str(line).unwrap();
        // How deltas are merged depends on how fast they are read.
        if message["params"]["event"]["type"] == "item.delta" {
            continue;
        }
        // How much it takes depends on every word of prompts and tools.
        if message["params"]["event"]["type"] == "session.context" {
            continue;
        }
        if let Some(tokens) = message.pointer_mut("/result/context/tokens") {
            assert!(tokens.take().as_u64().unwrap() > 0);
        }
        redact(&mut message, &mut names);
        shown.push_str(&message.to_string());
        shown.push('\n');
    }
    expect_file!["../golden/demo.jsonl"].assert_eq(&shown);
    let kept = text(&out.stderr);
    let folder = kept.trim().strip_prefix("Project kept in ").unwrap();
    let fixed = std::fs::read_to_string(format!("{folder}/slug.sh")).unwrap();
    assert!(fixed.contains("tr -cs"));
    std::fs::remove_dir_all(std::path::Path::new(folder).parent().unwrap()).unwrap();
}

/// Gives ids short names, and takes out times and folders.
fn redact(value: &mut Value, names: &mut std::collections::BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                if key.ends_with("Ms") {
                    *field = json!(0);
                } else if key == "schemaHash" {
                    *field = json!("hash");
                } else {
                    redact(field, names);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, names)),
        Value::String(text) => {
            let is_id = text.len() == 36 && text.matches('-').count() == 4;
            if is_id {
                let next = format!("id-{}", names.len() + 1);
                text.clone_from(names.entry(text.clone()).or_insert(next));
            } else if let Some((_, rest)) = text.split_once("/pintle-demo-") {
                let rest = rest.split_once('/').map_or("", |(_, rest)| rest);
                *text = format!("DEMO/{rest}");
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn script(place: &Place, command: &str) -> String {
    place.script(&json!({"replies": [
        {"blocks": [{"text": "I try."}, {"tool": "bash", "arguments": {"command": command}}]},
        {"blocks": [{"text": "That is all."}]},
    ]}))
}

#[test]
fn run_prints_the_answer_and_nothing_else_on_stdout() {
    let place = Place::new(&[]);
    let script = script(&place, "echo made > made.txt");
    let out = run(&place, &["run", "go", "--permission", "full", "--script", &script]);
    assert_eq!((out.status.code(), text(&out.stdout).as_str()), (Some(0), "That is all.\n"));
    let said = text(&out.stderr);
    let closing = said.strip_prefix("> bash: echo made > made.txt\n").unwrap();
    assert!(
        closing.starts_with("pintle: script/script, ") && closing.lines().count() == 1,
        "{said}"
    );
    assert_eq!(place.read("made.txt"), "made\n");
}

#[test]
fn run_tells_of_a_call_without_its_control_characters() {
    let place = Place::new(&[]);
    let script = script(&place, "echo \u{1b}]0;owned\u{7} \u{1b}[2J");
    let out = run(&place, &["run", "go", "--permission", "full", "--script", &script]);
    let said = text(&out.stderr);
    assert!(said.contains("]0;owned") && !said.contains(['\u{1b}', '\u{7}']), "{said:?}");
}

#[test]
fn run_never_asks_and_says_what_was_denied() {
    let place = Place::new(&[]);
    let script = script(&place, "echo made > made.txt");
    let out =
        run(&place, &["run", "go", "--permission", "ask", "--sandbox", "off", "--script", &script]);
    assert_eq!(out.status.code(), Some(4));
    // A command that only writes a file of the project is decided as an edit.
    assert!(text(&out.stderr).contains("--permission auto-edit would have allowed it"));
    assert!(!place.path("made.txt").exists());
}

#[test]
fn run_as_events_is_the_journal_between_a_header_and_a_result() {
    let place = Place::new(&[]);
    let script = script(&place, "true");
    let args = ["run", "go", "--permission", "full", "--format", "events", "--script", &script];
    let out = run(&place, &args);
    let lines: Vec<Value> =
        text(&out.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (first, last) = (lines.first().unwrap(), lines.last().unwrap());
    assert_eq!((&first["type"], &first["protocol"]), (&json!("header"), &json!("2.0")));
    assert_eq!((&last["type"], &last["status"]), (&json!("result"), &json!("success")));
    assert_eq!(last["text"], "That is all.");
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    for line in &lines[1..lines.len() - 1] {
        let head = line.to_string();
        assert!(journal.contains(head.trim_end_matches('}')), "{head}");
    }
}

#[test]
fn run_tells_every_end_by_its_exit_code() {
    let fails = json!({"replies": [{"error": {"kind": "rateLimit", "message": "slow down"}}]});
    let rows: [(&str, &[&str], i32, &str); 8] = [
        ("no model", &["run", "go"], 2, "--model"),
        ("no key", &["run", "go", "--model", "openai/m"], 3, "OPENAI_API_KEY"),
        ("an empty task", &["run", " "], 2, "empty"),
        ("no task", &["run"], 2, "pintle run -"),
        (
            "a session that is not there",
            &["run", "go", "--session", "x", "--model", "ollama/m"],
            2,
            "no session id starts with `x`",
        ),
        ("a folder that is not there", &["run", "go", "-C", "nowhere"], 2, "nowhere"),
        (
            "a directory beside it that is not there",
            &["run", "go", "--add-dir", "nowhere", "--model", "ollama/m"],
            2,
            "nowhere` cannot be used",
        ),
        ("a provider that fails", &["run", "go", "--script", "SCRIPT"], 3, "slow down"),
    ];
    for (name, args, code, said) in rows {
        let place = Place::new(&[]);
        let script = place.script(&fails);
        let args: Vec<&str> =
            args.iter().map(|arg| if *arg == "SCRIPT" { script.as_str() } else { arg }).collect();
        let out = run(&place, &args);
        assert_eq!(out.status.code(), Some(code), "{name}: {}", text(&out.stderr));
        assert!(text(&out.stderr).contains(said), "{name}: {}", text(&out.stderr));
    }
}

#[test]
fn run_goes_on_with_a_stored_session() {
    let place = Place::new(&[]);
    let script = place.script(&json!({"replies": [{"blocks": [{"text": "first"}]}]}));
    let out = run(&place, &["run", "one", "--format", "json", "--script", &script]);
    let result: Value = serde_json::from_slice(&out.stdout).unwrap();
    let id = result["sessionId"].as_str().unwrap();
    let out = run(&place, &["run", "two", "--session", id, "--script", &script]);
    assert_eq!((out.status.code(), text(&out.stdout).as_str()), (Some(0), "first\n"));
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    assert_eq!(journal.matches(r#""type":"turn.completed""#).count(), 2);
}

#[test]
fn the_web_is_fetched_only_where_a_person_said_so() {
    for (name, args, config, want) in [
        (
            "by default there is no such tool",
            &["--permission", "full"][..],
            "",
            "Unknown tool `web_fetch`",
        ),
        ("it asks, and nobody is there", &["--web-fetch"], "", "no user is available to grant it"),
        (
            "not from this machine",
            &["--web-fetch", "--permission", "full"],
            "",
            "this machine or on a private network",
        ),
        (
            "but where the config file says so",
            &["--permission", "full"],
            "[tools]\nweb_fetch = true\nweb_fetch_private = true\n",
            "Connection refused",
        ),
    ] {
        let place = Place::new(&[]);
        std::fs::create_dir_all(place.home()).unwrap();
        std::fs::write(place.home().join("config.toml"), config).unwrap();
        // A port that was free a moment ago.
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let call = json!({"tool": "web_fetch", "arguments": {"url": format!("http://{closed}/")}});
        let replies = json!({"replies": [{"blocks": [call]}, {"blocks": [{"text": "done"}]}]});
        let script = place.script(&replies);
        let out = run(
            &place,
            &[&["run", "go", "--format", "events", "--script", &script], args].concat(),
        );
        let events = text(&out.stdout);
        let is_result = |line: &&str| line.contains("item.completed") && line.contains("toolCall");
        let result = events.lines().find(is_result).unwrap();
        assert!(result.contains(want), "{name}: {result}");
    }
}

#[test]
fn doctor_says_what_is_there_and_what_is_missing() {
    let place = Place::new(&[]);
    std::fs::create_dir_all(place.home()).unwrap();
    let config = "model = \"mine/big\"\ntypo = 1\n[providers.mine]\nbase_url = \"http://localhost:1/v1\"\napi = \"chat\"\nkey = \"$MINE\"\n";
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    let shown = |out: &Output| {
        let home = place.home();
        let text = text(&out.stdout).replace(home.to_str().unwrap(), "HOME");
        let kept = |line: &&str| !line.starts_with("pintle ") && !line.starts_with("sandbox");
        text.lines().filter(kept).collect::<Vec<_>>().join("\n")
    };
    let out = run(&place, &["doctor"]);
    assert_eq!(out.status.code(), Some(2));
    expect![[r"
        config    HOME/config.toml: found (readable by other users)
        models    HOME/models.json: not found (optional)
                  HOME/config.toml:2:1: `typo` is unknown and ignored
        data      HOME: writable
        model     mine/big (from HOME/config.toml): no key for mine; HOME/config.toml reads it from MINE: set that variable
        mode      ask (default)
        tools     run on this machine
                  shell /bin/bash, variables filtered
                  profile by model, read first by default, web_fetch off, private addresses off, web_search off, images on
        network   no proxy, system certificates
        keys"]]
    .assert_eq(&shown(&out).lines().take(11).collect::<Vec<_>>().join("\n"));

    let out = place
        .command(&["doctor", "--permission", "full"])
        .env("MINE", "secret-key")
        .env("OPENAI_API_KEY", "secret-key")
        .env("HTTPS_PROXY", "http://user:secret-key@proxy.test:3128")
        .env("no_proxy", "corp.test")
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0));
    let told = shown(&out);
    assert!(
        told.contains(
            "model     mine/big (from HOME/config.toml) at http://localhost:1/v1/chat/completions"
        ),
        "{told}"
    );
    assert!(told.contains("network   HTTPS_PROXY: http://proxy.test:3128\n"), "{told}");
    assert!(told.contains("no_proxy: corp.test\n"), "{told}");
    assert!(told.contains("OPENAI_API_KEY: set"), "{told}");
    assert!(told.contains("ANTHROPIC_API_KEY: not set"), "{told}");
    assert!(!told.contains("secret-key"), "{told}");
}

#[test]
fn models_are_listed_with_what_is_known_of_them() {
    let place = Place::new(&[]);
    let out = run(&place, &["models", "claude-sonnet-5", "--json"]);
    assert_eq!(out.status.code(), Some(0));
    let rows: Vec<serde_json::Value> =
        text(&out.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = rows.iter().map(|row| row["model"].as_str().unwrap()).collect();
    // The newest first; `anthropic` is the first provider.
    assert_eq!(names[..2], ["anthropic/claude-sonnet-5-5", "anthropic/claude-sonnet-5"]);
    let row = &rows[1];
    assert_eq!((&row["profile"], &row["name"]), (&json!("anthropic"), &json!("Claude Sonnet 5")));
    assert!(row["price"]["inputUsdPerMtok"].is_f64() && row["source"].is_string(), "{row}");
    let named = run(&place, &["models", "Claude Sonnet 5.5", "--json"]);
    assert!(text(&named.stdout).contains("anthropic/claude-sonnet-5-5"), "{named:?}");
    let all = run(&place, &["models"]);
    assert!(text(&all.stdout).lines().count() > 50);
    let none = run(&place, &["models", "nobody-knows"]);
    assert_eq!((none.status.code(), none.stdout.len()), (Some(2), 0));
    assert!(text(&none.stderr).contains("no known model with this name"));
}

#[test]
fn tools_act_behind_a_command_prefix_and_read_only() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let script = place.script(&json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo $PLACE; cat a.txt"}}]},
        {"blocks": [{"tool": "write", "arguments": {"path": "b.txt", "content": "two\n"}}]},
        {"blocks": [{"text": "done"}]},
    ]}));
    let folder = place.project();
    let wrap = "env PLACE='far away' sh -c 'exec \"$@\"' sh";
    let base = ["run", "go", "--script", &script, "--permission", "full", "--format", "events"];
    let run_with = |more: &[&str]| {
        let out = run(&place, &[&base[..], more].concat());
        (out.status.code(), text(&out.stdout) + &text(&out.stderr))
    };
    let cwd = folder.to_str().unwrap();
    let (code, out) = run_with(&["--wrap", wrap, "-C", cwd]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains(r"far away\none\n"), "{out}");
    assert_eq!(place.read("b.txt"), "two\n");
    std::fs::remove_file(place.path("b.txt")).unwrap();

    // Files of this machine are attached by their content, those of the other one are mentioned.
    let note = place.home().join("note.txt");
    std::fs::create_dir_all(place.home()).unwrap();
    for (name, content, want) in [
        ("text", &b"from here\n"[..], Ok("from here")),
        ("a picture", &include_bytes!("../../editors/vscode/media/icon.png")[..], Ok("\"image\"")),
        ("a document", &pintle_testing::pdf::with_text(&["from here"]), Ok("from here")),
        ("neither", b"\xff\xfe\x00\x01", Err("is neither text, an image nor a PDF document")),
    ] {
        std::fs::write(&note, content).unwrap();
        let attach = ["--wrap", wrap, "-C", cwd, "--file", note.to_str().unwrap()];
        let (code, out) = run_with(&attach);
        let want_code = if want.is_ok() { Some(0) } else { Some(2) };
        assert_eq!(code, want_code, "{name}: {out}");
        let (Ok(part) | Err(part)) = want;
        assert!(out.contains(part), "{name}: {out}");
    }
    std::fs::remove_file(place.path("b.txt")).unwrap_or_default();

    let (code, out) = run_with(&["--read-only", "-C", cwd]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("Commands do not run in this read-only environment"), "{out}");
    assert!(!out.contains("on another machine"), "{out}");
    assert!(!place.path("b.txt").exists());

    let (code, out) = run_with(&["--wrap", wrap, "-C", "relative"]);
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("requires absolute directory paths"), "{out}");
    let (code, out) = run_with(&["--wrap", "sh -c 'echo no box >&2; exit 1' sh"]);
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("no box") && out.contains("--wrap"), "{out}");

    let out = run(&place, &["doctor", "--wrap", wrap, "--read-only"]);
    let told = text(&out.stdout);
    assert!(told.contains("tools     run through `env PLACE=far away sh"), "{told}");
    assert!(told.contains("(from --wrap), read-only (from --read-only)"), "{told}");
}

#[test]
fn schema_prints_what_the_engine_speaks() {
    let place = Place::new(&[]);
    let schema = include_str!("../../protocol/schema.json");
    for (format, want) in [
        (None, schema),
        (Some("json-schema"), schema),
        (Some("openrpc"), include_str!("../../protocol/openrpc.json")),
        (Some("typescript"), include_str!("../../protocol/clients/typescript/pintle.ts")),
        (Some("python"), include_str!("../../protocol/clients/python/pintle.py")),
        (Some("lua"), include_str!("../../editors/nvim/lua/pintle/protocol.lua")),
    ] {
        let format = format.map(|format| ["--format", format]);
        let args: Vec<&str> = ["schema"].into_iter().chain(format.into_iter().flatten()).collect();
        let out = run(&place, &args);
        assert!(text(&out.stdout) == want, "{args:?}");
    }
    let out = run(&place, &["schema", "--config"]);
    assert!(text(&out.stdout) == include_str!("../../protocol/config.schema.json"));
    let out = run(&place, &["schema", "--config", "--format", "lua"]);
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn without_a_command_and_a_terminal_it_says_how_to_go_on() {
    let place = Place::new(&[]);
    let out = run(&place, &[]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("pintle serve"));
    let out = run(&place, &["serf"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("serve"), "{}", text(&out.stderr));
}

#[test]
fn a_task_has_the_limits_of_its_flags_and_says_so() {
    let script = json!({"replies": [
        {"blocks": [{"tool": "ls", "arguments": {}}], "usage": {"inputTokens": 40, "outputTokens": 2}},
        {"blocks": [{"text": "seen"}], "usage": {"inputTokens": 60, "outputTokens": 2}},
    ]});
    for (flags, want) in [
        (&["--max-steps", "1"][..], ("limit", Some(5))),
        (&["--max-tokens", "42"], ("limit", Some(5))),
        (&["--max-steps", "2", "--max-tokens", "9000", "--max-cost", "0.5"], ("success", Some(0))),
        (&["--max-seconds", "600"], ("success", Some(0))),
        (&["--max-cost", "much"], ("", Some(2))),
    ] {
        let place = Place::new(&[]);
        let script = place.script(&script);
        let mut args = vec!["run", "--quiet", "--format", "json", "--script", &script, "go"];
        args.extend(flags);
        let out = run(&place, &args);
        let result: Value = serde_json::from_slice(&out.stdout).unwrap_or_default();
        let status = result["status"].as_str().unwrap_or_default();
        assert_eq!((status, out.status.code()), want, "{flags:?}: {}", text(&out.stderr));
    }
}

#[test]
fn guides_are_printed_as_markdown_on_a_pipe() {
    let place = Place::new(&[]);
    let told = |args: &[&str]| {
        let out = run(&place, args);
        assert_eq!(out.status.code(), Some(0), "{args:?}");
        text(&out.stdout)
    };
    assert_eq!(told(&["help", "hooks"]), include_str!("../../src/cli/help/hooks.md"));
    let list = told(&["help"]);
    assert!(list.contains("\n  configuration    config.toml: every setting"), "{list}");
    let rows: Vec<serde_json::Value> =
        told(&["help", "--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in &rows {
        assert!(told(&["help", row["topic"].as_str().unwrap()]).starts_with("# "), "{row}");
    }
    assert_eq!(rows.len(), 18);
    // Wrapped to the width of the terminal.
    let help = told(&["--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("`pintle help TOPIC` prints one"), "{help}");
}

#[test]
fn help_of_a_command_is_that_of_its_flag() {
    let place = Place::new(&[]);
    for command in [&["run"][..], &["sessions"], &["sessions", "rewind"], &["help"]] {
        let flag = run(&place, &[command, &["--help"]].concat());
        let asked = run(&place, &[&["help"], command].concat());
        assert_eq!(asked.status.code(), Some(0), "{command:?}");
        assert_eq!(text(&asked.stdout), text(&flag.stdout), "{command:?}");
    }
    let out = run(&place, &["help", "hoks"]);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0));
    let told = text(&out.stderr);
    assert!(told.contains("unknown help topic or command `hoks`; did you mean `hooks`?"), "{told}");
    assert!(
        told.contains("topics: configuration, ") && told.contains("commands: serve, "),
        "{told}"
    );
}

#[test]
fn a_guide_is_laid_out_on_a_terminal() {
    let place = Place::new(&[]);
    let shown = |variables: &[(&str, &str)]| {
        let size = nix::pty::Winsize { ws_row: 50, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = nix::pty::openpty(&size, None).unwrap();
        let mut command = place.command(&["help", "permissions"]);
        command.envs(variables.iter().copied()).stdout(pty.slave);
        let mut child = command.spawn().unwrap();
        // The terminal's side of this process has to close before the reading ends.
        drop(command);
        let mut shown = Vec::new();
        // A terminal whose last writer is gone ends with an error.
        let _ = std::io::Read::read_to_end(&mut std::fs::File::from(pty.master), &mut shown);
        assert!(child.wait().unwrap().success());
        text(&shown).replace("\r\n", "\n")
    };
    assert_eq!(shown(&[]), include_str!("../golden/help-permissions.txt"));
    let plain = shown(&[("NO_COLOR", "1")]);
    assert!(
        plain.starts_with("Permissions\n===========\n") && !plain.contains('\u{1b}'),
        "{plain}"
    );
}
