//! Keys: which commands see them, and where they are left. And what a server may send without end.

use crate::support::program::{PLANT, Place};
use crate::support::server::Server;
use serde_json::json;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The planted secrets: the name of the variable, if it is one, and the value.
fn plants() -> Vec<(&'static str, String)> {
    [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_BEARER_TOKEN_BEDROCK",
        "LOCAL_KEY",
        "PLAIN_NAME",
        "HEADER_VALUE",
    ]
    .into_iter()
    .map(|name| (name, format!("{PLANT}-{}", name.to_ascii_lowercase())))
    .collect()
}

/// A config file that takes keys in each way there is.
fn config(base_url: &str) -> String {
    format!(
        r#"
[providers.local]
base_url = "{base_url}"
api = "chat"
key = "$LOCAL_KEY"
headers = {{ "X-Token" = "tok ${{HEADER_VALUE}}", "X-Plain" = "not-secret-at-all" }}

[providers.other]
base_url = "{base_url}"
api = "chat"
key_vars = ["PLAIN_NAME"]

[providers.literal]
base_url = "{base_url}"
api = "chat"
key = "{PLANT}-literal"

[providers.printed]
base_url = "{base_url}"
api = "chat"
key = "!printf PLANTED%s -5f3a9c-printed"
"#
    )
}

fn write_config(place: &Place, text: &str) {
    std::fs::create_dir_all(place.home()).unwrap();
    let path = place.home().join("config.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn output(mut command: Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

/// The files below a folder that hold a text.
fn holding(folder: &Path, text: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            holding(&path, text, found);
        } else if path.is_file()
            && memchr::memmem::find(&std::fs::read(&path).unwrap(), text.as_bytes()).is_some()
        {
            found.push(path);
        }
    }
}

#[test]
fn commands_see_no_key_of_a_provider_whatever_the_policy() {
    for policy in ["filtered", "all", "core"] {
        let place = Place::new(&[]);
        let config = config("http://127.0.0.1:9");
        write_config(&place, &format!("{config}\n[environment]\nvariables = \"{policy}\"\n"));
        let script = place.script(&json!({"replies": [
            {"blocks": [{"tool": "bash", "arguments": {"command": "env > seen.txt; tr '\\0' '\\n' < /proc/self/environ >> seen.txt"}}]},
            {"blocks": [{"text": "done"}]},
        ]}));
        let mut command =
            place.command(&["run", "go", "--permission", "full", "--script", &script]);
        command.envs(plants());
        // By value, whatever the name.
        command.env("HARMLESS", format!("https://user:{PLANT}-local_key@host/"));
        command.env("KEPT", "kept").env("SSH_AUTH_SOCK", "/run/agent");
        let out = output(command);
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        let seen = place.read("seen.txt");
        assert!(!seen.contains(PLANT), "{policy}: {seen}");
        let passes = policy != "core";
        assert_eq!(seen.contains("KEPT=kept"), passes, "{policy}: {seen}");
        assert_eq!(seen.contains("SSH_AUTH_SOCK=/run/agent"), passes, "{policy}: {seen}");
        assert!(seen.contains("PATH="), "{policy}: {seen}");
    }
}

