//! Servers of the Model Context Protocol, driven by the program: a server of ours does what servers should not.

use crate::login::Provider;
use crate::mcp_login::mcp;
use crate::support::program::{Framing, Place, Program, is_running};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Source code for the fixture server. Passed as an argument, because the sandbox hides its file if the clone is below `/tmp`.
pub(crate) const SERVER: &str = include_str!("../fixtures/mcp/server.py");

/// The fixture server in one of its modes.
fn server(mode: &str) -> Value {
    json!({"command": "python3", "args": ["-c", SERVER, mode]})
}

/// Writes the servers into the user's settings.
fn configure(place: &Place, servers: &[(&str, Value)]) {
    let mut text = String::new();
    for (name, table) in servers {
        writeln!(text, "[mcp_servers.{name}]").unwrap();
        for (key, value) in table.as_object().unwrap() {
            let value = toml::Value::try_from(value).unwrap();
            writeln!(text, "{key} = {value}").unwrap();
        }
    }
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), text).unwrap();
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"tool": tool, "arguments": arguments})
}

/// Runs a turn whose model makes these calls, one a reply, with a client that answers nothing. Returns what each came to, as text, and the
/// notices.
fn run(place: &Place, args: &[&str], calls: &[Value]) -> (Vec<String>, Vec<String>) {
    let replies = calls.iter().map(|call| json!({"blocks": [call]}));
    let done = json!({"blocks": [{"text": "done"}]});
    let replies: Vec<Value> = replies.chain([done]).collect();
    let script = place.script(&json!({ "replies": replies }));
    let args = [&["serve", "--script", &script], args].concat();
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.ask("initialize", json!({"protocol": {"name": "pintle", "versions": ["2.0"]}}));
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.end_input();
    let rest = program.rest();
    let (mut results, mut notices) = (Vec::new(), Vec::new());
    for message in program.seen.iter().chain(&rest) {
        let event = &message["params"]["event"];
        if event["type"] == "session.notice" {
            notices.push(format!(
                "{}: {}",
                event["code"].as_str().unwrap(),
                event["message"].as_str().unwrap()
            ));
        }
        let item = &event["item"];
        if event["type"] == "item.completed" && item["type"] == "toolCall" {
            let content = item["output"]["content"].as_array().unwrap();
            let blocks: Vec<String> = content
                .iter()
                .map(|block| match block["text"].as_str() {
                    Some(text) => text.to_owned(),
                    None => format!("<{}>", block["mimeType"].as_str().unwrap()),
                })
                .map(|text| match text.split_once(']') {
                    Some((mark, rest))
                        if mark.starts_with("[The following comes from the MCP server") =>
                    {
                        rest.trim_start().to_owned()
                    }
                    Some(_) | None => text,
                })
                .filter(|text| !text.is_empty())
                .collect();
            results.push(format!("{}: {}", item["status"].as_str().unwrap(), blocks.join(" | ")));
        }
    }
    (results, notices)
}

const FULL: &[&str] = &["--permission", "full"];

