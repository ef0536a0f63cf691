//! Pi's RPC through the program: what a person runs, calls and allows, and what is set.

use crate::support::pi::{Pi, engine, roles, tell, words};
use crate::support::program::Place;
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn what_a_person_runs_gets_into_the_conversation() {
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &words(&["one", "two"]), &[]);
    pi.prompt("first");
    let ran = pi.data(json!({"type": "bash", "command": "echo out; echo err >&2; exit 3"}));
    assert_eq!(
        ran,
        json!({"output": "out\nerr\n", "exitCode": 3, "cancelled": false, "truncated": false})
    );
    pi.data(json!({"type": "bash", "command": "echo secret", "excludeFromContext": true}));
    let id = pi.command(json!({"type": "bash", "command": "echo begun; sleep 100"}));
    pi.until(|line| line["type"] == "bash_execution_update" && line["id"] == id);
    pi.ask(json!({"type": "abort_bash"}));
    let stopped = pi.seen.iter().find(|line| line["type"] == "response" && line["id"] == id);
    let stopped = stopped.cloned().unwrap_or_else(|| pi.until(|line| line["id"] == id));
    assert_eq!(
        stopped["data"],
        json!({"output": "begun\n", "cancelled": true, "truncated": false})
    );
    pi.prompt("second");
    let messages = pi.data(json!({"type": "get_messages"}));
    assert_eq!(
        roles(&messages),
        [
            "system",
            "user",
            "assistant",
            "bashExecution",
            "bashExecution",
            "bashExecution",
            "user",
            "assistant"
        ]
    );
    assert_eq!(messages["messages"][4]["excludeFromContext"], true);
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    let read = journal.lines().filter(|line| line.contains("engineMessage")).count();
    assert_eq!(read, 2, "the model reads what was not excluded");
    assert!(journal.contains("The person ran `echo out; echo err >&2; exit 3`"), "{journal}");
}

#[test]
fn a_skill_is_called_by_its_name() {
    let file = "---\nname: mine\ndescription: my skill\n---\nDo it so.\n";
    let place =
        Place::new(&[(".agents/skills/mine/SKILL.md", file), (".pintle/prompts/p.md", "P $1")]);
    let mut pi = Pi::on_script(&place, &words(&["one", "two", "three"]), &[]);
    let commands = pi.data(json!({"type": "get_commands"}))["commands"].clone();
    let named: Vec<(&str, &str)> = commands
        .as_array()
        .unwrap()
        .iter()
        .map(|command| (command["name"].as_str().unwrap(), command["source"].as_str().unwrap()))
        .collect();
    assert_eq!(named, [("p", "prompt"), ("skill:mine", "skill")]);
    for (said, want) in [
        (
            "/skill:mine  with care",
            "<skill name=\"mine\" location=\"DIR/SKILL.md\">\nPaths in it are relative to DIR.\n\nDo it so.\n</skill>\n\nwith care",
        ),
        (
            "/skill:mine",
            "<skill name=\"mine\" location=\"DIR/SKILL.md\">\nPaths in it are relative to DIR.\n\nDo it so.\n</skill>",
        ),
        ("/skill:nope x", "/skill:nope x"),
        ("/nope x", "/nope x"),
        ("/p x", "P x"),
    ] {
        pi.seen.clear();
        pi.prompt(said);
        let want = want.replace("DIR", place.path(".agents/skills/mine").to_str().unwrap());
        let heard = pi.seen.iter().find(|line| line["message"]["role"] == "user").unwrap();
        assert_eq!(heard["message"]["content"][0]["text"], want, "{said}");
    }
}

