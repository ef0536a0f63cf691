//! What users add and change, through the real program: providers and models from settings files alone, keys from commands,
//! edits while it runs.

use crate::providers::{chat, messages, serve};
use crate::support::program::{Framing, Place, Program, is_running};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::process::Stdio;

/// Writes a settings file of this place, whole at once, as editors do.
fn set(place: &Place, name: &str, text: &str) {
    std::fs::create_dir_all(place.home()).unwrap();
    let new = place.home().join("new");
    std::fs::write(&new, text).unwrap();
    // It may hold a key.
    std::fs::set_permissions(&new, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    std::fs::rename(new, place.home().join(name)).unwrap();
}

/// Runs one task and returns its result.
fn result_of(place: &Place, args: &[&str], vars: &[(&str, &str)]) -> Value {
    let mut command = place.command(&[&["run", "--format", "json", "hi"], args].concat());
    command.envs(vars.iter().copied()).stdin(Stdio::null());
    let out = command.output().unwrap();
    serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)))
}

#[test]
fn a_provider_of_a_settings_file_alone_answers() {
    // What stands in the file, the model, and what its request shows: path, headers, fields of the body.
    type Row<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, &'a [(&'a str, &'a str)], Value);
    let rows: [Row<'_>; 5] = [
        (
            "TOML, chat",
            "config.toml",
            "[providers.own]\nbase_url = \"URL/v1\"\napi = \"chat\"\nkey = \"Key $TOKEN\"\nauth = \"api-key\"\n\
             headers = { X-Team = \"${TEAM}-a\", X-Two = \"!echo two\" }\noutput_limit = \"max_completion_tokens\"\n\
             store = true\n[[providers.own.models]]\nid = \"m\"\nmax_output = 777\nefforts = { high = \"max\" }\n\
             extra_body = { stream_options = { x = 1 }, top_k = 5 }\n",
            "own/m:high",
            "/v1/chat/completions",
            &[("api-key", "Key t-1"), ("x-team", "red-a"), ("x-two", "two")],
            json!({"max_completion_tokens": 777, "store": false, "reasoning_effort": "max", "top_k": 5,
                "stream_options": {"include_usage": true, "x": 1}}),
        ),
        (
            "JSON, messages",
            "models.json",
            "{ // mine\n\"providers\": {\"own\": {\"base_url\": \"URL\", \"api\": \"messages\", \"key\": \"$TOKEN\",\n\
             \"models\": {\"m\": {\"max_output\": 777,}},}},}",
            "own/m",
            "/v1/messages",
            &[("x-api-key", "t-1")],
            json!({"max_tokens": 777}),
        ),
        (
            "Pi's, with the model's own API",
            "models.json",
            r#"{"providers": {"own": {"baseUrl": "URL", "api": "anthropic-messages", "apiKey": "TOKEN", "authHeader": true,
                "models": [{"id": "m", "api": "openai-completions", "maxTokens": 777, "reasoning": false,
                            "compat": {"supportsUsageInStreaming": false}}]}}}"#,
            "own/m:high",
            "/v1/chat/completions",
            &[("authorization", "Bearer t-1")],
            json!({"max_tokens": 777, "stream_options": null, "reasoning_effort": null}),
        ),
        (
            "a built-in one elsewhere",
            "config.toml",
            "[providers.deepseek]\nbase_url = \"$URL_VAR/v1\"\nkey = \"!echo t-2\"\n",
            "deepseek/deepseek-v4-pro",
            "/v1/chat/completions",
            &[("authorization", "Bearer t-2")],
            json!({"model": "deepseek-v4-pro"}),
        ),
        (
            "a built-in one with a header",
            "config.toml",
            "[providers.openai]\nheaders = { X-Team = \"blue\" }\nmodels.m = { system_role = \"developer\" }\n",
            "openai/m",
            "/v1/chat/completions",
            &[("authorization", "Bearer t-3"), ("x-team", "blue")],
            json!({}),
        ),
    ];
    for (name, file, text, model, path, headers, body) in rows {
        let said = ("hello", None);
        let reply = if path == "/v1/messages" { messages(&said) } else { chat(&said) };
        let (url, served) = serve(vec![(200, reply)]);
        let place = Place::new(&[]);
        set(&place, file, &text.replace("URL", &url).replace(&format!("{url}_VAR"), "URL_VAR"));
        let openai = format!("{url}/v1");
        let vars = [
            ("TOKEN", "t-1"),
            ("TEAM", "red"),
            ("URL_VAR", &url),
            ("OPENAI_BASE_URL", &openai),
            ("OPENAI_API_KEY", "t-3"),
        ];
        let result = result_of(&place, &["--model", model], &vars);
        assert_eq!(result["text"], "hello", "{name}: {result}");
        let requests = served.join().unwrap();
        let request = &requests[0];
        assert_eq!(request.path, path, "{name}");
        for (header, value) in headers {
            assert_eq!(request.header(header), Some(*value), "{name}: {header}");
        }
        let sent = request.json();
        for (key, value) in body.as_object().unwrap() {
            assert_eq!(&sent[key], value, "{name}: {key}");
        }
    }
}

