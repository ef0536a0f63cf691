//! Logins through the real program, against servers on the loopback that behave as providers do. Every token has the mark of a planted
//! secret, so that each row ends with a search for it in all that was stored.

use crate::providers::chat;
use crate::support::program::{PLANT, Place, wait};
use crate::support::server::{Received, Server};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

/// The answer of a provider: a status and a body.
pub(crate) type Answer = (u16, String);

/// A provider on the loopback, which works as long as its test runs.
pub(crate) struct Provider {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Provider {
    pub(crate) fn start(mut answer: impl FnMut(&Received) -> Answer + Send + 'static) -> Self {
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let log = Arc::clone(&received);
        let (tx, url) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let server = Server::start().await;
                tx.send(server.url.clone()).unwrap();
                loop {
                    // One request a connection: a client that keeps one open must not stop another.
                    let (mut connection, request) = server.request().await;
                    let (status, body) = answer(&request);
                    log.lock().unwrap().push(request);
                    let kind =
                        if body.starts_with("data:") { "text/event-stream" } else { "application/json" };
                    let length = body.len();
                    let challenge = if status == 401 { "www-authenticate: Bearer\r\n" } else { "" };
                    connection
                        .write(format!(
                            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{challenge}connection: close\r\n\r\n{body}"
                        ))
                        .await;
                }
            });
        });
        Self { url: url.recv().unwrap(), received }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The requests to this path.
    pub(crate) fn to(&self, path: &str) -> Vec<Received> {
        let received = self.received().into_iter();
        received.filter(|request| request.path.split('?').next() == Some(path)).collect()
    }
}

/// The fields of a form or a query.
pub(crate) fn fields(text: &str) -> BTreeMap<String, String> {
    let decode = |text: &str| {
        let mut parts = text.split('%');
        let first = parts.next().unwrap().to_owned();
        parts.fold(first, |whole, part| {
            let (code, rest) = part.split_at(2);
            format!("{whole}{}{rest}", char::from(u8::from_str_radix(code, 16).unwrap()))
        })
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), decode(value))).collect()
}

pub(crate) fn token(name: &str) -> String {
    format!("tok-{PLANT}-{name}")
}

/// A model's reply that says `hello`.
pub(crate) fn hello() -> Answer {
    (200, chat(&("hello", None)))
}

pub(crate) fn ok(body: Value) -> Answer {
    (200, body.to_string())
}

/// Writes the settings of a provider `own` with these fields of its login.
pub(crate) fn configure(place: &Place, url: &str, login: &str) {
    let text = format!(
        "[providers.own]\nbase_url = \"{url}/v1\"\napi = \"chat\"\n[providers.own.login]\n{}\n",
        login.replace("URL", url)
    );
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), text).unwrap();
}

pub(crate) const DEVICE: &str = "client_id = \"app-1\"\nscope = \"a b\"\ndevice_url = \"URL/device\"\ntoken_url = \"URL/token\"";

pub(crate) const BROWSER: &str =
    "client_id = \"app-1\"\nauthorize_url = \"URL/authorize\"\ntoken_url = \"URL/token\"";

pub(crate) fn run(mut command: Command) -> (i32, String) {
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    assert!(!text.contains(PLANT), "a token was printed: {text}");
    (status.code().unwrap(), text)
}

pub(crate) fn pintle(place: &Place, args: &[&str]) -> (i32, String) {
    run(place.command(args))
}

/// Asks the model of `own` for something.
pub(crate) fn ask(place: &Place) -> (i32, String) {
    pintle(place, &["run", "--quiet", "--model", "own/m", "hi"])
}

