//! PDF documents that the model reads, that a message mentions, and that are attached to a task.

use crate::providers::{Said, chat, serve};
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
