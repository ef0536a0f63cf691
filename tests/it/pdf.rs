//! PDF documents that the model reads, that a message mentions, and that are attached to a task.

use crate::providers::{Said, chat, gemini, messages, responses, serve};
use crate::support::program::Place;
use pintle_testing::pdf;
use serde_json::{Value, json};

#[test]
fn a_model_that_takes_no_documents_reads_their_text() {
    let said: Vec<Said> = vec![("", Some(("read", json!({"path": "read.txt"})))), ("seen", None)];
    let (url, served) = serve(said.iter().map(|said| (200, chat(said))).collect());
    let place = Place::new(&[]);
    for (name, texts) in [
        ("read.txt", &["Grüße", "vom Werkzeug"][..]),
        ("mentioned.pdf", &["from the mention"]),
        ("attached.pdf", &["from the task"]),
        ("scan.pdf", &["", ""]),
    ] {
        std::fs::write(place.path(name), pdf::with_text(texts)).unwrap();
    }
    let task = "look at @mentioned.pdf and @scan.pdf";
    let mut command = place.command(&["run", task, "--file", "attached.pdf", "--format", "json"]);
    command.args(["--model", "openai/m", "--profile", "pi"]).env("OPENAI_API_KEY", "sk");
    let out = command.env("OPENAI_BASE_URL", format!("{url}/v1")).output().unwrap();
    let shown: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(shown["text"], "seen", "{shown}");
    let request = served.join().unwrap().last().unwrap().json();
    let sent = request["messages"][1]["content"].as_str().unwrap();
    for part in [
        "attached.pdf\">\n[page 1 of 1]\nfrom the task\n</file>",
        "mentioned.pdf\">\n[page 1 of 1]\nfrom the mention\n</file>",
        "[Cannot read scan.pdf: it is a PDF document of 2 pages without a text layer",
    ] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    let result = "[page 1 of 2]\nGrüße\n[page 2 of 2]\nvom Werkzeug";
    assert_eq!(request["messages"][3]["content"], result, "{request}");
    assert!(!request.to_string().contains("%PDF"), "{request}");
}

#[test]
fn a_provider_that_reads_documents_gets_them_and_their_text_where_it_cannot() {
    type Row = (&'static str, &'static str, fn(&Said) -> String, [(&'static str, Value); 2]);
    let bytes = pdf::with_text(&["Grüße"]);
    let data = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, &bytes);
    let source = json!({"type": "base64", "media_type": "application/pdf", "data": data});
    let block = json!({"type": "document", "source": source, "title": "a.pdf"});
    let inline = json!({"inlineData": {"mimeType": "application/pdf", "data": data}});
    let url = format!("data:application/pdf;base64,{data}");
    let part = json!({"type": "input_file", "filename": "a.pdf", "file_data": url});
    let file = json!({"type": "file", "file": {"filename": "a.pdf", "file_data": url}});
    let text = json!("[a.pdf: PDF document, 1 page]\n[page 1 of 1]\nGrüße");
    // What is mentioned, and what is read.
    let rows: [Row; 4] = [
        (
            "messages",
            "",
            messages,
            [("/messages/0/content/2", block.clone()), ("/messages/2/content/0/content/1", block)],
        ),
        (
            "responses",
            "/v1",
            responses,
            [("/input/0/content/2", part.clone()), ("/input/2/output/1", part)],
        ),
        ("chat", "/v1", chat, [("/messages/1/content/2", file), ("/messages/3/content", text)]),
        (
            "gemini",
            "",
            gemini,
            [("/contents/0/parts/2", inline.clone()), ("/contents/2/parts/1", inline)],
        ),
    ];
    for (api, path, write, wants) in rows {
        let said: Vec<Said> =
            vec![("", Some(("read", json!({"path": "a.pdf"})))), ("seen", None), ("again", None)];
        let (url, served) = serve(said.iter().map(|said| (200, write(said))).collect());
        let place = Place::new(&[]);
        std::fs::write(place.path("a.pdf"), &bytes).unwrap();
        let settings = format!(
            "[providers.own]\napi = \"{api}\"\nbase_url = \"{url}{path}\"\ndocuments = true\n"
        );
        std::fs::create_dir_all(place.home()).unwrap();
        std::fs::write(place.home().join("config.toml"), settings).unwrap();
        let run = |args: &[&str]| {
            let shown = ["run", "--model", "own/m", "--profile", "pi", "--format", "json"];
            let out = place.command(&[&shown, args].concat()).output().unwrap();
            let shown = serde_json::from_slice::<Value>(&out.stdout);
            shown.unwrap_or_else(|_| panic!("{api}: {}", String::from_utf8_lossy(&out.stderr)))
        };
        let id = run(&["look at @a.pdf"])["sessionId"].as_str().unwrap().to_owned();
        run(&["and now", "--session", &id]);
        // The last one comes from the journal.
        for request in &served.join().unwrap()[1..] {
            let request = request.json();
            for (at, want) in &wants {
                let mut got = request.pointer(at).cloned().unwrap_or_default();
                if let Some(fields) = got.as_object_mut() {
                    fields.remove("cache_control");
                }
                assert_eq!(got, *want, "{api}, {at}: {request}");
            }
        }
        let export = ["sessions", "export", &id, "--format", "md", "-o", "-"];
        let exported = place.command(&export).output().unwrap();
        let exported = String::from_utf8_lossy(&exported.stdout).into_owned();
        assert!(exported.contains("Grüße") && !exported.contains(&data), "{api}: {exported}");
    }
}
