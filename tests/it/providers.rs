//! Whole turns of the real program against a server that speaks the real wire formats: read, edit, run, report.

use crate::support::program::{Framing, Place, Program};
use crate::support::server::{Connection, Received, Server};
use serde_json::{Value, json};

/// What the model says in one reply: text, and perhaps a call.
pub(crate) type Said = (&'static str, Option<(&'static str, Value)>);

fn replies() -> Vec<Said> {
    vec![
        ("I read it first.", Some(("read", json!({"path": "greet.sh"})))),
        ("", Some(("edit", json!({"path": "greet.sh", "oldText": "helo", "newText": "hello"})))),
        ("", Some(("bash", json!({"command": "sh greet.sh"})))),
        ("It says hello now: “hello world” ✓", None),
    ]
}

/// A reply in Anthropic's format.
pub(crate) fn messages((text, call): &Said) -> String {
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message",
        "role": "assistant", "model": "m", "content": [], "usage": {"input_tokens": 10, "output_tokens": 1}}}),
    ];
    let mut index = 0;
    if !text.is_empty() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}));
        for piece in text.split_inclusive(' ') {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
        index += 1;
    }
    if let Some((name, arguments)) = call {
        let id = format!("toolu_{name}");
        events.push(json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}));
        let arguments = arguments.to_string();
        let (head, tail) = arguments.split_at(arguments.len() / 2);
        for piece in ["", head, tail] {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let stop = if call.is_some() { "tool_use" } else { "end_turn" };
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 20}}));
    events.push(json!({"type": "message_stop"}));
    let line =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(line).collect()
}

/// A reply in OpenAI's format.
pub(crate) fn chat((text, call): &Said) -> String {
    let choice =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut chunks = vec![choice(json!({"role": "assistant", "content": ""}))];
    for piece in text.split_inclusive(' ') {
        chunks.push(choice(json!({"content": piece})));
    }
    if let Some((name, arguments)) = call {
        let function = json!({"name": name, "arguments": ""});
        chunks.push(choice(json!({"tool_calls": [{"index": 0, "id": format!("call_{name}"), "type": "function", "function": function}]})));
        let arguments = arguments.to_string();
        let (head, tail) = arguments.split_at(arguments.len() / 2);
        for piece in [head, tail] {
            chunks.push(choice(
                json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}),
            ));
        }
    }
    let finish = if call.is_some() { "tool_calls" } else { "stop" };
    chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}));
    chunks.push(json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}}));
    let lines: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    lines + "data: [DONE]\n\n"
}

