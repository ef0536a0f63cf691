//! The context window of a model, known or told by a local server, through the real program.

use crate::login::{Answer, Provider, hello, run};
use crate::support::program::{Framing, Place, Program};
use crate::support::server::Received;
use serde_json::Value;

/// Runs a task with the model `m` of this provider; returns the events and the exit code.
fn events(place: &Place, settings: &str, prompts: &[&str]) -> (i32, Vec<Value>) {
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), settings).unwrap();
    let (mut code, mut events) = (0, Vec::new());
    for (at, prompt) in prompts.iter().enumerate() {
        let more: &[&str] = if at == 0 { &[] } else { &["--session", "last"] };
        let args = [&["run", "--format", "events", "--quiet", prompt], more].concat();
        let (ended, text) = run(place.command(&args));
        code = ended;
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.extend(lines.map(|mut line| line["event"].take()));
    }
    (code, events)
}

/// What a local server says of its model, by the end of the path; any POST else is answered by the model.
fn local(told: &'static [(&'static str, &'static str)]) -> Provider {
    Provider::start(move |request: &Received| -> Answer {
        match told.iter().find(|(path, _)| request.path == *path) {
            Some((_, body)) => (200, (*body).to_owned()),
            None if request.path.ends_with("/chat/completions") => hello(),
            None => (404, String::new()),
        }
    })
}

#[test]
fn a_local_server_whose_context_is_smaller_than_the_prompt_is_told_once() {
    const SMALL: &str = r#"{"models": [{"model": "m", "context_length": 2048}]}"#;
    const LARGE: &str = r#"{"models": [{"model": "m", "context_length": 65536}]}"#;
    const FILE: &str = r#"{"parameters": "num_ctx 1024"}"#;
    const PROPS: &str = r#"{"default_generation_settings": {"n_ctx": 4096}}"#;
    const STUDIO: &str = r#"{"data": [{"id": "m", "loaded_context_length": 4096}]}"#;
    const VLLM: &str = r#"{"data": [{"id": "m", "max_model_len": 4000}]}"#;
    for (name, told, want) in [
        (
            "ollama",
            &[("/api/ps", SMALL)][..],
            Some(("a context of 2048 tokens", "OLLAMA_CONTEXT_LENGTH")),
        ),
        ("ollama", &[("/api/ps", LARGE)], None),
        ("ollama", &[("/api/show", FILE)], Some(("a context of 1024 tokens", "num_ctx"))),
        ("ollama", &[], None),
        ("llamacpp", &[("/props", PROPS)], Some(("a context of 4096 tokens", "--ctx-size"))),
        (
            "lmstudio",
            &[("/api/v0/models", STUDIO)],
            Some(("a context of 4096 tokens", "load the model")),
        ),
        ("vllm", &[("/v1/models", VLLM)], Some(("a context of 4000 tokens", "--max-model-len"))),
    ] {
        let server = local(told);
        let place = Place::new(&[]);
        let settings =
            format!("model = \"{name}/m\"\n[providers.{name}]\nbase_url = \"{}/v1\"\n", server.url);
        let long = "words of a long message ".repeat(600);
        let (code, events) = events(&place, &settings, &[&long, "again"]);
        assert_eq!(code, 0, "{name}: {events:?}");
        let notices: Vec<&Value> =
            events.iter().filter(|event| event["code"] == "servedContextTooSmall").collect();
        match want {
            None => assert!(notices.is_empty(), "{name}: {notices:?}"),
            Some((window, hint)) => {
                // Each run is a process of its own, so it is told once in each.
                let [first, _] = notices[..] else { panic!("{name}: {notices:?}") };
                assert!(first["message"].as_str().unwrap().contains(window), "{name}: {first}");
                assert!(first["hint"].as_str().unwrap().contains(hint), "{name}: {first}");
            }
        }
    }
}

/// Rows: the model's window if it is known, the number of repetitions in the message, and whether a 400 without a body counts as an
/// overflow.
#[test]
fn a_400_without_a_body_is_too_long_only_near_the_window() {
    for (name, window, words, is_too_long) in [
        ("far from the window", Some(200_000), 600, false),
        ("near the window", Some(9_000), 600, true),
        ("a short conversation, whatever the window", None, 1, false),
        ("a long one for a window that may be small", None, 2_000, true),
    ] {
        let mut asked = 0;
        let server = Provider::start(move |_| {
            asked += 1;
            if asked == 2 { (400, String::new()) } else { hello() }
        });
        let place = Place::new(&[]);
        let settings = format!(
            "model = \"own/m\"\n[context]\nautomatic = false\n[providers.own]\nbase_url = \"{}/v1\"\napi = \"chat\"\n\
             {}",
            server.url,
            window.map_or_else(String::new, |window| format!(
                "[providers.own.models.m]\nwindow = {window}\n"
            ))
        );
        let long = "words of a long message ".repeat(words);
        let (code, events) = events(&place, &settings, &[&long, "again"]);
        let compacted = events.iter().any(|event| {
            event["type"] == "item.completed" && event["item"]["type"] == "compaction"
        });
        assert_eq!(compacted, is_too_long, "{name}: {events:?}");
        assert_eq!(code == 0, is_too_long, "{name}: the turn goes on once there is room");
        if !is_too_long {
            let error = events.iter().find_map(|event| event["error"]["message"].as_str());
            assert!(error.unwrap().contains("400"), "{name}: {error:?}");
        }
    }
}

#[test]
fn an_unknown_model_is_compacted_by_the_context_that_its_server_reports() {
    for (tokens, is_compacted) in [(40_000, true), (400_000, false), (6_000, false)] {
        let list = format!(r#"{{"data": [{{"id": "m", "max_model_len": {tokens}}}]}}"#);
        let server = Provider::start(move |request: &Received| -> Answer {
            if request.path.ends_with("/models") {
                return (200, list.clone());
            }
            let (status, reply) = hello();
            (status, reply.replace("\"prompt_tokens\":10", "\"prompt_tokens\":36000"))
        });
        let place = Place::new(&[]);
        std::fs::create_dir_all(place.home()).unwrap();
        let settings = format!(
            "model = \"vllm/m\"\n[context]\nkeep_recent_tokens = 1000\n[providers.vllm]\nbase_url = \"{}/v1\"\n",
            server.url
        );
        std::fs::write(place.home().join("config.toml"), settings).unwrap();
        let mut program = Program::start(place.engine(&["serve"]), Framing::Lines);
        program.initialize();
        program.ask("session/create", serde_json::json!({}));
        for prompt in ["words of a long message ".repeat(6_000).as_str(), "again", "and again"] {
            program.prompt(prompt);
            program.until_event("turn.completed");
        }
        let compacted = program
            .seen
            .iter()
            .any(|message| message["params"]["event"]["item"]["type"] == "compaction");
        assert_eq!(compacted, is_compacted, "{tokens}");
    }
}