#[test]
fn tools_of_a_server_are_called_and_what_it_does_wrong_harms_nobody() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("plain"))]);
    let inside = place.path("inside.txt");
    let rows = [
        (call("mcp__bad__echo", json!({"text": "hello"})), "completed: hello"),
        (
            call("mcp__bad__echo", json!({})),
            "failed: The arguments do not match the schema: \"text\" is a required property",
        ),
        (call("mcp__bad__write", json!({"path": inside})), "completed: written"),
        (
            call("mcp__bad__picture", json!({})),
            "completed: <image/png> | [an image was omitted: it is not a PNG, JPEG, GIF or WebP] | \
             [resource note:1, one; `mcp_resource` reads it]",
        ),
        (call("mcp__bad__value", json!({})), "completed: {\n  \"answer\": 42\n}"),
        (call("mcp__bad__fails", json!({})), "failed: it went wrong"),
        (
            call("mcp__bad__refuses", json!({})),
            "failed: The MCP server `bad` failed: it returned an error: not today\u{241b}[31m",
        ),
        (
            call("mcp__bad__nonsense", json!({})),
            "failed: the MCP server `bad` is not usable: its response does not match the protocol",
        ),
        // Its name shadows nothing.
        (call("mcp__bad__bash", json!({"command": "x"})), "completed: called bash"),
        (call("mcp_resource", json!({})), "completed: bad:\n  note:1 (one): the first"),
        (call("mcp_resource", json!({"uri": "note:1"})), "completed: the text of note:1"),
        (
            call("mcp_resource", json!({"server": "x", "uri": "note:1"})),
            "failed: unknown server `x`; available: bad",
        ),
        (
            call("mcp_call", json!({"tool": "mcp__bad__echo", "arguments": {"text": "via"}})),
            "completed: via",
        ),
        (
            call("mcp_call", json!({"tool": "mcp__bad__none"})),
            "failed: unknown tool `mcp__bad__none`: find one with `mcp_find`",
        ),
        (
            call("mcp__bad__crash", json!({})),
            "failed: the MCP server `bad` is not usable: the connection was closed. It wrote: the disk is on fire",
        ),
        // It is started again.
        (call("mcp__bad__echo", json!({"text": "again"})), "completed: again"),
    ];
    let calls: Vec<Value> = rows.iter().map(|(call, _)| call.clone()).collect();
    let (results, notices) = run(&place, FULL, &calls);
    for ((call, want), got) in rows.iter().zip(&results) {
        assert!(got.starts_with(want), "{call}\n{got}");
    }
    assert_eq!(results.len(), rows.len());
    let left_out: Vec<&str> = notices.iter().map(|text| text.split(':').next().unwrap()).collect();
    assert_eq!(left_out, ["mcpToolIgnored", "mcpToolIgnored"], "{notices:?}");
    assert_eq!(place.read("inside.txt"), "by the server");
}

#[test]
fn a_server_sees_the_variables_that_it_is_given_and_no_keys() {
    let place = Place::new(&[]);
    let mut table = server("plain");
    table["env"] = json!({"GIVEN": "${NONE:-d} $X"});
    configure(&place, &[("bad", table)]);
    let (results, _) = run(&place, FULL, &[call("mcp__bad__variables", json!({}))]);
    let (names, given) = results[0].split_once(" / ").unwrap();
    assert_eq!(given, "d $X");
    assert!(
        names.contains("PATH") && !names.contains("KEY") && !names.contains("TOKEN"),
        "{names}"
    );
}

#[test]
fn a_server_changes_the_sessions_folders_alone() {
    for (mode, reaches_outside) in
        [(FULL, false), (&["--permission", "full", "--sandbox", "off"], true)]
    {
        let place = Place::new(&[]);
        configure(&place, &[("bad", server("plain"))]);
        let write = |path: PathBuf| call("mcp__bad__write", json!({"path": path}));
        let beside = place.project().parent().unwrap().join("beside.txt");
        let (results, _) = run(&place, mode, &[write(place.path("in.txt")), write(beside.clone())]);
        assert_eq!(results[0], "completed: written", "{mode:?}");
        // In the sandbox this is another folder, or none.
        assert_eq!(beside.exists(), reaches_outside, "{mode:?}: {results:?}");
    }
}

#[test]
fn a_server_that_cannot_be_used_is_told_and_holds_up_nothing() {
    let none = json!({"command": "no-such-program-anywhere"});
    let unset = json!({"command": "python3", "env": {"A": "${UNSET_HERE}"}});
    let gone = json!({"url": "http://127.0.0.1:9/mcp"});
    for (name, table, want) in [
        (
            "exits",
            server("exits"),
            "its process ended (exit status: 3). It wrote: cannot read the configuration",
        ),
        ("none", none, "program `no-such-program-anywhere` not found"),
        ("unset", unset, "the variable `UNSET_HERE` used by your settings is not set"),
        ("gone", gone, "the MCP server `gone` is not usable: "),
    ] {
        let place = Place::new(&[]);
        configure(&place, &[(name, table), ("good", server("plain"))]);
        let (results, notices) =
            run(&place, FULL, &[call("mcp__good__echo", json!({"text": "fine"}))]);
        assert_eq!(results, ["completed: fine"], "{name}");
        let failed = notices.iter().find(|text| text.starts_with("mcpServerFailed")).unwrap();
        assert!(failed.contains(want), "{name}: {failed}");
    }
}