/// A reply in the format of OpenAI's Responses.
pub(crate) fn responses((text, call): &Said) -> String {
    let mut events = vec![json!({"type": "response.created", "response": {"output": []}})];
    let message = |content: Value| json!({"type": "message", "content": content});
    events.push(json!({"type": "response.output_item.added", "output_index": 0, "item": message(json!([]))}));
    for piece in text.split_inclusive(' ') {
        events.push(json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": piece}));
    }
    let whole = json!([{"type": "output_text", "text": text}]);
    events.push(
        json!({"type": "response.output_item.done", "output_index": 0, "item": message(whole)}),
    );
    if let Some((name, arguments)) = call {
        let arguments = arguments.to_string();
        let item = |arguments: &str| json!({"type": "function_call", "call_id": format!("call_{name}"), "name": name, "arguments": arguments});
        events.push(
            json!({"type": "response.output_item.added", "output_index": 1, "item": item("")}),
        );
        let (head, tail) = arguments.split_at(arguments.len() / 2);
        for piece in [head, tail] {
            events.push(json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": piece}));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": 1, "item": item(&arguments)}));
    }
    let usage = json!({"input_tokens": 10, "output_tokens": 20});
    events.push(json!({"type": "response.completed", "response": {"usage": usage}}));
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// A reply in Google's format.
pub(crate) fn gemini((text, call): &Said) -> String {
    let chunk =
        |part: Value| json!({"responseId": "r", "candidates": [{"content": {"parts": [part]}}]});
    let mut chunks: Vec<Value> =
        text.split_inclusive(' ').map(|piece| chunk(json!({"text": piece}))).collect();
    if let Some((name, arguments)) = call {
        let call = json!({"name": name, "args": arguments});
        chunks.push(chunk(json!({"functionCall": call, "thoughtSignature": format!("S-{name}=")})));
    }
    let usage = json!({"promptTokenCount": 10, "candidatesTokenCount": 20});
    chunks.push(json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": usage}));
    chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}

/// Answers one request with each body, on a thread of its own. Returns the URL and, in the end, what came.
pub(crate) fn serve(
    bodies: Vec<(u16, String)>,
) -> (String, std::thread::JoinHandle<Vec<Received>>) {
    let (tx, url) = std::sync::mpsc::channel();
    let served = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = Server::start().await;
            tx.send(server.url.clone()).unwrap();
            let mut received = Vec::new();
            // Like a real server, it keeps the connection open for the next request.
            let mut open: Option<Connection> = None;
            for (status, body) in bodies {
                let again = match &mut open {
                    Some(connection) => connection.receive().await,
                    None => None,
                };
                let request = if let Some(request) = again {
                    request
                } else {
                    let (connection, request) = server.request().await;
                    open = Some(connection);
                    request
                };
                received.push(request);
                let connection = open.as_mut().unwrap();
                if status == 200 {
                    connection.head(200, "text/event-stream").await;
                    connection.chunk(body).await;
                    connection.end().await;
                } else {
                    connection.respond(status, "application/json", &body).await;
                }
            }
            received
        })
    });
    (url.recv().unwrap(), served)
}