/// Puts a login into the file, as an earlier one would have.
pub(crate) fn log_in_before(place: &Place, fields: &[(&str, String)]) {
    let fields: String = fields.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    let path = place.home().join("logins.toml");
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(&path, format!("[logins.own]\nmethod = \"device\"\n{fields}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

pub(crate) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

pub(crate) fn stored(place: &Place) -> String {
    std::fs::read_to_string(place.home().join("logins.toml")).unwrap_or_default()
}

/// The answers of a device login: those to the polls, one after the other.
pub(crate) fn device(polls: Vec<Answer>) -> impl FnMut(&Received) -> Answer {
    let mut polls = polls.into_iter();
    move |request| match request.path.as_str() {
        "/device" => ok(json!({"device_code": token("device"), "user_code": "ABCD-1234",
            "verification_uri": "https://login.test/device", "expires_in": 900, "interval": 0})),
        "/token" => polls.next().unwrap(),
        "/v1/chat/completions" => hello(),
        other => panic!("{other}"),
    }
}

pub(crate) fn error(code: &str) -> Answer {
    (400, json!({"error": code, "error_description": format!("because {code}")}).to_string())
}

/// Returns true if `doctor` reports a login of this provider.
fn is_logged_in(provider: &str, report: &str) -> bool {
    let rows = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.into_iter().any(|row| row.starts_with(&[provider, "logged", "in"]))
}

#[test]
fn a_device_login_waits_for_the_person_and_the_model_answers() {
    // GitHub answers errors with the status 200.
    let pending = ok(json!({"error": "authorization_pending"}));
    let slow = ok(json!({"error": "slow_down", "interval": 0}));
    let done = ok(json!({"access_token": token("access"), "token_type": "bearer", "scope": "a b"}));
    let provider =
        Provider::start(device(vec![pending, error("authorization_pending"), slow, done]));
    let place = Place::new(&[]);
    configure(&place, &provider.url, DEVICE);
    let (code, text) = ask(&place);
    assert!(code != 0 && text.contains("pintle login own"), "{text}");

    let (code, text) = pintle(&place, &["login", "own"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains(
            "Open https://login.test/device\nand enter the code ABCD-1234, within 15 minutes."
        ),
        "{text}"
    );
    assert!(text.contains("logged in to own"), "{text}");
    let asked = fields(&provider.to("/device")[0].body);
    assert_eq!((asked["client_id"].as_str(), asked["scope"].as_str()), ("app-1", "a b"));
    let polls = provider.to("/token");
    assert_eq!(polls.len(), 4);
    let poll = fields(&polls[0].body);
    assert_eq!(poll["grant_type"], "urn:ietf:params:oauth:grant-type:device_code");
    assert_eq!(
        (poll["device_code"].clone(), poll["client_id"].as_str()),
        (token("device"), "app-1")
    );
    for name in ["logins.toml", "logins.toml.lock"] {
        let facts = std::fs::metadata(place.home().join(name)).unwrap();
        assert_eq!(facts.permissions().mode() & 0o777, 0o600, "{name}");
    }

    let (code, text) = ask(&place);
    assert_eq!((code, text.trim()), (0, "hello"));
    let request = provider.to("/v1/chat/completions").pop().unwrap();
    assert_eq!(
        request.header("authorization"),
        Some(format!("Bearer {}", token("access")).as_str())
    );
    assert_eq!(request.header("x-initiator"), None);

    let (_, list) = pintle(&place, &["login"]);
    let row = list.lines().find(|line| line.starts_with("own ")).unwrap();
    assert!(row.contains("device, key") && row.ends_with("logged in (device)"), "{list}");
    assert!(
        list.lines().any(|line| line.starts_with("openrouter ") && line.ends_with("not logged in")),
        "{list}"
    );
    let (_, providers) = pintle(&place, &["models", "--providers", "own"]);
    assert!(providers.contains("logged in"), "{providers}");
    let (_, report) = pintle(&place, &["doctor"]);
    assert!(is_logged_in("own", &report), "{report}");
    assert!(!is_logged_in("openrouter", &report), "{report}");

    assert_eq!(pintle(&place, &["logout", "own"]), (0, "logged out of own\n".to_owned()));
    assert_eq!(pintle(&place, &["logout", "own"]), (0, "not logged in to own\n".to_owned()));
    assert!(!stored(&place).contains(PLANT));
    assert!(ask(&place).1.contains("pintle login own"));
}

#[test]
fn a_device_login_that_fails_says_why_and_stores_nothing() {
    let leak = (
        400,
        json!({"error": "x", "error_description": format!("no {}", token("device"))}).to_string(),
    );
    for (name, polls, want) in [
        (
            "denied",
            vec![error("authorization_pending"), error("access_denied")],
            "access to own was denied",
        ),
        ("expired", vec![error("expired_token")], "the code expired before it was entered"),
        (
            "refused",
            vec![error("incorrect_client_credentials")],
            "own refused the login: because incorrect_client_credentials",
        ),
        ("no token", vec![ok(json!({"token_type": "bearer"}))], "has no `access_token`"),
        ("a token in the message", vec![leak], "own refused the login: no ***"),
    ] {
        let provider = Provider::start(device(polls));
        let place = Place::new(&[]);
        configure(&place, &provider.url, DEVICE);
        let (code, text) = pintle(&place, &["login", "own", "--device"]);
        assert!(code != 0 && text.contains(want), "{name}: {text}");
        assert!(!stored(&place).contains("own"), "{name}");
    }
    for (name, login, answer, args, want) in [
        (
            "no app",
            DEVICE.replace("client_id = \"app-1\"\n", ""),
            json!({}),
            vec![],
            "needs `client_id`",
        ),
        (
            "no such way",
            DEVICE.to_owned(),
            json!({}),
            vec!["--browser"],
            "expected one of device, key",
        ),
        (
            "an odd page",
            DEVICE.to_owned(),
            json!({"device_code": token("d"), "user_code": "A", "verification_uri": "file:///etc/passwd"}),
            vec![],
            "has no URL with a code",
        ),
        (
            "a dead code",
            DEVICE.to_owned(),
            json!({"device_code": token("d"), "user_code": "A", "verification_uri": "https://h/", "expires_in": 0}),
            vec![],
            "the code expired",
        ),
    ] {
        let provider = Provider::start(move |_| ok(answer.clone()));
        let place = Place::new(&[]);
        configure(&place, &provider.url, &login);
        let (code, text) = pintle(&place, &[vec!["login", "own"], args].concat());
        assert!(code != 0 && text.contains(want), "{name}: {text}");
    }
    let place = Place::new(&[]);
    let (code, text) = pintle(&place, &["login", "nobody"]);
    assert!(code != 0 && text.contains("unknown provider `nobody`"), "{text}");
    let (code, text) = pintle(&place, &["login", "ollama"]);
    assert!(code != 0 && text.contains("ollama needs neither a key"), "{text}");
}

/// `pintle login own`, with the page that it names.
fn begin_in_browser(place: &Place) -> (Child, BufReader<std::process::ChildStdout>, String) {
    let mut command = place.command(&["login", "own", "--browser"]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("/authorize?") {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "no page was named");
    }
    (child, out, line.trim().to_owned())
}

/// Does what a browser does that is sent to this address; returns the status.
pub(crate) fn visit(url: &str) -> u16 {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = std::net::TcpStream::connect(host.replace("localhost", "127.0.0.1")).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split(' ').nth(1).unwrap().parse().unwrap()
}

pub(crate) fn end(mut child: Child, mut out: impl Read) -> (bool, String) {
    let mut text = String::new();
    out.read_to_string(&mut text).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    let status = wait(&mut child);
    assert!(!text.contains(PLANT), "{text}");
    (status.success(), text)
}

/// The challenge that belongs to a verifier (RFC 7636).
fn challenge(verifier: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes());
    URL_SAFE_NO_PAD.encode(digest.as_ref())
}

#[test]
fn a_login_in_the_browser_ends_on_the_page_with_the_state_alone() {
    let provider = Provider::start(|request| match request.path.as_str() {
        "/token" => ok(json!({"access_token": token("access"), "expires_in": 86_400})),
        _ => hello(),
    });
    let place = Place::new(&[]);
    configure(&place, &provider.url, BROWSER);
    let (child, out, page) = begin_in_browser(&place);
    let asked = fields(page.split_once('?').unwrap().1);
    assert_eq!(asked["response_type"], "code");
    assert_eq!(
        (asked["client_id"].as_str(), asked["code_challenge_method"].as_str()),
        ("app-1", "S256")
    );
    let back = &asked["redirect_uri"];
    assert!(back.starts_with("http://127.0.0.1:"), "{back}");
    // Another page may neither end the login nor put its own code into it. A connection on which nothing comes is no hindrance.
    let _idle = std::net::TcpStream::connect(back[7..].split('/').next().unwrap()).unwrap();
    for other in
        ["code=x", "state=other&code=x", "state=&code=x", "state=other&error=access_denied"]
    {
        assert_eq!(visit(&format!("{back}?{other}")), 404, "{other}");
    }
    assert_eq!(visit(&format!("{back}?code=c-{PLANT}&state={}", asked["state"])), 200);
    let (is_done, text) = end(child, out);
    assert!(is_done && text.contains("logged in to own"), "{text}");
    let sent = fields(&provider.to("/token")[0].body);
    assert_eq!(sent["grant_type"], "authorization_code");
    assert_eq!(
        (&sent["redirect_uri"], sent["code"].as_str()),
        (back, format!("c-{PLANT}").as_str())
    );
    assert_eq!(challenge(&sent["code_verifier"]), asked["code_challenge"]);
    assert!(sent["code_verifier"].len() >= 43);
    assert_eq!(ask(&place), (0, "hello\n".to_owned()));
}

#[test]
fn a_login_in_the_browser_that_fails_says_why() {
    for (name, query, answer, want) in [
        ("denied", "error=access_denied", None, "access to own was denied"),
        (
            "an error",
            "error=server_error&error_description=try%20later",
            None,
            "own refused the login: try later",
        ),
        (
            "a used code",
            "code=c-1234567",
            Some(error("invalid_grant")),
            "own refused the login: because invalid_grant",
        ),
    ] {
        let provider = Provider::start(move |_| answer.clone().unwrap());
        let place = Place::new(&[]);
        configure(&place, &provider.url, BROWSER);
        let (child, out, page) = begin_in_browser(&place);
        let asked = fields(page.split_once('?').unwrap().1);
        assert_eq!(
            visit(&format!("{}?{query}&state={}", asked["redirect_uri"], asked["state"])),
            200
        );
        let (is_done, text) = end(child, out);
        assert!(!is_done && text.contains(want), "{name}: {text}");
        assert!(!stored(&place).contains("own"), "{name}");
    }
}

#[test]
fn a_login_may_return_a_key() {
    let provider = Provider::start(|request| match request.path.as_str() {
        "/token" => ok(json!({"key": token("key"), "user_id": "u"})),
        _ => hello(),
    });
    let place = Place::new(&[]);
    let login = "authorize_url = \"URL/authorize\"\ntoken_url = \"URL/token\"\nreturns = \"key\"";
    configure(&place, &provider.url, login);
    let (child, out, page) = begin_in_browser(&place);
    let asked = fields(page.split_once('?').unwrap().1);
    assert_eq!(
        asked.keys().collect::<Vec<_>>(),
        ["callback_url", "code_challenge", "code_challenge_method"]
    );
    let back = &asked["callback_url"];
    assert!(back.starts_with("http://localhost:"), "{back}");
    assert_eq!(visit(&format!("{}?code=x", back.rsplit_once('/').unwrap().0)), 404);
    assert_eq!(visit(&format!("{back}?code=c-1234567")), 200);
    assert!(end(child, out).0);
    let sent = provider.to("/token")[0].json();
    assert_eq!(
        (&sent["code"], &sent["code_challenge_method"]),
        (&json!("c-1234567"), &json!("S256"))
    );
    assert_eq!(challenge(sent["code_verifier"].as_str().unwrap()), asked["code_challenge"]);
    assert_eq!(ask(&place), (0, "hello\n".to_owned()));
    let request = provider.to("/v1/chat/completions").pop().unwrap();
    assert_eq!(request.header("authorization"), Some(format!("Bearer {}", token("key")).as_str()));
}

#[test]
fn a_full_disk_loses_no_login() {
    let pad = "x".repeat(3000);
    let place = Place::new(&[]);
    configure(&place, "http://127.0.0.1:9", DEVICE);
    log_in_before(
        &place,
        &[("token", quoted(&token("access-0"))), ("refresh_token", quoted(&token("renew-0")))],
    );
    let before = stored(&place);
    let mut login = place.limited_command(0, &["login", "own", "--key"]);
    let mut child =
        login.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{}{pad}", token("new")).unwrap();
    let out = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && text.contains("the stored logins cannot be used"), "{text}");
    assert!(!text.contains(PLANT) && stored(&place) == before, "{text}");
    let left: Vec<_> =
        std::fs::read_dir(place.home()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".logins")), "{left:?}");
}