#[test]
fn an_odd_entry_of_a_server_costs_no_more_than_itself() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("odd"))]);
    let calls =
        [call("mcp__bad__filter", json!({"_top": 3})), call("mcp__bad__no-schema", json!({}))];
    let (results, notices) = run(&place, &["--permission", "full"], &calls);
    let video = "[content of the unknown type `video`]";
    assert_eq!(
        results,
        [format!("completed: {{\"$top\": 3}} | {video}"), format!("completed: {{}} | {video}"),]
    );
    let problems = [
        "MCP server `bad`: ignored `annotations.readOnlyHint` of the tool `hints`, which has a wrong type",
        "MCP server `bad`: ignored a tool without `name`",
        "MCP server `bad`: the tool `no-schema` has no `inputSchema`: it is offered without arguments",
    ];
    for problem in problems {
        assert_eq!(
            notices.iter().filter(|notice| notice.ends_with(problem)).count(),
            1,
            "{notices:?}"
        );
    }
    let out = place.command(&["mcp", "test", "bad"]).output().unwrap();
    let printed = String::from_utf8(out.stdout).unwrap();
    for said in
        problems.iter().map(|problem| format!("  ! {problem}")).chain(["3 tools".to_owned()])
    {
        assert!(printed.contains(&said), "{said}: {printed}");
    }
}

#[test]
fn a_server_that_the_newest_handshake_ends_is_started_with_the_older_one() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("old"))]);
    let calls = [call("mcp__bad__echo", json!({"text": "hello"}))];
    let (results, notices) = run(&place, &["--permission", "full"], &calls);
    assert_eq!(results, ["completed: hello"]);
    assert!(!notices.iter().any(|notice| notice.contains("not usable")), "{notices:?}");
}

#[test]
fn what_a_server_prints_beside_the_protocol_is_passed_over() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("noise"))]);
    let (results, _) = run(&place, FULL, &[call("mcp__bad__echo", json!({"text": "fine"}))]);
    assert_eq!(results, ["completed: fine"]);
}

#[test]
fn a_long_result_is_cut_and_kept_whole() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("plain"))]);
    // One long text, many short ones, and long ones.
    for (lines, blocks) in [(200_000, 1), (10, 20_000), (50_000, 4)] {
        let arguments = json!({"lines": lines, "blocks": blocks});
        let (results, _) = run(&place, FULL, &[call("mcp__bad__huge", arguments)]);
        assert!(results[0].len() < 70_000, "{blocks}: {}", results[0].len());
        let path = results[0].split("full output: ").nth(1).unwrap();
        let path = path.split([']', '\n']).next().unwrap();
        let whole = std::fs::read_to_string(path).unwrap();
        assert_eq!(whole.matches("a long line").count(), 200_000, "{blocks}");
    }
}

#[test]
fn its_own_words_decide_nothing_about_permission() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("plain"))]);
    // `echo` says of itself that it only reads.
    let echo = call("mcp__bad__echo", json!({"text": "x"}));
    for (args, want) in [
        (&["--permission", "full"][..], "completed: x"),
        (&["--permission", "ask"], "declined"),
        (&["--permission", "auto-edit"], "declined"),
        (&["--permission", "read-only"], "declined"),
    ] {
        let (results, _) = run(&place, args, std::slice::from_ref(&echo));
        assert!(results[0].starts_with(want), "{args:?}: {results:?}");
    }
}

#[test]
fn rules_and_hooks_are_about_the_tool_that_acts_whoever_passes_the_call_on() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("plain"))]);
    let config = place.home().join("config.toml");
    let told = place.path("told.json");
    let hook = format!("cat > {}", told.display());
    let more = format!(
        "rules = [{{ decision = \"deny\", tool = \"mcp__bad__bash\" }}, {{ decision = \"allow\", tool = \"mcp__bad__echo\" }}]\n{}\n\
         [[hooks]]\npoint = \"beforeToolCall\"\ncommand = \"{hook}\"\ntools = [\"mcp__bad__echo\"]\n",
        std::fs::read_to_string(&config).unwrap()
    );
    std::fs::write(&config, more).unwrap();
    let echo = call("mcp_call", json!({"tool": "mcp__bad__echo", "arguments": {"text": "said"}}));
    let denied = call("mcp_call", json!({"tool": "mcp__bad__bash", "arguments": {"command": "x"}}));
    let other = call("mcp_call", json!({"tool": "mcp__bad__value"}));
    let (results, _) = run(&place, &["--permission", "ask"], &[echo, denied.clone(), other]);
    assert_eq!(results[0], "completed: said");
    assert!(results[1].starts_with("declined"), "{results:?}");
    assert!(results[2].starts_with("declined"), "{results:?}");
    let told: Value = serde_json::from_str(&std::fs::read_to_string(told).unwrap()).unwrap();
    assert_eq!(told["call"]["toolName"], "mcp__bad__echo");
    assert_eq!(told["call"]["arguments"], json!({"text": "said"}));
    let (results, _) = run(&place, FULL, &[denied]);
    assert!(results[0].starts_with("declined"), "{results:?}");
}