#[tokio::test]
async fn keys_are_left_in_no_file_and_no_message() {
    let server = Server::start().await;
    let place = Place::new(&[]);
    write_config(&place, &config(&server.url));
    // What the model says, and that the server refuses a request with words that hold the key.
    let long = "for i in $(seq 3000); do cat ../home/config.toml; done; cat ../home/config.toml >&2; exit 1";
    let replies = [
        ("read", json!({"path": "../home/config.toml"})),
        ("grep", json!({"pattern": "key", "path": "../home"})),
        ("bash", json!({"command": "cat ../home/config.toml"})),
        ("bash", json!({"command": long})),
    ];
    let serving = async {
        for (name, arguments) in &replies {
            let (mut connection, received) = server.request().await;
            assert!(!received.body.contains(PLANT), "the model reads a key: {}", received.body);
            assert_eq!(
                received.header("x-token"),
                Some(format!("tok {PLANT}-header_value").as_str())
            );
            let body = crate::providers::chat(&("", Some((name, arguments.clone()))));
            connection.respond(200, "text/event-stream", &body).await;
        }
        let (mut connection, received) = server.request().await;
        assert!(!received.body.contains(PLANT), "the model reads a key: {}", received.body);
        let key = received.header("authorization").unwrap().to_owned();
        let error = json!({"error": {"message": format!("{key} may not, nor x-token {PLANT}-header_value, nor ghp_{}", "a1".repeat(18))}});
        connection.respond(400, "application/json", &error.to_string()).await;
    };
    let mut command = place.command(&[
        "run",
        "go",
        "--permission",
        "full",
        "--format",
        "events",
        "--model",
        "local/m",
    ]);
    command.envs(plants()).env("PINTLE_LOG", "trace").env("HTTP_PROXY", "");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let out = Server::beside(child, serving).await;
    let shown = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
    assert!(shown.contains("may not, nor x-token ***, nor ghp_***"), "{shown}");
    assert!(!shown.contains(PLANT), "{shown}");
    // Exports and lists.
    let id = std::fs::read_to_string(place.journal()).unwrap();
    let head: serde_json::Value = serde_json::from_str(id.lines().next().unwrap()).unwrap();
    let id = head["sessionId"].as_str().unwrap().to_owned();
    for format in ["html", "md", "json", "pi"] {
        let file = place.path(&format!("out.{format}"));
        let out = output(place.command(&[
            "sessions",
            "export",
            &id,
            "--format",
            format,
            "--output",
            file.to_str().unwrap(),
        ]));
        assert!(file.exists(), "{format}: {}", String::from_utf8_lossy(&out.stderr));
    }
    std::fs::remove_file(place.home().join("config.toml")).unwrap();
    let mut found = Vec::new();
    holding(place.project().parent().unwrap(), PLANT, &mut found);
    assert_eq!(found, Vec::<PathBuf>::new());
}

#[test]
fn the_self_test_finds_no_key() {
    let place = Place::new(&[]);
    let out = output(place.command(&["doctor", "--secrets"]));
    let shown = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(0), "{shown}{}", String::from_utf8_lossy(&out.stderr));
    for line in ["commands  no key", "messages  no key", "exports   no key", "data      no key"] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn the_data_folder_is_its_owners_alone() {
    let place = Place::untrusted(&[(".env", "a=1\n")]);
    let script = place.script(&json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo a=2 > .env; seq 100000"}}]},
        {"blocks": [{"text": "done"}]},
    ]}));
    let cassette = place.path("cassette.jsonl");
    let run = |args: &[&str]| {
        let mut command = place.command(args);
        // Whatever the person's own mask says.
        let program = command.get_program().to_owned();
        let mut masked = Command::new("sh");
        masked.args(["-c", "umask 0; exec \"$0\" \"$@\""]).arg(program).args(command.get_args());
        masked.current_dir(place.project());
        masked.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.arg0("unused");
        output(masked)
    };
    let go = ["run", "go", "--permission", "full", "--script", &script];
    assert_eq!(run(&go).status.code(), Some(0));
    run(&["sessions", "search", "done"]);
    run(&[
        "run",
        "go",
        "--model",
        "openai/x",
        "--base-url",
        "http://127.0.0.1:9",
        "--record",
        cassette.to_str().unwrap(),
    ]);
    // A data folder of an earlier version is closed when it is opened.
    std::fs::set_permissions(place.home().join("sessions"), PermissionsExt::from_mode(0o755))
        .unwrap();
    std::fs::set_permissions(place.home().join("index.sqlite"), PermissionsExt::from_mode(0o644))
        .unwrap();
    run(&go);
    run(&["sessions", "list"]);
    let mut folders = vec![place.home()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let (path, facts) = (entry.path(), entry.metadata().unwrap());
            assert_eq!(facts.mode() & 0o077, 0, "{} {:o}", path.display(), facts.mode());
            if facts.is_dir() {
                folders.push(path);
            } else {
                files += 1;
            }
        }
    }
    assert!(files > 5, "{files}");
    let made = std::fs::metadata(place.home()).unwrap().mode();
    assert_eq!(made & 0o077, 0, "{made:o}");
    if cassette.exists() {
        assert_eq!(std::fs::metadata(cassette).unwrap().mode() & 0o077, 0);
    }
}

#[test]
fn a_file_with_a_key_that_others_may_read_is_told() {
    for (mode, key, want) in [
        (0o644, "literal-key-1234", true),
        (0o640, "literal-key-1234", true),
        (0o600, "literal-key-1234", false),
        (0o644, "$SOME_VARIABLE", false),
        (0o644, "!pass show key", false),
    ] {
        let place = Place::new(&[]);
        write_config(
            &place,
            &format!(
                "[providers.own]\nbase_url = \"http://h.test\"\napi = \"chat\"\nkey = \"{key}\"\n"
            ),
        );
        let path = place.home().join("config.toml");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        let script = place.script(&json!({"replies": [{"blocks": [{"text": "done"}]}]}));
        let told = output(place.command(&["run", "go", "--script", &script]));
        let told = String::from_utf8_lossy(&told.stderr).into_owned();
        assert_eq!(
            told.contains("contains the key for own and is readable by other users"),
            want,
            "{mode:o} {key}: {told}"
        );
        let doctor = output(place.command(&["doctor"]));
        let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert_eq!(
            doctor.contains("found (readable by other users)"),
            mode & 0o044 != 0,
            "{mode:o}: {doctor}"
        );
    }
}