#[test]
fn a_key_of_stdin_is_stored_and_settings_and_variables_precede_it() {
    let provider = Provider::start(|_| hello());
    let place = Place::new(&[]);
    let config = |key: &str| {
        let text = format!("[providers.openai]\nbase_url = \"{}/v1\"\n{key}\n", provider.url);
        let path = place.home().join("config.toml");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    };
    config("");
    for (input, args, want) in [
        (format!("\n {} \nmore\n", token("typed")), vec!["login", "openai"], "logged in to openai"),
        ("\n".to_owned(), vec!["login", "openai", "--key"], "no key on stdin"),
        (
            "two words\n".to_owned(),
            vec!["login", "openai", "--key"],
            "without spaces or line breaks",
        ),
    ] {
        let mut command = place.command(&args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        let text = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
        assert!(text.contains(want) && !text.contains(PLANT), "{text}");
    }
    for (name, key, variable, want) in [
        ("stored", "", None, token("typed")),
        ("a variable", "", Some("OPENAI_API_KEY"), "of-variable".to_owned()),
        ("a setting", "key = \"of-setting\"", Some("OPENAI_API_KEY"), "of-setting".to_owned()),
        (
            "a variable of the settings",
            "key_vars = [\"MINE\"]",
            Some("MINE"),
            "of-variable".to_owned(),
        ),
        ("no such variable", "key_vars = [\"MINE\"]", None, token("typed")),
    ] {
        config(key);
        let mut command = place.command(&["run", "--quiet", "--model", "openai/m", "hi"]);
        command.envs(variable.map(|name| (name, "of-variable")));
        assert_eq!(run(command), (0, "hello\n".to_owned()), "{name}");
        let request = provider.received().pop().unwrap();
        assert_eq!(
            request.header("authorization"),
            Some(format!("Bearer {want}").as_str()),
            "{name}"
        );
        let (_, report) = pintle(&place, &["doctor"]);
        let is_shown = is_logged_in("openai", &report);
        assert_eq!(is_shown, key != "key = \"of-setting\"", "{name}: {report}");
        let mut list = place.command(&["login"]);
        list.envs(variable.map(|name| (name, "of-variable")));
        let (_, list) = run(list);
        let row = list.lines().find(|line| line.starts_with("openai")).unwrap();
        assert_eq!(row.contains("takes precedence"), !want.contains(PLANT), "{name}: {row}");
    }
}

#[test]
fn no_tool_and_no_command_shows_a_login() {
    let place = Place::new(&[]);
    log_in_before(&place, &[("token", quoted(&token("access")))]);
    let path = place.home().join("logins.toml");
    let replies = json!({"replies": [
        {"blocks": [{"tool": "read", "arguments": {"path": path}}]},
        {"blocks": [{"tool": "bash", "arguments": {"command": format!("cat '{}'; env", path.display())}}]},
        {"blocks": [{"text": format!("I know {}.", token("access"))}]},
    ]});
    let script = place.script(&replies);
    let (_, text) = pintle(
        &place,
        &["run", "--script", &script, "--permission", "full", "--format", "events", "hi"],
    );
    assert!(text.contains("I know ***."), "{text}");
}

#[test]
fn a_file_of_logins_that_others_may_read_is_refused() {
    let provider = Provider::start(|_| hello());
    let place = Place::new(&[]);
    configure(&place, &provider.url, DEVICE);
    log_in_before(&place, &[("token", quoted(&token("access")))]);
    let path = place.home().join("logins.toml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    for args in
        [vec!["run", "--quiet", "--model", "own/m", "hi"], vec!["login"], vec!["logout", "own"]]
    {
        let (code, text) = pintle(&place, &args);
        assert!(
            code != 0 && text.contains("other users may open it; `chmod 600"),
            "{args:?}: {text}"
        );
    }
    assert_eq!(provider.received(), []);
}

#[test]
fn a_login_of_github_needs_the_id_of_an_app() {
    let place = Place::new(&[]);
    let (code, text) = pintle(&place, &["login", "github-copilot"]);
    assert!(code != 0 && text.contains("needs `client_id`"), "{text}");
    assert!(text.contains("[providers.github-copilot.login]"), "{text}");
}

#[test]
fn a_key_that_is_typed_is_not_shown() {
    let place = Place::new(&[]);
    let pty = nix::pty::openpty(None, None).unwrap();
    let mut command = place.command(&["login", "openai"]);
    command.stdin(Stdio::from(pty.slave)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Only the program has the terminal now, so that reading ends with it.
    drop(command);
    let mut err = child.stderr.take().unwrap();
    let mut asked = Vec::new();
    while !asked.ends_with(b"Key for openai: ") {
        let mut byte = [0];
        err.read_exact(&mut byte).unwrap();
        asked.extend(byte);
    }
    let mut terminal = std::fs::File::from(pty.master);
    terminal.write_all(format!("{}x\u{7f}\r", token("typed")).as_bytes()).unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(out, "logged in to openai\n");
    assert!(wait(&mut child).success());
    let mut shown = Vec::new();
    // The end of the other side is an error here.
    let _ = terminal.read_to_end(&mut shown);
    assert!(!String::from_utf8_lossy(&shown).contains(PLANT), "{shown:?}");
    assert!(stored(&place).contains(&format!("{:?}", token("typed"))));
}