#[test]
fn a_projects_servers_are_used_once_a_person_trusts_it() {
    let file = json!({"mcpServers": {
        "theirs": server("plain"),
        "mine": server("exits"),
        "wide": {"command": "python3", "sandbox": false, "args": ["-c", ""]},
    }});
    let file = file.to_string();
    let files = [(".mcp.json", file.as_str())];
    let echo = |name: &str| call(&format!("mcp__{name}__echo"), json!({"text": name}));
    let trusted = Place::new(&files);
    configure(&trusted, &[("mine", server("plain"))]);
    let (results, notices) = run(&trusted, FULL, &[echo("theirs"), echo("mine")]);
    assert_eq!(results, ["completed: theirs", "completed: mine"], "{notices:?}");
    let ignored: Vec<&String> =
        notices.iter().filter(|text| text.starts_with("mcpServerIgnored")).collect();
    assert!(ignored.iter().any(|text| text.contains("ignored the server `mine`")), "{notices:?}");
    assert!(
        ignored.iter().any(|text| text.contains("only allowed in your config file")),
        "{notices:?}"
    );

    let stranger = Place::untrusted(&files);
    configure(&stranger, &[]);
    let (results, notices) = run(&stranger, FULL, &[echo("theirs")]);
    assert!(results[0].starts_with("failed"), "{results:?}");
    assert!(notices.iter().any(|text| text.contains(".mcp.json")), "{notices:?}");
}

#[test]
fn a_program_starts_in_the_project_once_a_person_trusts_it() {
    // Many programs run what lies in the directory that they start in.
    for (place, is_there) in [(Place::new(&[]), true), (Place::untrusted(&[]), false)] {
        configure(&place, &[("bad", server("plain"))]);
        let (results, _) =
            run(&place, FULL, &[call("mcp__bad__write", json!({"path": "here.txt"}))]);
        assert_eq!(results, ["completed: written"]);
        assert_eq!(place.path("here.txt").exists(), is_there);
    }
}

/// A client of an engine with a server, whose model makes these calls.
fn client(place: &Place, replies: &[Value]) -> Program {
    let replies: Vec<Value> = replies.iter().map(|block| json!({"blocks": [block]})).collect();
    Program::on_script(place, &json!({ "replies": replies }), Framing::Lines)
}

#[test]
fn the_list_of_tools_stays_and_new_ones_are_found() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("plain"))]);
    let search = [call("mcp_find", json!({"query": "late"})), json!({"text": "looked"})];
    let first = [call("mcp__bad__more", json!({})), json!({"text": "begun"})];
    let mut program = client(
        &place,
        &first.into_iter().chain(std::iter::repeat_n(search, 200).flatten()).collect::<Vec<_>>(),
    );
    program.ask("config/set", json!({"values": {"permissionMode": "full"}}));
    let tools = |program: &mut Program| -> String {
        program.ask("context/read", json!({}))["tools"].to_string()
    };
    let turn = |program: &mut Program| -> Value {
        program.prompt("go on");
        program.until_event("turn.completed")
    };
    turn(&mut program);
    let list = tools(&mut program);
    assert!(list.contains("mcp__bad__echo") && !list.contains("mcp__bad__late"), "{list}");
    // The server has told it by the time that a turn began and ended.
    let is_found = |program: &mut Program| {
        program.prompt("look");
        let found = program.until(|message| {
            let item = &message["params"]["event"]["item"];
            item["toolName"] == "mcp_find" && item["status"] == "completed"
        });
        program.until_event("turn.completed");
        found.to_string().contains("mcp__bad__late")
    };
    until(|| is_found(&mut program));
    assert_eq!(tools(&mut program), list);
}