#[test]
fn commands_know_where_they_run() {
    let list = "env | grep -E '^(PI_(CODING_AGENT|SESSION_|PROVIDER|MODEL|REASONING)|AI_)' | grep -v _DIR= | sort";
    let script = json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": format!("{list} > model.txt")}}]},
        {"blocks": [{"text": "done"}]},
        {"blocks": [{"tool": "bash", "arguments": {"command": format!("{list} > later.txt")}}]},
        {"blocks": [{"text": "done"}]},
    ]});
    for (dialect, end) in [("current", "agent_settled"), ("legacy", "agent_end")] {
        let place = Place::new(&[]);
        let mut pi = Pi::on_script(&place, &script, &["--pi-dialect", dialect]);
        let want = |pi: &mut Pi, level: &str| {
            let state = pi.data(json!({"type": "get_state"}));
            let text = |key: &str| state[key].as_str().unwrap().to_owned();
            let model = |key: &str| state["model"][key].as_str().unwrap().to_owned();
            if dialect == "legacy" {
                return "PI_CODING_AGENT=true\n".to_owned();
            }
            format!(
                "AI_AGENT=pi\nPI_CODING_AGENT=true\nPI_MODEL={}\nPI_PROVIDER={}\nPI_REASONING_LEVEL={level}\nPI_SESSION_FILE={}\nPI_SESSION_ID={}\n",
                model("id"),
                model("provider"),
                text("sessionFile"),
                text("sessionId"),
            )
        };
        pi.data(json!({"type": "prompt", "message": "go"}));
        pi.until_type(end);
        assert_eq!(place.read("model.txt"), want(&mut pi, "off"), "{dialect}");
        let own = pi.data(json!({"type": "bash", "command": list}));
        assert_eq!(own["output"], want(&mut pi, "off"), "{dialect}");
        pi.ask(json!({"type": "set_thinking_level", "level": "high"}));
        let own = pi.data(json!({"type": "bash", "command": list}));
        assert_eq!(own["output"], want(&mut pi, "high"), "{dialect}");
        pi.data(json!({"type": "prompt", "message": "go"}));
        pi.until_type(end);
        assert_eq!(place.read("later.txt"), want(&mut pi, "high"), "{dialect}");
        pi.data(json!({"type": "new_session"}));
        let own = pi.data(json!({"type": "bash", "command": list}));
        assert_eq!(own["output"], want(&mut pi, "high"), "{dialect}: another session");
    }
}

#[test]
fn a_permission_is_a_dialog_and_no_answer_is_a_no() {
    let script = json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo ran > ran"}}]},
        {"blocks": [{"text": "done"}]},
    ]});
    for (name, answer, runs) in [
        ("yes", json!({"confirmed": true}), true),
        ("no", json!({"confirmed": false}), false),
        ("cancelled", json!({"cancelled": true}), false),
        ("a value", json!({"value": "yes"}), false),
    ] {
        let place = Place::new(&[]);
        let mut pi = Pi::start(engine(&place, &script, &[]));
        pi.data(json!({"type": "prompt", "message": "go"}));
        let asked = pi.until(|line| line["method"] == "confirm");
        assert_eq!(asked["title"], "Allow bash?");
        assert!(asked["timeout"].as_u64().unwrap() > 0);
        let mut response = answer.clone();
        response["type"] = json!("extension_ui_response");
        response["id"] = asked["id"].clone();
        pi.send(&response);
        pi.until_type("agent_settled");
        assert_eq!(place.path("ran").exists(), runs, "{name}");
    }
    let place = Place::new(&[]);
    let mut pi = Pi::start(engine(&place, &script, &[]));
    pi.data(json!({"type": "prompt", "message": "go"}));
    let notice = pi.until(|line| line["method"] == "notify");
    assert!(notice["message"].as_str().unwrap().contains("--permission auto-edit"), "{notice}");
    pi.until(|line| line["method"] == "confirm");
    pi.end_input();
    pi.rest();
    assert_eq!(pi.wait().code(), Some(0));
    assert!(!place.path("ran").exists(), "nobody was there to allow it");
}