/// What a server sends without end.
fn endless(kind: &str) -> String {
    let chunk = |delta: serde_json::Value| {
        format!(
            "data: {}\n\n",
            json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
        )
    };
    let text = "x".repeat(200_000);
    match kind {
        "text" => chunk(json!({"content": text})),
        "arguments" => chunk(
            json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "write", "arguments": text}}]}),
        ),
        "comments" => ": still here\n".repeat(10_000),
        "one line" => text,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_reply_without_end_ends_with_an_error_that_names_the_limit() {
    for (kind, want) in [
        ("text", "the reply exceeds 48 MiB"),
        ("arguments", "the argument text of a call exceeds 16 MiB"),
        ("comments", "over 1 MiB of the stream are no events"),
        ("one line", "a stream event exceeds 16 MiB"),
    ] {
        let server = Server::start().await;
        let place = Place::new(&[]);
        let serving = async {
            let (mut connection, _) = server.request().await;
            connection.head(200, "text/event-stream").await;
            connection.chunk("data: {\"choices\":[]}\n\ndata: ").await;
            if kind != "one line" {
                connection.chunk("{\"choices\":[]}\n\n").await;
            }
            let piece = endless(kind);
            // Until the other side has had enough.
            while connection.try_chunk(&piece).await.is_ok() {}
        };
        let mut command = place.command(&[
            "run",
            "go",
            "--model",
            "own/m",
            "--base-url",
            &server.url,
            "--api",
            "chat",
        ]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let id = child.id();
        let memory = async {
            let mut most = 0;
            while let Ok(facts) = std::fs::read_to_string(format!("/proc/{id}/status")) {
                let peak = facts.lines().find_map(|line| {
                    line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<u64>().ok()
                });
                let Some(peak) = peak else { break };
                most = most.max(peak);
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
            most
        };
        let (out, most) = tokio::join!(Server::beside(child, serving), memory);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(
            out.status.code(),
            Some(3),
            "{kind}: {}",
            told.chars().take(500).collect::<String>()
        );
        assert!(told.contains(want), "{kind}: {}", told.chars().take(500).collect::<String>());
        assert!(most < 400 * 1024, "{kind}: {most} KiB");
    }
}

#[test]
fn a_terminal_gets_signs_for_control_sequences_and_a_pipe_gets_the_bytes() {
    let said = "plain \u{1b}]52;c;ZXZpbA==\u{7} \u{202e}end";
    let drawn = "plain ␛]52;c;ZXZpbA==␇ ⟨U+202E⟩end";
    let place = Place::new(&[]);
    let script = place.script(&json!({"replies": [{"blocks": [{"text": said}]}]}));
    let args = ["run", said, "--script", &script];
    let piped = output(place.command(&args));
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), format!("{said}\n"));
    // `script` of util-linux gives a program a terminal.
    let in_terminal = |args: &[&str]| {
        let program = place.command(args);
        let words: Vec<String> = std::iter::once(program.get_program())
            .chain(program.get_args())
            .map(|word| format!("'{}'", word.to_str().unwrap()))
            .collect();
        let mut command = Command::new("script");
        command.args(["-qec", &words.join(" "), "/dev/null"]).current_dir(place.project());
        command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        String::from_utf8(output(command).stdout).unwrap()
    };
    let shown = in_terminal(&args);
    assert!(shown.contains(drawn) && !shown.contains('\u{202e}'), "{shown:?}");
    for args in [&["sessions", "list"][..], &["sessions", "search", "plain"]] {
        for shown in
            [in_terminal(args), String::from_utf8(output(place.command(args)).stdout).unwrap()]
        {
            assert!(
                !shown.contains("\u{1b}]52") && !shown.contains('\u{7}'),
                "{args:?}: {shown:?}"
            );
        }
        assert!(!in_terminal(args).contains('\u{202e}'), "{args:?}");
    }
    let listed = String::from_utf8(output(place.command(&["sessions", "list"])).stdout).unwrap();
    assert!(listed.contains(drawn) && !listed.contains('\u{202e}'), "{listed:?}");
}