#[test]
fn too_many_tools_are_listed_by_relevance_and_the_others_are_called_by_name() {
    let place = Place::new(&[]);
    configure(&place, &[("big", server("many")), ("small", server("plain"))]);
    let mut program = client(
        &place,
        &[
            call("mcp__big__tool_50", json!({})),
            call("mcp_find", json!({"query": "tool_51"})),
            call("mcp__big__tool_51", json!({})),
            call("mcp__big__tool_99", json!({})),
            json!({"text": "done"}),
        ],
    );
    program.ask("config/set", json!({"values": {"permissionMode": "full"}}));
    program.prompt("Start with tool_7.");
    program.until_event("turn.completed");
    let told = program.ask("context/read", json!({}))["tools"].to_string();
    for (name, is_listed) in [
        ("mcp__small__echo", true),
        ("mcp__big__tool_7", true),
        ("mcp__big__tool_70", false),
        ("mcp__big__tool_8", false),
        ("mcp_find", true),
        ("mcp_call", true),
    ] {
        assert_eq!(told.contains(&format!("\"{name}\"")), is_listed, "{name}: {told}");
    }
    let mut results = Vec::new();
    for message in &program.seen {
        let item = &message["params"]["event"]["item"];
        if message["params"]["event"]["type"] == "item.completed" && item["type"] == "toolCall" {
            let text = item["output"]["content"].to_string();
            results.push(format!("{}: {text}", item["status"].as_str().unwrap()));
        }
    }
    for (got, (status, text)) in results.iter().zip([
        ("completed", "called tool_50"),
        ("completed", "mcp__big__tool_51"),
        ("completed", "called tool_51"),
        ("failed", "Unknown tool `mcp__big__tool_99`"),
    ]) {
        assert!(got.starts_with(status) && got.contains(text), "{got}");
    }
    assert_eq!(results.len(), 4, "{results:?}");
}

#[test]
fn an_error_status_over_http_ends_the_call_with_the_servers_words() {
    let server = Provider::start(|request| {
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        match (message["method"].as_str(), message["params"]["arguments"]["status"].as_u64()) {
            (Some("tools/call"), Some(status)) => {
                (u16::try_from(status).unwrap(), "<h1>out of paper</h1>".to_owned())
            }
            _ => mcp(request),
        }
    });
    let place = Place::new(&[]);
    configure(&place, &[("h", json!({"url": format!("{}/mcp", server.url)}))]);
    for status in [401, 403, 429, 500, 502] {
        let call = call("mcp__h__echo", json!({"status": status}));
        let (results, _) = run(&place, FULL, &[call]);
        let [result] = &results[..] else { panic!("{status}: {results:?}") };
        assert!(!result.contains("rmcp") && !result.contains("::"), "{status}: {result}");
        let has_words =
            result.contains(&format!("HTTP {status}")) && result.contains("out of paper");
        assert!(has_words || result.contains("log"), "{status}: {result}");
    }
}