#[test]
fn settings_hold_for_the_session_and_write_no_file() {
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &words(&["one"]), &["--name", "given"]);
    for (command, want) in [
        (json!({"type": "set_thinking_level", "level": "high"}), ""),
        (json!({"type": "cycle_thinking_level"}), "= cycle_thinking_level {\"level\":\"xhigh\"}"),
        (json!({"type": "set_thinking_level", "level": "bogus"}), ""),
        (json!({"type": "set_thinking_level", "level": "xhigh"}), ""),
        (json!({"type": "set_steering_mode", "mode": "all"}), ""),
        (json!({"type": "set_follow_up_mode", "mode": "all"}), ""),
        (json!({"type": "set_auto_compaction", "enabled": false}), ""),
        (json!({"type": "set_session_name", "name": " other "}), ""),
    ] {
        let answer = pi.ask(command);
        assert_eq!(answer["success"], true, "{answer}");
        let told = tell(&[answer]);
        assert!(want.is_empty() || told.trim_end() == want, "{told}");
    }
    let events: Vec<Value> =
        pi.seen.iter().filter(|line| line["type"] != "response").cloned().collect();
    expect![[r#"
        thinking_level_changed {"level":"high"}
        thinking_level_changed {"level":"xhigh"}
        thinking_level_changed {"level":"off"}
        thinking_level_changed {"level":"xhigh"}
        session_info_changed {"name":"other"}
    "#]]
    .assert_eq(&tell(&events));
    let state = pi.data(json!({"type": "get_state"}));
    for (key, want) in [
        ("thinkingLevel", json!("xhigh")),
        ("steeringMode", json!("all")),
        ("followUpMode", json!("all")),
        ("autoCompactionEnabled", json!(false)),
        ("sessionName", json!("other")),
        ("isStreaming", json!(false)),
    ] {
        assert_eq!(state[key], want, "{key}");
    }
    assert!(!place.home().join("pi/settings.json").exists());
}

#[test]
fn models_and_settings_come_from_the_folder_of_pi() {
    let place = Place::new(&[]);
    let folder = place.home().join("pi");
    std::fs::create_dir_all(&folder).unwrap();
    let models = json!({"providers": {"mine": {"baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions", "apiKey": "k", "models": [
        {"id": "big", "name": "Big", "reasoning": false, "input": ["text"], "contextWindow": 1000, "maxTokens": 100, "cost": {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}},
        {"id": "small"},
    ]}}});
    std::fs::write(folder.join("models.json"), models.to_string()).unwrap();
    let settings = json!({"defaultProvider": "mine", "defaultModel": "big", "steeringMode": "all", "compaction": {"enabled": false}});
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    let mut process = place.engine(&["--mode", "rpc", "--no-session"]);
    process.env("PI_CODING_AGENT_DIR", &folder);
    let mut pi = Pi::start(process);
    let state = pi.data(json!({"type": "get_state"}));
    assert_eq!(state["model"]["id"], "big");
    assert_eq!(state["model"]["cost"]["output"], 2);
    assert_eq!(state["model"]["baseUrl"], "http://127.0.0.1:9/v1");
    assert_eq!(
        (&state["steeringMode"], &state["autoCompactionEnabled"]),
        (&json!("all"), &json!(false))
    );
    assert!(state.get("sessionFile").is_none());
    for (level, want) in [("high", "off"), ("bogus", "off"), ("off", "off")] {
        pi.ask(json!({"type": "set_thinking_level", "level": level}));
        let state = pi.data(json!({"type": "get_state"}));
        assert_eq!(state["thinkingLevel"], want, "{level}");
    }
    assert_eq!(
        pi.data(json!({"type": "get_available_thinking_levels"})),
        json!({"levels": ["off"]})
    );
    let known = pi.data(json!({"type": "get_available_models"}))["models"].clone();
    let own: Vec<&Value> =
        known.as_array().unwrap().iter().filter(|m| m["provider"] == "mine").collect();
    assert_eq!(own.len(), 2, "{known}");
    let set = pi.data(json!({"type": "set_model", "provider": "mine", "modelId": "small"}));
    assert_eq!(set["id"], "small");
    let refused = pi.ask(json!({"type": "set_model", "provider": "mine", "modelId": "huge"}));
    assert_eq!(refused["error"], "Model not found: mine/huge");
    let refused = pi.ask(json!({"type": "set_model", "provider": "nobody", "modelId": "x"}));
    assert!(
        refused["error"].as_str().unwrap().starts_with("Model not found: nobody/x"),
        "{refused}"
    );
    let refused = pi.ask(json!({"type": "export_html"}));
    assert_eq!(refused["error"], "Cannot export in-memory session to HTML");
}

#[test]
fn a_provider_that_fails_is_asked_again_as_the_settings_of_pi_say() {
    let place = Place::new(&[]);
    let folder = place.home().join("pi");
    std::fs::create_dir_all(&folder).unwrap();
    let settings = json!({"retry": {"maxRetries": 2, "baseDelayMs": 20}});
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    let failure = json!({"error": {"kind": "overloaded", "message": "503 busy"}});
    let script = json!({"replies": [failure, failure, failure]});
    let mut process = engine(&place, &script, &[]);
    process.env("PI_CODING_AGENT_DIR", &folder);
    let mut pi = Pi::start(process);
    pi.prompt("go");
    let told = tell(&pi.seen);
    let waits: Vec<&str> = told.lines().filter(|line| line.starts_with("auto_retry_")).collect();
    assert_eq!(waits.len(), 3, "{told}");
    assert!(
        waits[0].contains("\"delayMs\":20,") && waits[0].contains("\"maxAttempts\":2"),
        "{told}"
    );
    assert!(waits[1].contains("\"delayMs\":40,"), "{told}");
    assert!(waits[2].contains("\"success\":false"), "{told}");
}

/// The key that a provider is asked with, on a machine whose Pi has keys.
fn key_sent(of_models: &Value, variable: Option<&str>) -> String {
    let place = Place::new(&[]);
    let folder = place.home().join("pi");
    std::fs::create_dir_all(&folder).unwrap();
    let auth = json!({
        "openai": {"type": "api_key", "key": "sk-from-pi"},
        "anthropic": {"type": "oauth", "access": "secret-token"},
    });
    let file = folder.join("auth.json");
    std::fs::write(&file, auth.to_string()).unwrap();
    std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", server.local_addr().unwrap());
    let mut openai = json!({"baseUrl": url});
    openai.as_object_mut().unwrap().extend(of_models.as_object().unwrap().clone());
    let models = json!({"providers": {"openai": openai}});
    std::fs::write(folder.join("models.json"), models.to_string()).unwrap();
    let mut process = place.command(&["rpc", "--provider", "openai"]);
    process.env("PI_CODING_AGENT_DIR", &folder).env("PINTLE_RETRIES", "0");
    process.envs(variable.map(|value| ("OPENAI_API_KEY", value)));
    process.stderr(std::process::Stdio::piped());
    let mut pi = Pi::start(process);
    let shows = pi.data(json!({"type": "bash", "command": "env"}))["output"].to_string();
    let models = pi.data(json!({"type": "get_available_models"}))["models"].to_string();
    pi.data(json!({"type": "prompt", "message": "hello"}));
    let (connection, _) = server.accept().unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(connection));
    let mut heads = lines.map_while(Result::ok).take_while(|line| !line.is_empty());
    let sent = heads.find_map(|head| Some(head.split_once("earer ")?.1.to_owned()));
    // The provider hangs up.
    drop((heads, server));
    pi.end_input();
    pi.wait();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut pi.child.stderr(), &mut said).unwrap();
    let all = format!("{said}{shows}{models}");
    assert!(!all.contains("sk-") && !all.contains("secret-token"), "{all}");
    assert_eq!(said.matches("auth.json").count(), 1, "{said}");
    assert!(said.contains("`anthropic` is a subscription"), "{said}");
    sent.unwrap_or_default()
}

