//! The real program with independent model servers, which `tests/all.sh` installs. Without a server, its tests are skipped.

use crate::support::program::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A server that ends with its test.
pub(crate) struct Server {
    child: Child,
    _stdin: Option<ChildStdin>,
    pub(crate) url: String,
    /// What it reads goes with it.
    fixtures: Option<tempfile::NamedTempFile>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.fixtures = None;
    }
}

/// Returns a file of an installed model server; `variable` is the environment variable with its folder.
fn peer(variable: &str, file: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable);
    if folder.is_none() {
        crate::support::skipped(&format!("{variable} is not set; tests/all.sh sets it"));
    }
    Some(PathBuf::from(folder?).join(file))
}

/// Starts a server, which says where it listens.
fn start(command: &mut Command) -> Server {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = piped.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let url = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| Some(line.split_once("listening on ")?.1.trim().to_owned()))
        .unwrap_or_else(|| panic!("the server does not say where it listens"));
    // What it says later must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    Server { _stdin: child.stdin.take(), child, url, fixtures: None }
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name)
}

fn aimock(fixtures: &Path) -> Option<Server> {
    let cli = peer("PINTLE_AIMOCK", "node_modules/@copilotkit/aimock/dist/cli.js")?;
    let mut command = Command::new("node");
    command.arg(cli).args(["-p", "0", "--validate-on-load", "-f"]).arg(fixtures);
    Some(start(&mut command))
}

/// The mock with these answers.
pub(crate) fn aimock_with(fixtures: &Value) -> Option<Server> {
    let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    std::fs::write(file.path(), fixtures.to_string()).unwrap();
    let mut server = aimock(file.path())?;
    server.fixtures = Some(file);
    Some(server)
}

/// One run of the program; what it printed as JSON.
fn run(place: &Place, api: &str, base_url: &str, prompt: &str) -> Value {
    let args = [
        "run",
        "--quiet",
        "--model",
        "local/gpt-4o",
        "--api",
        api,
        "--base-url",
        base_url,
        "--profile",
        "pi",
        "--format",
        "json",
        prompt,
    ];
    let out = place.command(&args).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{api}: {said}"))
}

/// The wire APIs, and what stands behind the server's address for each.
const APIS: [(&str, &str); 4] =
    [("chat", "/v1"), ("messages", ""), ("responses", "/v1"), ("gemini", "")];

#[test]
fn a_mock_of_all_formats_is_answered_through_two_tools() {
    let Some(server) = aimock(&fixture("aimock.json")) else { return };
    for (api, path) in APIS {
        let place = Place::new(&[("a.txt", "one\n")]);
        let got = run(&place, api, &format!("{}{path}", server.url), "look around");
        assert_eq!(got["status"], "success", "{api}: {got}");
        assert_eq!(got["text"], "It says: one. 測試 😀", "{api}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        let results = journal.lines().filter(|line| line.contains(r#""type":"item.completed""#));
        let results: Vec<&str> =
            results.filter(|line| line.contains(r#""type":"toolCall""#)).collect();
        assert_eq!(results.len(), 2, "{api}");
        // The two run side by side, so either may be over first.
        for said in [r#""text":"one"#, r#""text":"a.txt"#] {
            assert!(results.iter().any(|line| line.contains(said)), "{api}: {results:#?}");
        }
        let place = Place::new(&[]);
        let talk = run(&place, api, &format!("{}{path}", server.url), "just talk");
        assert_eq!(talk["text"], "Well then.", "{api}");
    }
}

#[test]
#[ignore = "takes half a minute; `tests/all.sh model` runs it"]
fn a_real_model_streams_real_tokens() {
    let Some(python) = peer("PINTLE_LLAMA", "bin/python") else { return };
    let server = start(Command::new(python).arg(fixture("llama.py")));
    // Gemini's format is none of its.
    for (api, path) in APIS.into_iter().filter(|(api, _)| *api != "gemini") {
        let place = Place::new(&[]);
        let got = run(&place, api, &format!("{}{path}", server.url), "Say hello in five words.");
        assert_eq!(got["status"], "success", "{api}: {got}");
        assert!(!got["text"].as_str().unwrap().trim().is_empty(), "{api}: {got}");
        let tokens = got["usage"]["outputTokens"].as_u64().unwrap();
        assert!(tokens > 1, "{api}: {got}");
    }
}