#[test]
fn a_client_names_servers_for_its_session_and_switches_them() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("exits")), ("own", server("plain"))]);
    let echo = |name: &str| call(&format!("mcp__{name}__echo"), json!({"text": name}));
    let script = json!({"replies": [
        {"blocks": [echo("bad")]}, {"blocks": [{"text": "one"}]},
        {"blocks": [echo("bad")]}, {"blocks": [{"text": "two"}]},
    ]});
    let path = place.script(&script);
    let args = ["serve", "--permission", "full", "--script", &path];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    let wrong = json!({"config": {"mcpServers": {"x": {"args": ["y"]}}}});
    let refused = program.ask_refused("session/create", wrong);
    assert_eq!(refused["message"], "ignored the server `x`: `command` or `url` is missing");
    // It takes the place of the user's own one.
    program.ask("session/create", json!({"config": {"mcpServers": {"bad": server("plain")}}}));
    let status = |program: &mut Program| -> Vec<(String, String, usize)> {
        let listed = program.ask("mcp/list", json!({}));
        let listed = listed["servers"].as_array().unwrap().iter();
        let tools = |server: &Value| server["tools"].as_array().map_or(0, Vec::len);
        let row = |server: &Value| {
            let text = |key: &str| server[key].as_str().unwrap().to_owned();
            (text("name"), text("status"), tools(server))
        };
        listed.map(row).collect()
    };
    let row = |name: &str, status: &str, tools| (name.to_owned(), status.to_owned(), tools);
    assert_eq!(status(&mut program), [row("bad", "idle", 0), row("own", "idle", 0)]);
    let result = |program: &mut Program| -> String {
        program.prompt("go");
        let done = program.until(|message| {
            let event = &message["params"]["event"];
            event["type"] == "item.completed" && event["item"]["type"] == "toolCall"
        });
        program.until_event("turn.completed");
        done["params"]["event"]["item"]["output"]["content"].to_string()
    };
    assert!(result(&mut program).contains(r#""bad""#));
    assert_eq!(status(&mut program), [row("bad", "ready", 17), row("own", "ready", 17)]);
    program.ask("mcp/update", json!({"server": "bad", "enabled": false}));
    assert_eq!(status(&mut program)[0], row("bad", "off", 17));
    let refused = result(&mut program);
    assert!(refused.contains("disabled the MCP server `bad`"), "{refused}");
    let unknown = program.ask_refused("mcp/update", json!({"server": "none", "restart": true}));
    assert_eq!(unknown["message"], "unknown MCP server `none` in this session");
}

#[test]
fn a_server_asks_a_person_and_a_call_is_cancelled() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("plain"))]);
    let script = json!({"replies": [
        {"blocks": [call("mcp__bad__ask", json!({}))]}, {"blocks": [{"text": "asked"}]},
        {"blocks": [call("mcp__bad__slow", json!({}))]}, {"blocks": [{"text": "never"}]},
    ]});
    let path = place.script(&script);
    let args = ["serve", "--permission", "full", "--script", &path];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    let capabilities = json!({"approvals": {}, "questions": {}});
    let protocol = json!({"name": "pintle", "versions": ["2.0"]});
    program.ask("initialize", json!({"protocol": protocol, "capabilities": capabilities}));
    program.ask("session/create", json!({}));
    program.prompt("ask");
    for (wants, answer) in [
        ("The MCP server bad asks: Who are you?\n\nname", json!({"text": "Ann"})),
        ("The MCP server bad asks: Who are you?\n\ncolour", json!({"optionIds": ["2"]})),
    ] {
        let question = program.until(|message| message["method"] == "question/request");
        assert_eq!(question["params"]["text"], wants);
        program.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
    }
    let done = program.until(|message| {
        let event = &message["params"]["event"];
        event["type"] == "item.completed" && event["item"]["toolName"] == "mcp__bad__ask"
    });
    let said = done["params"]["event"]["item"]["output"]["content"][1]["text"].as_str().unwrap();
    let said: Value = serde_json::from_str(said).unwrap();
    assert_eq!(said, json!({"action": "accept", "content": {"name": "Ann", "colour": "g"}}));
    program.until_event("turn.completed");

    program.prompt("wait");
    program.until(|message| message["params"]["event"]["text"] == "1 of 2: half way\n");
    program.ask("turn/interrupt", json!({}));
    program.until_event("turn.completed");
    // The server was told, and says so.
    until(|| program.ask("mcp/list", json!({})).to_string().contains("it was cancelled"));
}

#[test]
fn a_call_that_becomes_a_task_is_followed_to_its_end() {
    let place = Place::new(&[]);
    let mut with_limit = server("tasks");
    with_limit["timeout_s"] = json!(1);
    configure(&place, &[("bad", server("tasks")), ("quick", with_limit)]);
    let calls =
        ["bad__works", "bad__fails", "bad__lost", "bad__asks", "bad__pesters", "quick__hangs"];
    let calls: Vec<Value> =
        calls.iter().map(|name| call(&format!("mcp__{name}"), json!({}))).collect();
    let (mut results, _) = run(&place, FULL, &calls);
    let pestered = results.remove(4);
    let wanted = "failed: the MCP server `bad` is not usable: it asked 20 follow-up questions.";
    assert!(pestered.starts_with(wanted), "{pestered}");
    assert_eq!(
        results,
        [
            "completed: worked in 3 steps",
            "failed: The MCP server `bad` failed: it returned an error: out of paper",
            "failed: The MCP server `bad` failed: it returned an error: it cancelled the task",
            // Nobody is there to ask.
            r#"completed: {"q1": {"action": "cancel"}}"#,
            "failed: the MCP server `quick` is not usable: it did not respond within 1 s. Continue without it, or tell the user.",
        ]
    );

    let script = json!({"replies": [
        {"blocks": [call("mcp__bad__asks", json!({}))]}, {"blocks": [{"text": "asked"}]},
        {"blocks": [call("mcp__bad__endless", json!({}))]}, {"blocks": [{"text": "never"}]},
    ]});
    let path = place.script(&script);
    let args = ["serve", "--permission", "full", "--script", &path];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    let protocol = json!({"name": "pintle", "versions": ["2.0"]});
    program.ask("initialize", json!({"protocol": protocol, "capabilities": {"questions": {}}}));
    program.ask("session/create", json!({}));
    program.prompt("ask");
    let question = program.until(|message| message["method"] == "question/request");
    assert_eq!(question["params"]["text"], "The MCP server bad asks: Sure?\n\nsure");
    program.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"optionIds": ["1"]}}));
    let done = program.until(|message| {
        let event = &message["params"]["event"];
        event["type"] == "item.completed" && event["item"]["toolName"] == "mcp__bad__asks"
    });
    let said = done["params"]["event"]["item"]["output"]["content"][1]["text"].as_str().unwrap();
    let said: Value = serde_json::from_str(said).unwrap();
    assert_eq!(said, json!({"q1": {"action": "accept", "content": {"sure": true}}}));
    program.until_event("turn.completed");

    program.prompt("wait");
    program.until(|message| message["params"]["event"]["text"] == "step 2\n");
    program.ask("turn/interrupt", json!({}));
    program.until_event("turn.completed");
    until(|| program.ask("mcp/list", json!({})).to_string().contains("endless was cancelled"));
}