#[test]
fn keys_that_were_given_to_pi_are_used_where_there_are_no_others() {
    for (name, models, variable, want) in [
        ("there is no other", json!({}), None, "sk-from-pi"),
        ("a variable", json!({}), Some("sk-variable"), "sk-variable"),
        ("the settings", json!({"apiKey": "sk-settings"}), None, "sk-settings"),
    ] {
        assert_eq!(key_sent(&models, variable), want, "{name}");
    }
}

#[test]
fn a_message_that_no_prompt_came_for_is_named() {
    let place = Place::new(&[]);
    let mut process = engine(&place, &words(&["one"]), &["--permission", "full"]).command();
    process.stderr(std::process::Stdio::piped());
    let mut pi = Pi::start(process);
    pi.prompt("first");
    // It knows that nothing runs.
    pi.data(json!({"type": "get_state"}));
    for (kind, text) in [("steer", "turn left"), ("follow_up", "go home")] {
        assert_eq!(pi.data(json!({"type": kind, "message": text}))["disposition"], "queued");
    }
    pi.end_input();
    assert_eq!(pi.wait().code(), Some(0));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut pi.child.stderr(), &mut said).unwrap();
    assert!(said.contains("not sent: turn left") && said.contains("not sent: go home"), "{said}");
}

#[test]
fn skills_and_prompts_are_those_of_the_project_of_pi_and_of_the_command_line() {
    let skill = "---\ndescription: a skill\n---\nDo it so.\n";
    let place = Place::new(&[
        (".agents/skills/found/SKILL.md", skill),
        (".pintle/prompts/found.md", "F"),
        ("pi/skills/pis/SKILL.md", skill),
        ("pi/prompts/pis.md", "P"),
        ("elsewhere/one/SKILL.md", skill),
        ("elsewhere/two/SKILL.md", skill),
        ("elsewhere/named.md", "N $1"),
    ]);
    let rows: [(&[&str], &str); 8] = [
        (&[], "found pis skill:found skill:pis"),
        (&["--no-skills"], "found pis"),
        (&["--no-skills", "--skill", "elsewhere/one"], "found pis skill:one"),
        (&["--no-skills", "--skill", "elsewhere/two/SKILL.md"], "found pis skill:two"),
        (&["--no-skills", "--skill", "elsewhere"], "found pis skill:one skill:two"),
        (&["--skill", "nowhere", "--no-prompt-templates"], "skill:found skill:pis"),
        (
            &["--no-prompt-templates", "--prompt-template", "elsewhere/named.md"],
            "named skill:found skill:pis",
        ),
        (
            &["--no-skills", "--prompt-template", "elsewhere", "--prompt-template", "pi/prompts"],
            "found named pis",
        ),
    ];
    for (args, want) in rows {
        let mut process = engine(&place, &words(&["ok"]), args);
        process.env("PI_CODING_AGENT_DIR", place.path("pi"));
        let mut pi = Pi::start(process);
        let commands = pi.data(json!({"type": "get_commands"}))["commands"].clone();
        let mut names: Vec<&str> = commands
            .as_array()
            .unwrap()
            .iter()
            .map(|command| command["name"].as_str().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names.join(" "), want, "{args:?}");
        if want.contains("named") {
            pi.prompt("/named x");
            let messages = pi.data(json!({"type": "get_messages"}));
            assert!(messages.to_string().contains("\"N x\""), "{args:?}: {messages}");
        }
    }
}

#[test]
fn documents_for_agents_are_told_unless_the_client_wants_none() {
    let place = Place::new(&[("AGENTS.md", "Speak of herrings.")]);
    for (args, is_told) in [(&[][..], true), (&["--no-context-files"], false)] {
        let mut pi = Pi::on_script(&place, &words(&["ok"]), args);
        pi.prompt("go");
        let messages = pi.data(json!({"type": "get_messages"}));
        let prompt = messages["messages"][0]["sections"].to_string();
        assert_eq!(prompt.contains("Speak of herrings."), is_told, "{args:?}: {prompt}");
    }
}