#[test]
fn pis_own_file_is_read_where_it_is_when_a_setting_says_so() {
    let (url, served) = serve(vec![(200, chat(&("hello", None)))]);
    let place = Place::new(&[]);
    let pis = place.home().parent().unwrap().join(".pi/agent");
    std::fs::create_dir_all(&pis).unwrap();
    let file = format!(
        r#"{{ "providers": {{ "mine": {{ "baseUrl": "{url}", "api": "openai-completions", "apiKey": "k",
            "models": [{{ "id": "m", "cost": {{ "input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0 }} }}] }} }} }}"#
    );
    std::fs::write(pis.join("models.json"), file).unwrap();
    let without = place.command(&["run", "--model", "mine/m", "hi"]).output().unwrap();
    assert_eq!(without.status.code(), Some(2));
    let told = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(told.contains("unknown provider `mine`"), "{told}");

    set(&place, "config.toml", "models_files = [\"~/.pi/agent/models.json\"]\n");
    let result = result_of(&place, &["--model", "mine/m"], &[]);
    // 10 tokens of input and 20 of output, at 1 and 2 dollars for a million.
    assert_eq!((&result["text"], &result["costNanoUsd"]), (&json!("hello"), &json!(50_000)));
    assert_eq!(served.join().unwrap()[0].header("authorization"), Some("Bearer k"));
}

#[test]
fn what_a_provider_of_ones_own_lacks_is_told() {
    let own = |more: &str| {
        format!("[providers.own]\nbase_url = \"http://127.0.0.1:1\"\napi = \"chat\"\n{more}\n")
    };
    let (no_place, no_api) = (
        "[providers.own]\napi = \"chat\"\n".to_owned(),
        "[providers.own]\nbase_url = \"http://127.0.0.1:1\"\n".to_owned(),
    );
    let no_var = "[providers.own]\nbase_url = \"$NO\"\napi = \"chat\"\n".to_owned();
    let failing = own("key = \"!echo sk-$((6 * 7)); echo sk-$((6 * 7)) >&2; exit 3\"");
    // The file, the code, what the message says and what the hint does.
    let rows = [
        (
            own("key = \"$NO_KEY\""),
            "authRequired",
            "no key for own",
            "HOME/config.toml reads it from NO_KEY",
        ),
        (
            own("key_vars = [\"A_KEY\", \"B_KEY\"]"),
            "authRequired",
            "no key for own",
            "reads it from A_KEY or B_KEY",
        ),
        (
            own("headers = { A = \"x $NO\" }"),
            "authRequired",
            "the header A for own requires NO",
            "set NO",
        ),
        (no_var, "authRequired", "the URL of own requires NO", "set NO"),
        (no_place, "config", "the provider `own` has no URL", "`base_url` in HOME/config.toml"),
        (no_api, "config", "the API of `own` is unknown", "--api chat"),
        (
            failing,
            "auth",
            "the key command failed with exit code 3",
            "run it yourself to see why: echo sk-$((6 * 7))",
        ),
        (
            own("headers = { A = \"!true\" }"),
            "auth",
            "the key command printed nothing",
            "run it yourself to see why: true",
        ),
    ];
    for (config, code, message, hint) in rows {
        let place = Place::new(&[]);
        set(&place, "config.toml", &config);
        let mut program =
            Program::start(place.engine(&["serve", "--model", "own/m"]), Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({}));
        let started = program.prompt("hi");
        let error = match started.get("data") {
            Some(data) => {
                json!({"code": data["code"], "message": started["message"], "hint": data["hint"]})
            }
            None => program.until_event("turn.completed")["error"].take(),
        };
        assert_eq!(error["code"], code, "{config}: {error}");
        assert!(error["message"].as_str().unwrap().contains(message), "{config}: {error}");
        let told = error["hint"].as_str().unwrap().replace(place.home().to_str().unwrap(), "HOME");
        assert!(told.contains(hint), "{config}: {told}");
        // What the command printed is nowhere.
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        assert!(!journal.contains("sk-42") && !error.to_string().contains("sk-42"), "{config}");
    }
}

#[test]
fn a_key_that_expired_is_printed_anew_once() {
    let refused = || (401, json!({"error": {"message": "token expired"}}).to_string());
    let hello = || (200, chat(&("hello", None)));
    // Answers of the server, how often the command ran, how the two turns end.
    let rows = [
        ("nothing is refused", vec![hello(), hello()], "1", ["completed", "completed"]),
        ("the first is", vec![refused(), hello(), hello()], "2", ["completed", "completed"]),
        ("the second is", vec![hello(), refused(), hello()], "2", ["completed", "completed"]),
        ("the new one too", vec![refused(), refused(), hello()], "2", ["failed", "completed"]),
    ];
    for (name, answers, runs, want) in rows {
        let (url, served) = serve(answers);
        let place = Place::new(&[]);
        let count = place.path("runs");
        let count = count.to_str().unwrap();
        let command = format!("!echo x >> {count}; echo token-$(wc -l < {count} | tr -d ' ')");
        let config =
            format!("[providers.own]\nbase_url = \"{url}\"\napi = \"chat\"\nkey = \"{command}\"\n");
        set(&place, "config.toml", &config);
        let mut program =
            Program::start(place.engine(&["serve", "--model", "own/m"]), Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({}));
        let mut ended = || {
            program.prompt("hi");
            program.until_event("turn.completed")["status"].as_str().unwrap().to_owned()
        };
        assert_eq!([ended(), ended()], want, "{name}");
        let requests = served.join().unwrap();
        let last = requests.last().unwrap().header("authorization").unwrap();
        assert_eq!(last, format!("Bearer token-{runs}"), "{name}");
        let ran = std::fs::read_to_string(count).unwrap().lines().count().to_string();
        assert_eq!(ran, runs, "{name}");
        assert!(program.seen.iter().all(|message| !message.to_string().contains("token-")));
    }
}

#[test]
fn a_turn_that_waits_for_a_key_can_be_stopped() {
    let place = Place::new(&[]);
    set(
        &place,
        "config.toml",
        "[providers.own]\nbase_url = \"http://127.0.0.1:1\"\napi = \"chat\"\nkey = \"!sleep 61.0625\"\n",
    );
    let mut program = Program::start(place.engine(&["serve", "--model", "own/m"]), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("hi");
    until(|| is_running("61.0625"));
    program.ask("turn/interrupt", json!({}));
    assert_eq!(program.until_event("turn.completed")["status"], "interrupted");
    until(|| !is_running("61.0625"));
}

#[test]
fn an_edit_holds_from_the_next_turn_on() {
    let (first_url, first) = serve(vec![(200, chat(&("one", None)))]);
    let (second_url, second) =
        serve(vec![(200, chat(&("two", None))), (200, chat(&("three", None)))]);
    let config = |url: &str, key: &str| {
        format!("[providers.own]\nbase_url = \"{url}\"\napi = \"chat\"\nkey = \"{key}\"\n")
    };
    let place = Place::new(&[]);
    set(&place, "config.toml", &config(&first_url, "k-1"));
    let mut program = Program::start(place.engine(&["serve", "--model", "own/m"]), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    let home = place.home();
    let mut turn = |name: &str| {
        let from = program.seen.len();
        program.prompt("hi");
        let end = program.until_event("turn.completed");
        assert_eq!(end["status"], "completed", "{name}: {end}");
        let events = program.seen[from..].iter().map(|message| &message["params"]["event"]);
        let text = events.clone().filter(|event| event["type"] == "item.completed");
        let text = text.filter_map(|event| event["item"]["text"].as_str()).next_back().unwrap();
        let notices = events.filter(|event| event["type"] == "session.notice");
        let notices = notices.map(|event| {
            let of = |key: &str| event[key].as_str().unwrap_or_default();
            let told = format!("{} {}: {}", of("level"), of("code"), of("message"));
            told.replace(home.to_str().unwrap(), "HOME")
        });
        (text.to_owned(), notices.collect::<Vec<_>>())
    };
    let none = Vec::<String>::new();
    assert_eq!(turn("as it began"), ("one".to_owned(), none.clone()));

    set(
        &place,
        "models.json",
        &format!("{{\"providers\": {{\"own\": {{\"baseUrl\": \"{second_url}\"}}}}}}"),
    );
    set(&place, "config.toml", "[providers.own]\napi = \"chat\"\nkey = \"k-2\"\n");
    assert_eq!(turn("edited"), ("two".to_owned(), none));

    set(&place, "config.toml", "[providers.own]\napi = \"soap\"\nkey = \"k-3\"\n");
    let want = "error config: HOME/config.toml:2:7: `providers.own.api` must be one of \"messages\", \"chat\", \"responses\", \"gemini\"";
    assert_eq!(turn("broken"), ("three".to_owned(), vec![want.to_owned()]));

    let keys = |served: std::thread::JoinHandle<Vec<crate::support::server::Received>>| {
        let requests = served.join().unwrap();
        let key = |request: &crate::support::server::Received| {
            request.header("authorization").unwrap().to_owned()
        };
        requests.iter().map(key).collect::<Vec<_>>()
    };
    assert_eq!(keys(first), ["Bearer k-1"]);
    assert_eq!(keys(second), ["Bearer k-2", "Bearer k-2"]);

    // It is told once; who asks for the list is told as long as it is so.
    program.prompt("hi");
    let end = program.until_event("turn.completed");
    assert_eq!(end["error"]["code"], "network", "the server is gone: {end}");
    let told =
        program.seen.iter().filter(|m| m["params"]["event"]["type"] == "session.notice").count();
    assert_eq!(told, 1);
    let list = program.ask("models/list", json!({}));
    assert!(list["problems"][0].as_str().unwrap().contains("providers.own.api"), "{list}");
}

#[test]
fn the_list_is_that_of_the_moment_and_the_same_on_the_command_line() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &json!({"replies": []}), Framing::Lines);
    assert_eq!(
        program.ask("models/list", json!({}))["models"][0]["source"].as_str().map(str::is_empty),
        Some(false)
    );

    let mut program = Program::start(place.engine(&["serve", "--model", "own/m"]), Framing::Lines);
    program.initialize();
    let of = |list: &Value, key: &str, field: &str, name: &str| {
        list[key].as_array().unwrap().iter().find(|row| row[field] == name).cloned()
    };
    let before = program.ask("models/list", json!({}));
    assert_eq!(of(&before, "providers", "name", "own"), None);
    let built_in = of(&before, "models", "model", "openai/gpt-5.4").unwrap();

    let file = r#"{"providers": {
        "own": {"baseUrl": "https://me:secret@h/v1?key=secret", "api": "openai-completions", "apiKey": "$OWN_KEY",
            "models": [{"id": "m", "name": "Mine", "contextWindow": 5000, "input": ["text"], "cost": {"input": 1, "output": 2}}]},
        "openai": {"models": {"gpt-5.4": {"window": 7, "price": {"input": 0.5}, "profile": "gemini"}}}}}"#;
    set(&place, "models.json", file);
    let list = program.ask("models/list", json!({}));
    let path = place.home().join("models.json").to_str().unwrap().to_owned();
    assert_eq!(
        of(&list, "providers", "name", "own").unwrap(),
        json!({"name": "own", "api": "chat", "url": "https://h/v1/chat/completions", "key": "missing",
               "keyVar": "OWN_KEY", "source": path})
    );
    assert_eq!(
        of(&list, "models", "model", "own/m").unwrap(),
        json!({"model": "own/m", "name": "Mine", "window": 5000,
               "price": {"inputUsdPerMtok": 1.0, "outputUsdPerMtok": 2.0},
               "vision": false, "profile": "pi", "source": path})
    );
    let mut want = built_in.clone();
    want["window"] = json!(7);
    want["price"]["inputUsdPerMtok"] = json!(0.5);
    want["profile"] = json!("gemini");
    want["source"] = json!(format!("{path}, over: {}", built_in["source"].as_str().unwrap()));
    assert_eq!(of(&list, "models", "model", "openai/gpt-5.4").unwrap(), want);

    for (args, key) in
        [(&["models", "--json"][..], "models"), (&["models", "--providers", "--json"], "providers")]
    {
        let out = place.command(args).output().unwrap();
        let lines = String::from_utf8(out.stdout).unwrap();
        let rows: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(Value::Array(rows), list[key], "{args:?}");
    }
    let shown =
        |args: &[&str]| String::from_utf8(place.command(args).output().unwrap().stdout).unwrap();
    assert!(shown(&["models", "own/m"]).trim_end().ends_with(&path));
    for (model, limit) in [("own/m", " 5k in "), ("openai/gpt-5.4", " 7 in ")] {
        let shown = shown(&["models", model]);
        assert!(shown.contains(limit), "{shown}");
    }
    let doctor = shown(&["doctor"]);
    assert!(doctor.contains(&format!("models    {path}: found")), "{doctor}");
    let key = format!("OWN_KEY: not set ({path})");
    let mut rows = doctor.lines().map(str::trim);
    assert!(rows.any(|row| row.starts_with("own ") && row.ends_with(&key)), "{doctor}");
}

#[test]
fn a_catalog_of_a_later_date_is_installed_and_removed() {
    // The catalog is one for each process.
    let place = Place::new(&[]).with_processes();
    let file = place.home().join("new.json");
    let stored = place.home().join("catalog.json");
    let write = |date: &str, models: Value| {
        std::fs::create_dir_all(place.home()).unwrap();
        std::fs::write(&file, json!({ "date": date, "models": models }).to_string()).unwrap();
    };
    let row = |id: &str, price: Value| {
        json!({"provider": "openai", "id": id, "window": 9000, "price": price,
               "source": "example.test/prices", "checked": "2026-11"})
    };
    // The exit code and the output.
    let models = |args: &[&str]| {
        let out = place.command(&[&["models"], args].concat()).output().unwrap();
        let said = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        (out.status.code().unwrap(), said)
    };
    let update = || models(&["--update", file.to_str().unwrap()]);
    let shown = |id: &str| models(&[&format!("openai/{id}")]);
    let free = json!({"input": 0.0, "output": 0.0});

    assert_eq!(models(&["--reset"]), (0, "no catalog update is installed\n".to_owned()));
    assert!(shown("gpt-5.4").1.contains("built in, 2026-"), "{:?}", shown("gpt-5.4"));

    let mut engine =
        Program::start(place.engine(&["serve", "--model", "openai/gpt-5.4"]), Framing::Lines);
    engine.initialize();
    let known = |list: &Value| {
        list["models"].as_array().unwrap().iter().any(|row| row["model"] == "openai/gpt-77")
    };
    assert!(!known(&engine.ask("models/list", json!({}))));

    write("2026-11-28", json!([row("gpt-77", free.clone()), row("gpt-5.4", free)]));
    let (code, said) = update();
    assert_eq!((code, said.starts_with("2 models of 2026-11-28 installed")), (0, true), "{said}");
    for id in ["gpt-77", "gpt-5.4"] {
        let (code, said) = shown(id);
        let is_shown = said.contains("9k in") && said.contains("$0 in, $0 out");
        assert!(code == 0 && is_shown && said.contains("catalog update of 2026-11-28"), "{said}");
    }
    assert!(
        models(&["--json", "gpt-77"])
            .1
            .contains("example.test/prices (catalog update of 2026-11-28)")
    );
    assert!(!known(&engine.ask("models/list", json!({}))), "a running engine keeps its catalog");
    let mut engine =
        Program::start(place.engine(&["serve", "--model", "openai/gpt-5.4"]), Framing::Lines);
    engine.initialize();
    assert!(known(&engine.ask("models/list", json!({}))));

    // What is refused changes nothing.
    let before = std::fs::read(&stored).unwrap();
    write("2026-11-28", json!([row("gpt-78", json!({"input": 1}))]));
    let (code, said) = update();
    assert!(code != 0 && said.contains("models[0].price: missing field `output`"), "{code} {said}");
    write("2020-01-01", json!([row("gpt-78", json!({"input": 1, "output": 1}))]));
    let (code, said) = update();
    assert!(
        code == 0 && said.contains("is ignored: it is of 2020-01-01, older than"),
        "{code} {said}"
    );
    for wrong in [place.home(), place.home().join("missing")] {
        let (code, said) = models(&["--update", wrong.to_str().unwrap()]);
        assert!(code != 0 && said.contains("cannot read the catalog"), "{code} {said}");
    }
    assert_eq!(std::fs::read(&stored).unwrap(), before);

    // A stored update that became too old, or was damaged, is ignored and reported.
    for (text, why) in [
        (std::fs::read_to_string(&file).unwrap(), "older than the built-in catalog"),
        ("{".to_owned(), "EOF while parsing"),
    ] {
        std::fs::write(&stored, text).unwrap();
        let (code, said) = shown("gpt-5.4");
        let is_told = said.contains("catalog.json: ignored: ") && said.contains(why);
        assert!(code == 0 && is_told && said.contains("built in, "), "{said}");
        let doctor = place.command(&["doctor"]).output().unwrap();
        let report = String::from_utf8(doctor.stdout).unwrap();
        let is_told = report.contains("catalog.json: ignored: ") && report.contains(why);
        assert!(is_told && report.contains("`pintle models --reset` removes it"), "{report}");
    }
    assert!(models(&["--reset"]).1.starts_with("catalog update removed"));
    assert_eq!(shown("gpt-77").0, 2);

    // The data directory cannot be written.
    write("2026-11-28", json!([row("gpt-77", json!({"input": 1, "output": 1}))]));
    std::fs::create_dir(&stored).unwrap();
    let (code, said) = update();
    assert!(code != 0 && said.contains("cannot write "), "{code} {said}");
}

#[test]
fn an_update_of_the_catalog_is_complete_or_absent() {
    let place = Place::new(&[]).with_processes();
    std::fs::create_dir_all(place.home()).unwrap();
    let stored = place.home().join("catalog.json");
    let [first, second] = ["first", "second"].map(|name| {
        let file = place.home().join(name);
        let rows = (0..200).map(|number| {
            json!({"provider": "openai", "id": format!("{name}-{number}"), "window": 9000,
                   "price": {"input": 1, "output": 1}, "source": "example.test/prices", "checked": "2026-11"})
        });
        let models: Vec<Value> = rows.collect();
        let text = json!({"date": "2026-11-28", "models": models}).to_string();
        std::fs::write(&file, &text).unwrap();
        (file.to_str().unwrap().to_owned(), text)
    });
    let leftovers = || {
        let entries = std::fs::read_dir(place.home()).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(".catalog-")).collect::<Vec<_>>()
    };

    // A full disk changes nothing, whether an update is installed or not.
    let without_room = |file: &str| {
        let out = place.limited_command(0, &["models", "--update", file]).output().unwrap();
        (out.status.success(), String::from_utf8(out.stderr).unwrap())
    };
    let (is_fine, said) = without_room(&first.0);
    assert!(!is_fine && said.contains("cannot write ") && !stored.exists(), "{said}");
    assert!(place.command(&["models", "--update", &first.0]).status().unwrap().success());
    let (is_fine, said) = without_room(&second.0);
    assert!(!is_fine && said.contains("cannot write "), "{said}");
    assert_eq!(std::fs::read_to_string(&stored).unwrap(), first.1);

    // Of several processes, one is the last.
    let files = [&first, &second, &first, &second];
    let running = files.map(|(file, _)| place.command(&["models", "--update", file]).spawn());
    for process in running {
        assert!(process.unwrap().wait().unwrap().success());
    }
    let text = std::fs::read_to_string(&stored).unwrap();
    assert!(text == first.1 || text == second.1, "{text}");
    assert_eq!(leftovers(), Vec::<String>::new());
}