#[test]
fn a_person_calls_prompts_and_mentions_resources() {
    let place = Place::new(&[]);
    configure(&place, &[("bad", server("plain"))]);
    let said = |text: &str| json!({"blocks": [{"text": text}]});
    let replies = vec![said("done"); 5];
    let path = place.script(&json!({ "replies": replies }));
    let mut program = Program::start(place.engine(&["serve", "--script", &path]), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    for (text, wants) in [
        (
            "/mcp__bad__greet Ann 'very well' and so",
            r#"greet {"how": "very well and so", "who": "Ann"}"#,
        ),
        ("/mcp__bad__greet", "[the prompt mcp__bad__greet requires `who`]"),
        ("read @bad:note:7, please", "the text of note:7"),
        ("nothing of @other:note:7", "nothing of @other:note:7"),
    ] {
        program.prompt(text);
        program.until_event("turn.completed");
        let sent = program.ask("context/read", json!({}))["messages"].as_array().unwrap().clone();
        let read = |message: &&Value| message["role"] == "user";
        let last = sent.iter().rev().find(read).unwrap().to_string();
        assert!(
            last.contains(&json!(wants).to_string().trim_matches('"').to_owned()),
            "{text}: {last}"
        );
    }
    let listed = program.ask("prompt/list", json!({}))["prompts"].clone();
    let greet = json!({"name": "mcp__bad__greet", "description": "Greets", "argumentHint": "<who> [how]", "path": "mcp:bad"});
    assert_eq!(listed, json!([greet]));
}

#[test]
fn a_server_ends_with_the_last_session_that_uses_it() {
    let place = Place::new(&[]);
    let mark = place.path("mark").to_str().unwrap().to_owned();
    let mut table = server("plain");
    table["args"].as_array_mut().unwrap().push(json!(mark));
    configure(&place, &[("bad", table)]);
    let said = json!({"blocks": [{"text": "done"}]});
    let path = place.script(&json!({"replies": [said, said]}));
    let mut program = Program::start(place.engine(&["serve", "--script", &path]), Framing::Lines);
    program.initialize();
    let sessions: Vec<Value> = (0..2)
        .map(|_| {
            let made = program.ask("session/create", json!({}));
            let input = json!([{"type": "text", "text": "go"}]);
            program.ask("turn/start", json!({"sessionId": made["sessionId"], "input": input}));
            program.until_event("turn.completed");
            made["sessionId"].clone()
        })
        .collect();
    // Both share one.
    let starts = std::fs::read_to_string(place.path("starts.txt")).unwrap();
    assert_eq!(starts.lines().count(), 1);
    assert!(is_running(&mark));
    program.ask("session/close", json!({"sessionId": sessions[0]}));
    let listed = program.ask("mcp/list", json!({"sessionId": sessions[1]}));
    assert_eq!(listed["servers"][0]["status"], "ready");
    program.ask("session/close", json!({"sessionId": sessions[1]}));
    until(|| !is_running(&mark));
}