#[test]
fn a_turn_reads_edits_and_runs_in_both_wire_formats() {
    type Wire = (&'static str, fn(&Said) -> String, &'static str, &'static str, &'static str);
    let wires: [Wire; 2] = [
        ("anthropic/m", messages, "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "/v1/messages"),
        ("openai/m", chat, "OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1/chat/completions"),
    ];
    for (model, write, base_url, key, path) in wires {
        for framing in [Framing::Lines, Framing::Headers] {
            let (url, served) = serve(replies().iter().map(|said| (200, write(said))).collect());
            let place = Place::new(&[("greet.sh", "echo helo world\n")]);
            let mut command = place.engine(&["serve", "--model", model, "--permission", "full"]);
            let url = if model.starts_with("openai") { format!("{url}/v1") } else { url };
            command.env(base_url, url).env(key, "sk-not-to-be-seen");
            let mut program = Program::start(command, framing);
            program.initialize();
            program.ask("session/create", json!({}));
            program.prompt("make it say hello");
            let end = program.until_event("turn.completed");
            assert_eq!((&end["status"], &end["steps"]), (&json!("completed"), &json!(4)), "{end}");
            assert_eq!(end["usage"]["outputTokens"], 80, "{model}: {end}");
            assert_eq!(place.read("greet.sh"), "echo hello world\n", "{model}");

            let received = served.join().unwrap();
            assert!(received.iter().all(|request| request.path == path), "{model}");
            let last = received.last().unwrap().json().to_string();
            assert!(last.contains("hello world"), "the command's output goes back: {last}");
            let said: Vec<&str> = program
                .seen
                .iter()
                .filter(|message| message["params"]["event"]["field"] == "text")
                .map(|message| message["params"]["event"]["text"].as_str().unwrap())
                .collect();
            assert_eq!(said.concat(), "I read it first.It says hello now: “hello world” ✓");
            // The key is in no message and in no file.
            assert!(program.seen.iter().all(|m| !m.to_string().contains("sk-not-to-be-seen")));
            let journal = std::fs::read_to_string(place.journal()).unwrap();
            assert!(!journal.contains("sk-not-to-be-seen"));
        }
    }
}

#[test]
fn a_server_of_ones_own_may_speak_responses_or_gemini() {
    type Wire = (&'static str, fn(&Said) -> String, &'static str, &'static str);
    let wires: [Wire; 2] = [
        ("responses", responses, "/v1/responses", "\"call_id\":\"call_bash\""),
        (
            "gemini",
            gemini,
            "/v1beta/models/gemini-3-m:streamGenerateContent?alt=sse",
            "\"thoughtSignature\":\"S-bash=\"",
        ),
    ];
    for (api, write, path, kept) in wires {
        let (url, served) = serve(replies().iter().map(|said| (200, write(said))).collect());
        let place = Place::new(&[("greet.sh", "echo helo world\n")]);
        let args = ["run", "--quiet", "--format", "json", "--permission", "full", "--api", api];
        let mut command = place.command(&args);
        let rest = [
            "--model",
            "own/gemini-3-m",
            "--profile",
            "pi",
            "--base-url",
            &url,
            "make it say hello",
        ];
        let out = command.args(rest).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        let got: Value =
            serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{api}: {said}"));
        assert_eq!(got["text"], "It says hello now: “hello world” ✓", "{api}: {got}");
        assert_eq!(got["usage"]["outputTokens"], 80, "{api}: {got}");
        assert_eq!(place.read("greet.sh"), "echo hello world\n", "{api}");
        let received = served.join().unwrap();
        assert!(received.iter().all(|request| request.path == path), "{api}: {}", received[0].path);
        let last = received.last().unwrap().json().to_string();
        assert!(last.contains("hello world"), "the command's output goes back: {last}");
        assert!(last.contains(kept), "what the server wants back is there: {last}");
    }
}

#[test]
fn a_picture_goes_to_the_model_and_comes_back_from_the_journal() {
    type Row = (&'static str, fn(&Said) -> String, &'static str, &'static str, Value);
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(3, 2).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let data = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, png.get_ref());
    let note = json!({"type": "text", "text": "[a.txt: image/png, 3 x 2 pixels]"});
    let source = json!({"type": "base64", "media_type": "image/png", "data": data});
    let url = json!({"url": format!("data:image/png;base64,{data}")});
    // What stands in the request behind the read: in the result, or, where results hold text alone, after it.
    let rows: [Row; 3] = [
        (
            "anthropic/m",
            messages,
            "ANTHROPIC",
            "/messages/2/content/0/content",
            json!([note, {"type": "image", "source": source}]),
        ),
        (
            "openai/m",
            chat,
            "OPENAI",
            "/messages/4/content",
            json!([{"type": "image_url", "image_url": url}]),
        ),
        (
            "openai/o3-mini",
            chat,
            "OPENAI",
            "/messages/3/content",
            json!("[a.txt: image/png, 3 x 2 pixels]\n[image omitted: the model takes no images]"),
        ),
    ];
    for (model, write, provider, place_in_request, want) in rows {
        let said: Vec<Said> =
            vec![("", Some(("read", json!({"path": "a.txt"})))), ("seen", None), ("again", None)];
        let (url, served) = serve(said.iter().map(|said| (200, write(said))).collect());
        let place = Place::new(&[]);
        std::fs::write(place.path("a.txt"), png.get_ref()).unwrap();
        let run = |args: &[&str]| {
            let url = if provider == "OPENAI" { format!("{url}/v1") } else { url.clone() };
            let shown = ["run", "--model", model, "--profile", "pi", "--format", "json"];
            let mut command = place.command(&[&shown, args].concat());
            command
                .env(format!("{provider}_BASE_URL"), url)
                .env(format!("{provider}_API_KEY"), "sk");
            let out = command.stdin(std::process::Stdio::null()).output().unwrap();
            serde_json::from_slice::<Value>(&out.stdout).unwrap()
        };
        let id = run(&["look"])["sessionId"].as_str().unwrap().to_owned();
        run(&["and now", "--session", &id]);
        for (which, request) in served.join().unwrap()[1..].iter().enumerate() {
            let request = request.json();
            // The second question may join the picture's message.
            let got = request.pointer(place_in_request).unwrap();
            let is_there =
                *got == want || got.as_array().is_some_and(|parts| parts.first() == want.get(0));
            assert!(is_there, "{model}, request {}: {request}", which + 2);
            let copies = request.to_string().matches(&data).count();
            assert_eq!(copies, usize::from(model != "openai/o3-mini"), "{model}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_provider_is_told_with_what_to_do() {
    // A port on which nobody listens.
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let html = "<html><body>404 page not found</body></html>";
    let rows: [(&str, Option<(u16, &str)>, &[&str], &str, &str); 7] = [
        ("no key", None, &["--model", "openai/m"], "authRequired", "OPENAI_API_KEY"),
        ("an unknown provider", None, &["--model", "acme/m"], "config", "base_url"),
        (
            "no API for an own server",
            None,
            &["--model", "acme/m", "--base-url", "http://127.0.0.1:1"],
            "config",
            "--api",
        ),
        (
            "nobody listens",
            None,
            &["--model", "acme/m", "--api", "chat", "--base-url", &closed],
            "network",
            "running",
        ),
        (
            "a URL of another kind",
            None,
            &["--model", "acme/m", "--api", "chat", "--base-url", "ftp://localhost"],
            "",
            "URL",
        ),
        (
            "a wrong URL",
            Some((404, html)),
            &["--model", "acme/m", "--api", "chat"],
            "invalidRequest",
            "base",
        ),
        (
            "a wrong key",
            Some((
                401,
                r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#,
            )),
            &["--model", "acme/m", "--api", "chat"],
            "auth",
            "key",
        ),
    ];
    for (name, answer, args, code, hint) in rows {
        let mut args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let served = answer.map(|(status, body)| serve(vec![(status, body.to_owned())]));
        if let Some((url, _)) = &served {
            args.extend(["--base-url".to_owned(), format!("{url}/v1")]);
        }
        let place = Place::new(&[]);
        let all: Vec<&str> = ["serve"].into_iter().chain(args.iter().map(String::as_str)).collect();
        let mut program = Program::start(place.engine(&all), Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({}));
        let started = program.prompt("hi");
        let (got, told) = if started.get("code").is_some() {
            (started["data"]["code"].clone(), started.to_string())
        } else {
            let end = program.until_event("turn.completed");
            (end["error"]["code"].clone(), end.to_string())
        };
        assert!(code.is_empty() || got == code, "{name}: {told}");
        assert!(told.contains(hint), "{name}: {told}");
        // The session is as it was, ready for the next try.
        program.ask("ping", json!({}));
    }
}

#[test]
fn what_was_recorded_is_replayed_without_a_server_or_a_key() {
    let (url, served) = serve(replies().iter().map(|said| (200, messages(said))).collect());
    let file = "echo helo world\n";
    let place = Place::new(&[("greet.sh", file)]);
    let cassette = place.path("../tape.jsonl");
    let cassette = cassette.to_str().unwrap();
    let task = ["make it say hello", "--permission", "full", "--model", "anthropic/m"];
    let run = |extra: &[&str]| {
        let args = [&["run"], &task[..], extra].concat();
        let mut command = place.command(&args);
        if extra.contains(&"--record") {
            command.env("ANTHROPIC_BASE_URL", &url).env("ANTHROPIC_API_KEY", "sk-not-to-be-seen");
        }
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let recorded = run(&["--record", cassette]);
    served.join().unwrap();
    assert!(!std::fs::read_to_string(cassette).unwrap().contains("sk-not-to-be-seen"));
    std::fs::write(place.path("greet.sh"), file).unwrap();
    assert_eq!(run(&["--replay", cassette]), recorded);
    assert_eq!(place.read("greet.sh"), "echo hello world\n");
}

#[test]
fn what_a_run_costs_is_told_where_the_price_is_known() {
    // 10 tokens of input and 20 of output, at 2 and 10 dollars for a million.
    for (model, want) in
        [("anthropic/claude-sonnet-5", json!(220_000)), ("anthropic/nobody-knows", Value::Null)]
    {
        let (url, served) = serve(vec![(200, messages(&("hi", None)))]);
        let place = Place::new(&[]);
        let config = format!(
            "[providers.anthropic]\nbase_url = \"{url}\"\nkey = \"!echo noise >&2; echo sk-of-a-command\"\n"
        );
        std::fs::create_dir_all(place.home()).unwrap();
        std::fs::write(place.home().join("config.toml"), config).unwrap();
        let mut command = place.command(&["run", "--model", model, "--format", "json", "hi"]);
        let out = command.stdin(std::process::Stdio::null()).output().unwrap();
        let result: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(result["costNanoUsd"], want, "{result}");
        let requests = served.join().unwrap();
        let key = requests[0].header("x-api-key");
        assert_eq!(key, Some("sk-of-a-command"), "the command's output is the key");
        assert!(!std::fs::read_to_string(place.journal()).unwrap().contains("sk-of-a-command"));
    }
}

#[test]
fn a_server_that_is_busy_for_a_moment_is_asked_again() {
    let busy = json!({"error": {"message": "overloaded, try again in 1ms."}}).to_string();
    for (retries, status, said) in [
        (
            "1",
            "success",
            "openai answered 503: overloaded, try again in 1ms; retrying in 0.0 s (1 of 1)",
        ),
        ("0", "failed", "try again in 1ms"),
    ] {
        let mut bodies = vec![(503, busy.clone())];
        if retries == "1" {
            bodies.push((200, chat(&("here", None))));
        }
        let (url, served) = serve(bodies);
        let place = Place::new(&[]);
        let mut command = place.command(&["run", "--model", "openai/m", "--format", "json", "hi"]);
        command.env("PINTLE_RETRIES", retries).env("OPENAI_BASE_URL", format!("{url}/v1"));
        let out = command.stdin(std::process::Stdio::null()).output().unwrap();
        let result: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(result["status"], status, "{result}");
        let told = String::from_utf8(out.stderr).unwrap() + &result.to_string();
        assert!(told.contains(said), "{told}");
        served.join().unwrap();
    }
}

#[test]
fn what_gateways_bend_costs_no_turn() {
    let whole = json!({"id": "x", "object": "chat.completion", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": "in one piece"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}});
    let refusal = json!({"error": {"message": "Unsupported parameter(s): `stream_options`"}});
    let no_tools = json!({"error": {"message": "gemma:2b does not support tools"}});
    let schema = "Invalid schema for function 'edit': array schema missing items.";
    let schema = json!({"error": {"message": schema, "param": "tools[2].function.parameters"}});
    let (fine, again) = (chat(&("fine", None)), chat(&("fine again", None)));
    let (options, edit) = ("\"stream_options\":", "\"name\":\"edit\"");
    for (name, bodies, code, said, told, omitted) in [
        ("a reply in one piece", vec![(200, whole.to_string())], 0, "in one piece", "", options),
        (
            "an optional field",
            vec![(400, refusal.to_string()), (200, fine.clone())],
            0,
            "fine",
            "own refused the request field `stream_options`; it is omitted now",
            options,
        ),
        (
            "a tool's schema",
            vec![(400, schema.to_string()), (200, fine)],
            0,
            "fine",
            "own refused the tool `edit`, which m cannot use now: Invalid schema for function",
            edit,
        ),
        ("no tools", vec![(400, no_tools.to_string())], 3, "", "choose another model", options),
        ("nothing", vec![(200, again)], 0, "fine again", "", options),
    ] {
        let (url, served) = serve(bodies);
        let place = Place::new(&[]);
        let args = ["run", "--format", "json", "--api", "chat", "--model", "own/m"];
        let out = place.command(&args).args(["--base-url", &url, "hi"]).output().unwrap();
        let printed = String::from_utf8_lossy(&out.stderr).into_owned();
        let got: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(out.status.code(), Some(code), "{name}: {got}");
        assert_eq!(got["text"].as_str().unwrap_or_default(), said, "{name}: {got}");
        assert!(format!("{printed}{got}").contains(told), "{name}: {printed}{got}");
        let sent: Vec<String> =
            served.join().unwrap().iter().map(|one| one.json().to_string()).collect();
        let is_sent: Vec<bool> = sent.iter().map(|body| body.contains(omitted)).collect();
        assert!(is_sent[0] && !is_sent[1..].contains(&true), "{name}: {is_sent:?}");
    }
}

#[test]
fn a_model_without_tool_calling_edits_by_blocks_in_its_text() {
    let write = json!({"name": "write", "arguments": {"path": "a.txt", "content": "hi\n"}});
    let said = format!("I write it.\n<tool_call>\n{write}\n</tool_call>");
    let bodies = vec![(200, chat(&(said.leak(), None))), (200, chat(&("It is written.", None)))];
    let (url, served) = serve(bodies);
    let place = Place::new(&[]);
    let config = format!(
        "[providers.local]\nbase_url = \"{url}/v1\"\napi = \"chat\"\nmodels.m.text_tools = true\n"
    );
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    let args = ["run", "--format", "json", "--permission", "full", "--model", "local/m", "go"];
    let out = place.command(&args).output().unwrap();
    let got: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(got["text"], "It is written.", "{got}");
    assert_eq!(place.read("a.txt"), "hi\n");
    let sent: Vec<Value> = served.join().unwrap().iter().map(Received::json).collect();
    for body in &sent {
        assert_eq!(body.get("tools"), None, "{body}");
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains("# Tools") && system.contains("## write"), "{system}");
    }
    let messages = sent[1]["messages"].as_array().unwrap();
    let texts: Vec<String> = messages[1..]
        .iter()
        .map(|message| format!("{}: {}", message["role"].as_str().unwrap(), message["content"]))
        .collect();
    assert_eq!(texts.len(), 3, "{texts:#?}");
    assert!(
        texts[1].starts_with("assistant: ") && texts[1].contains("<tool_call>"),
        "{}",
        texts[1]
    );
    assert!(
        texts[2].starts_with("user: ") && texts[2].contains("<tool_result name="),
        "{}",
        texts[2]
    );
}

#[test]
fn a_conversation_that_is_refused_in_the_stream_is_summarized() {
    let long: &'static str = "lorem ipsum ".repeat(6000).leak();
    let refusal = "Input does not fit in context length. The input has 31430 tokens.";
    let refusal = json!({"error": {"message": refusal}, "message": refusal});
    let bodies = vec![
        (200, chat(&(long, None))),
        (200, chat(&(long, None))),
        (200, format!("event: error\ndata: {refusal}\n\n")),
        (200, chat(&("## Goal: in short", None))),
        (200, chat(&("it goes on", None))),
    ];
    let (url, served) = serve(bodies);
    let place = Place::new(&[]);
    let mut command = place.engine(&["serve", "--model", "openai/m"]);
    command.env("OPENAI_BASE_URL", format!("{url}/v1")).env("OPENAI_API_KEY", "k");
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    for _ in 0..3 {
        program.prompt("go");
        let end = program.until_event("turn.completed");
        assert_eq!(end["status"], "completed", "{end}");
    }
    let sent: Vec<usize> = served.join().unwrap().iter().map(|one| one.body.len()).collect();
    assert!(sent[4] < sent[2] * 2 / 3, "the last request is shorter: {sent:?}");
}
