//! Logins of HTTP servers of the Model Context Protocol, through the real program, against a server on the loopback that is both the
//! resource and the authorization server.

use crate::login::{Answer, Provider, end, fields, ok, pintle, run, token, visit};
use crate::support::program::{Framing, PLANT, Place, Program};
use crate::support::server::Received;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Grant type for an identity provider's assertion (RFC 7523).
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// A server whose tokens are numbered; those below `valid` are refused. A token that renews another serves once. Registration may be
/// missing.
pub(crate) fn server(registers: bool, refreshes: bool) -> Provider {
    server_at("http", registers, refreshes)
}

/// The same, reached by another scheme.
pub(crate) fn server_at(scheme: &'static str, registers: bool, refreshes: bool) -> Provider {
    let mut issued = 0;
    let mut valid = 1;
    Provider::start(move |request| {
        let url = format!("{scheme}://{}", request.header("host").unwrap());
        match request.path.as_str() {
            path if path.starts_with("/.well-known/oauth-protected-resource") => ok(json!({
                "resource": format!("{url}/mcp"),
                "authorization_servers": [url],
                "scopes_supported": ["tools"],
            })),
            path if path.starts_with("/.well-known/oauth-authorization-server") => {
                let mut metadata = json!({
                    "issuer": url,
                    "authorization_endpoint": format!("{url}/authorize"),
                    "token_endpoint": format!("{url}/token"),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
                    "client_id_metadata_document_supported": true,
                    "authorization_response_iss_parameter_supported": true,
                });
                if registers {
                    metadata["registration_endpoint"] = json!(format!("{url}/register"));
                }
                ok(metadata)
            }
            "/register" => {
                let asked = request.json();
                (
                    201,
                    json!({"client_id": "reg-1", "redirect_uris": asked["redirect_uris"]})
                        .to_string(),
                )
            }
            "/token" => {
                let asked = fields(&request.body);
                let newest = token(&format!("renew-{issued}"));
                let is_newest = asked.get("refresh_token").is_none_or(|given| *given == newest);
                if asked["grant_type"] == "refresh_token" && !(refreshes && is_newest) {
                    return (400, json!({"error": "invalid_grant"}).to_string());
                }
                issued += 1;
                let mut tokens = json!({"access_token": token(&format!("access-{issued}")),
                    "token_type": "Bearer", "expires_in": 3600});
                if asked["grant_type"] != JWT_BEARER {
                    tokens["refresh_token"] = json!(token(&format!("renew-{issued}")));
                }
                ok(tokens)
            }
            // The test takes the present token's life.
            "/revoke" => {
                valid = issued + 1;
                ok(json!({}))
            }
            "/mcp" => {
                let is_good = |number: u32| {
                    let wanted = format!("Bearer {}", token(&format!("access-{number}")));
                    request.header("authorization") == Some(wanted.as_str())
                };
                if !(valid..=issued).any(is_good) {
                    return (401, json!({"error": "invalid_token"}).to_string());
                }
                mcp(request)
            }
            _ => (404, String::new()),
        }
    })
}

/// The answers of a server with one tool, over plain JSON.
pub(crate) fn mcp(request: &Received) -> Answer {
    let Ok(message) = serde_json::from_str::<Value>(&request.body) else {
        return (405, String::new());
    };
    let answer = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "guarded", "version": "1"}}),
        "tools/list" => json!({"tools": [{"name": "echo", "description": "says it again",
            "inputSchema": {"type": "object", "properties": {}}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "said again"}]}),
        _ if message.get("id").is_none() => return (202, String::new()),
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return ok(json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
        }
    };
    ok(json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}))
}

pub(crate) fn configure(place: &Place, url: &str, more: &str) {
    std::fs::create_dir_all(place.home()).unwrap();
    let text = format!("[mcp_servers.guarded]\nurl = \"{url}/mcp\"\n{more}\n");
    std::fs::write(place.home().join("config.toml"), text).unwrap();
}

/// Begins a login, and returns the page that it names.
fn begin(place: &Place, server: &str) -> (Child, BufReader<ChildStdout>, String) {
    begin_with(place.command(&["mcp", "login", server]))
}

fn begin_with(mut command: Command) -> (Child, BufReader<ChildStdout>, String) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("/authorize?") {
        line.clear();
        if out.read_line(&mut line).unwrap() == 0 {
            let (_, text) = end(child, out);
            panic!("no page was named: {text}");
        }
    }
    (child, out, line.trim().to_owned())
}

/// Logs in as a person who agrees.
pub(crate) fn log_in(place: &Place, server: &str) -> (bool, String) {
    let (child, out, page) = begin(place, server);
    agree(&page);
    end(child, out)
}

/// Agrees on the page of a login.
pub(crate) fn agree(page: &str) {
    let asked = fields(page.split_once('?').unwrap().1);
    let issuer = page.split("/authorize").next().unwrap().replace(':', "%3A").replace('/', "%2F");
    let code = token("code");
    let back =
        format!("{}?code={code}&state={}&iss={issuer}", asked["redirect_uri"], asked["state"]);
    assert_eq!(visit(&back), 200);
}

pub(crate) fn test(place: &Place) -> (i32, String) {
    pintle(place, &["mcp", "test", "guarded"])
}

#[test]
fn a_server_that_wants_a_login_is_used_after_one_and_its_token_is_renewed() {
    let server = server(true, true);
    let place = Place::new(&[]);
    configure(&place, &server.url, "");
    let (code, text) = test(&place);
    assert!(
        code == 2 && text.contains("it requires a login: run `pintle mcp login guarded`"),
        "{text}"
    );

    let (is_fine, text) = log_in(&place, "guarded");
    assert!(is_fine && text.contains("logged in to guarded"), "{text}");
    let registered = server.to("/register")[0].json();
    assert_eq!(registered["client_name"], "pintle");
    let asked = fields(&server.to("/token")[0].body);
    assert_eq!(asked["grant_type"], "authorization_code");
    assert_eq!(asked["resource"], format!("{}/mcp", server.url));
    assert_eq!((asked["client_id"].as_str(), asked["code"].clone()), ("reg-1", token("code")));
    let file = place.home().join("mcp-logins.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let (code, text) = test(&place);
    assert!(code == 0 && text.contains("guarded 1, MCP 2025-11-25: 1 tools"), "{text}");

    // A token that the server takes back is renewed without a person.
    visit(&format!("{}/revoke", server.url));
    let (code, text) = test(&place);
    assert!(code == 0 && text.contains("1 tools"), "{text}");
    let renewed = fields(&server.to("/token")[1].body);
    assert_eq!(
        (renewed["grant_type"].as_str(), renewed["refresh_token"].clone()),
        ("refresh_token", token("renew-1"))
    );
    assert!(std::fs::read_to_string(&file).unwrap().contains("access-2"));

    assert_eq!(
        pintle(&place, &["mcp", "logout", "guarded"]),
        (0, "logged out of guarded\n".to_owned())
    );
    assert_eq!(
        pintle(&place, &["mcp", "logout", "guarded"]),
        (0, "not logged in to guarded\n".to_owned())
    );
    assert!(!std::fs::read_to_string(&file).unwrap().contains(PLANT));
    assert!(test(&place).1.contains("it requires a login"));
}

#[test]
fn a_login_is_a_clients_own_where_the_server_registers_none_and_is_made_by_address_too() {
    let server = server(false, false);
    let place = Place::new(&[]);
    configure(&place, &server.url, "");
    let (code, text) = pintle(&place, &["mcp", "login", "guarded"]);
    assert!(code != 0 && text.contains("`oauth.client_id` in its settings"), "{text}");

    configure(
        &place,
        &server.url,
        "oauth = { client_id = \"app-1\", scopes = [\"one\", \"two\"] }",
    );
    // By its address it is the same server, with the same settings.
    let (is_fine, text) = log_in(&place, &format!("{}/mcp", server.url));
    assert!(is_fine, "{text}");
    assert_eq!(fields(&server.to("/token")[0].body)["client_id"], "app-1");
    assert_eq!(test(&place).0, 0);

    // A key of the settings is used in its place.
    configure(&place, &server.url, "headers = { Authorization = \"Bearer wrong-key\" }");
    let (code, text) = test(&place);
    assert!(code == 2 && text.contains("refuses the `Authorization` of your settings"), "{text}");
    configure(&place, &server.url, "oauth = { client_id = \"app-1\" }");

    // A login that cannot be renewed asks for another one.
    visit(&format!("{}/revoke", server.url));
    let (code, text) = test(&place);
    assert!(code == 2 && text.contains("run `pintle mcp login guarded`"), "{text}");
}

#[test]
fn a_client_id_may_be_the_url_of_the_clients_document() {
    let server = server(true, true);
    let place = Place::new(&[]);
    let id = "https://client.test/pintle.json";
    configure(&place, &server.url, &format!("oauth = {{ client_id = \"{id}\" }}"));
    let (is_fine, text) = log_in(&place, "guarded");
    assert!(is_fine, "{text}");
    assert!(server.to("/register").is_empty(), "the server reads the document");
    let asked = fields(&server.to("/token")[0].body);
    assert_eq!(asked["client_id"].replace("%3A", ":").replace("%2F", "/"), id);
    assert_eq!(test(&place).0, 0);
}

#[test]
fn client_credentials_need_no_login() {
    let server = server(false, false);
    let place = Place::new(&[]);
    let settings = |fields: &str| {
        let oauth =
            format!("oauth = {{ grant = \"client_credentials\", client_id = \"app-1\"{fields} }}");
        configure(&place, &server.url, &oauth);
    };
    settings("");
    let (code, text) = test(&place);
    assert!(code != 0 && text.contains("requires `client_id` and `client_secret`"), "{text}");

    settings(", client_secret = \"app-secret-1\", scopes = [\"one\"]");
    for number in 0..2 {
        let (code, text) = test(&place);
        assert!(code == 0 && text.contains("1 tools"), "{text}");
        let asked = fields(&server.to("/token")[number].body);
        assert_eq!(asked["grant_type"], "client_credentials", "{asked:?}");
        assert_eq!(
            (asked["client_id"].as_str(), asked["client_secret"].as_str()),
            ("app-1", "app-secret-1")
        );
        assert_eq!(asked["scope"], "one");
        assert!(asked["resource"].contains("mcp"), "{asked:?}");
        // The next start gets another token.
        visit(&format!("{}/revoke", server.url));
    }
    std::fs::remove_file(place.home().join("mcp-logins.json")).unwrap();
    let (code, text) = run(place.limited_command(0, &["mcp", "test", "guarded"]));
    assert!(code == 0 && text.contains("is valid for this run only"), "{text}");
    let (code, text) = pintle(&place, &["mcp", "login", "guarded"]);
    assert!(code != 0 && text.contains("needs no login"), "{text}");
}

/// An identity provider that exchanges the token `signed-in` for an assertion about this server and the client `app-1`.
fn identity_provider(server: &str) -> Provider {
    let server = server.to_owned();
    Provider::start(move |request| {
        let issuer = format!("http://{}", request.header("host").unwrap());
        let asked = fields(&request.body);
        if asked["subject_token"] != token("signed-in") {
            return (400, json!({"error": "invalid_grant"}).to_string());
        }
        let coded = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let head = coded(json!({"alg": "RS256", "typ": "oauth-id-jag+jwt"}));
        let claims = coded(json!({"iss": issuer, "sub": "me", "aud": server, "client_id": "app-1",
            "jti": "1", "iat": 1, "exp": 4_000_000_000_u64, "resource": format!("{server}/mcp"),
            "scope": asked["scope"]}));
        let assertion = format!("{head}.{claims}.{}", URL_SAFE_NO_PAD.encode("signature"));
        ok(json!({"access_token": assertion, "token_type": "N_A", "scope": asked["scope"],
            "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag"}))
    })
}

#[test]
fn an_organization_grants_access_without_a_login() {
    let server = server(false, false);
    let idp = identity_provider(&server.url);
    let place = Place::new(&[]);
    let settings_for = |idp: &str, kind: &str, token: &str| {
        let identity = format!(
            "{{ issuer = \"{idp}\", token_url = \"{idp}/exchange\", client_id = \"pintle\", client_secret = \"idp-secret-1\", \
             token = \"!echo {token}\", token_type = \"{kind}\" }}"
        );
        let oauth = "oauth = { grant = \"enterprise\", client_id = \"app-1\", scopes = [\"tools\"], identity = ";
        configure(&place, &server.url, &format!("{oauth}{identity} }}"));
    };
    let settings = |kind: &str, token: &str| settings_for(&idp.url, kind, token);
    for (number, kind) in ["id_token", "refresh_token"].into_iter().enumerate() {
        settings(kind, &token("signed-in"));
        let (code, text) = test(&place);
        assert!(code == 0 && text.contains("1 tools"), "{text}");
        let asked = fields(&idp.to("/exchange")[number].body);
        assert_eq!(asked["audience"], server.url, "{asked:?}");
        assert_eq!(asked["resource"], format!("{}/mcp", server.url), "{asked:?}");
        assert_eq!(asked["scope"], "tools", "{asked:?}");
        assert!(asked["subject_token_type"].ends_with(kind), "{asked:?}");
        let basic = idp.to("/exchange")[number].header("authorization").map(str::to_owned);
        assert!(basic.is_some_and(|header| header.starts_with("Basic ")));
        let asked = fields(&server.to("/token")[number].body);
        assert_eq!(asked["grant_type"], JWT_BEARER, "{asked:?}");
        assert_eq!(asked["assertion"].split('.').count(), 3, "{asked:?}");
        // The next start gets another token.
        visit(&format!("{}/revoke", server.url));
    }
    // A full disk takes no token, with and without an earlier one in the file.
    let file = place.home().join("mcp-logins.json");
    let kept = std::fs::read(&file).unwrap();
    for has_earlier in [true, false] {
        let (code, text) = run(place.limited_command(0, &["mcp", "test", "guarded"]));
        assert!(code == 0 && text.contains("1 tools"), "{has_earlier}: {text}");
        assert!(text.contains("is valid for this run only"), "{has_earlier}: {text}");
        visit(&format!("{}/revoke", server.url));
        std::fs::remove_file(&file).unwrap_or_default();
    }
    std::fs::write(&file, kept).unwrap();
    let (code, text) = pintle(&place, &["mcp", "login", "guarded"]);
    assert!(code != 0 && text.contains("needs no login"), "{text}");
    let stored = std::fs::read_to_string(&file).unwrap();
    assert!(stored.contains("access-2") && !stored.contains("signed-in"), "{stored}");

    settings("id_token", &token("expired"));
    let (code, text) = test(&place);
    assert!(code != 0 && text.contains("which may have expired: sign in there again"), "{text}");
    assert!(!text.contains(&token("expired")), "{text}");
    // Nothing listens on the discard port.
    settings_for("http://127.0.0.1:9", "id_token", &token("signed-in"));
    let (code, text) = test(&place);
    assert!(code != 0 && text.contains("the identity provider could not be reached"), "{text}");
}

/// A server on this machine may name other addresses of this machine, which belong to other programs.
#[test]
fn an_address_of_this_machine_that_a_server_names_is_not_asked_where_nobody_agrees() {
    let inside = Provider::start(|_| ok(json!({"secret": "of another program"})));
    // Where the login is described, and where tokens come from.
    for named in ["authorization_servers", "token_endpoint"] {
        let elsewhere = inside.url.clone();
        let server = Provider::start(move |request| {
            let url = format!("http://{}", request.header("host").unwrap());
            let at = |name: &str| if name == named { elsewhere.clone() } else { url.clone() };
            match request.path.as_str() {
                path if path.starts_with("/.well-known/oauth-protected-resource") => ok(json!({
                    "resource": format!("{url}/mcp"),
                    "authorization_servers": [at("authorization_servers")],
                })),
                path if path.starts_with("/.well-known/oauth-authorization-server") => ok(json!({
                    "issuer": url,
                    "authorization_endpoint": format!("{url}/authorize"),
                    "token_endpoint": format!("{}/token", at("token_endpoint")),
                    "registration_endpoint": format!("{}/register", at("token_endpoint")),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                })),
                _ => (401, String::new()),
            }
        });
        let place = Place::new(&[]);
        configure(&place, &server.url, "");
        let before = inside.received().len();
        let (code, text) = pintle(&place, &["mcp", "login", "guarded"]);
        assert_ne!(code, 0, "{named}: {text}");
        assert_eq!(inside.received().len(), before, "{named}: {text}");
        assert!(text.contains("which requires your consent"), "{named}: {text}");
    }
}

#[test]
fn two_processes_that_renew_a_login_at_once_both_go_on() {
    let server = server(true, true);
    let place = Place::new(&[]);
    configure(&place, &server.url, "");
    assert!(log_in(&place, "guarded").0);
    visit(&format!("{}/revoke", server.url));
    let start = || {
        let mut command = place.command(&["mcp", "test", "guarded"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = child.stdout.take().unwrap();
        (child, out)
    };
    for (child, out) in [start(), start(), start()] {
        let (is_fine, text) = end(child, out);
        assert!(is_fine && text.contains("1 tools"), "{text}");
    }
    let issued = server.to("/token").len();
    let stored = std::fs::read_to_string(place.home().join("mcp-logins.json")).unwrap();
    assert!(stored.contains(&token(&format!("renew-{issued}"))), "the newest is kept");
}

#[test]
fn a_full_disk_takes_no_login_and_a_renewed_one_holds_for_the_run() {
    let server = server(true, true);
    let place = Place::new(&[]);
    configure(&place, &server.url, "");
    let left = || {
        let entries = std::fs::read_dir(place.home()).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(".mcp-logins")).collect::<Vec<_>>()
    };
    let (child, out, page) = begin_with(place.limited_command(0, &["mcp", "login", "guarded"]));
    let asked = fields(page.split_once('?').unwrap().1);
    let issuer = server.url.replace(':', "%3A").replace('/', "%2F");
    let back = format!("{}?code=c&state={}&iss={issuer}", asked["redirect_uri"], asked["state"]);
    assert_eq!(visit(&back), 200);
    let (is_fine, text) = end(child, out);
    assert!(!is_fine && text.contains("credential store failed"), "{text}");
    assert_eq!(left(), Vec::<String>::new());

    assert!(log_in(&place, "guarded").0);
    let file = place.home().join("mcp-logins.json");
    let before = std::fs::read(&file).unwrap();
    visit(&format!("{}/revoke", server.url));
    let (code, text) = run(place.limited_command(0, &["mcp", "test", "guarded"]));
    assert!(code == 0 && text.contains("1 tools"), "{text}");
    assert!(text.contains("is valid for this run only"), "{text}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(left(), Vec::<String>::new());
}

#[test]
fn a_login_that_fails_says_why_and_stores_nothing() {
    let server = server(true, true);
    let place = Place::new(&[]);
    configure(&place, &server.url, "");
    let (child, out, page) = begin(&place, "guarded");
    let asked = fields(page.split_once('?').unwrap().1);
    let challenge = &asked["code_challenge"];
    assert_eq!(URL_SAFE_NO_PAD.decode(challenge).unwrap().len(), 32);
    // Another page, which does not know the state, changes nothing.
    assert_eq!(visit(&format!("{}?code=c&state=other", asked["redirect_uri"])), 404);
    let back = format!("{}?error=access_denied&state={}", asked["redirect_uri"], asked["state"]);
    assert_eq!(visit(&back), 200);
    let (is_fine, text) = end(child, out);
    assert!(!is_fine && text.contains("it refused the login: access_denied"), "{text}");

    // The code of another server is not taken (RFC 9207).
    let (child, out, page) = begin(&place, "guarded");
    let asked = fields(page.split_once('?').unwrap().1);
    let back = format!(
        "{}?code=c&state={}&iss=https%3A%2F%2Fevil.test",
        asked["redirect_uri"], asked["state"]
    );
    assert_eq!(visit(&back), 200);
    let (is_fine, text) = end(child, out);
    assert!(!is_fine && text.contains("issuer mismatch"), "{text}");
    assert!(server.to("/token").is_empty());

    let (code, text) = pintle(&place, &["mcp", "login", "nobody"]);
    assert!(code != 0 && text.contains("unknown server `nobody`"), "{text}");
    std::fs::write(place.home().join("config.toml"), "[mcp_servers.own]\ncommand = \"x\"\n")
        .unwrap();
    let (code, text) = pintle(&place, &["mcp", "login", "own"]);
    assert!(code != 0 && text.contains("only servers with a `url` support logins"), "{text}");
    assert!(!place.home().join("mcp-logins.json").exists());
}

#[test]
fn a_client_logs_in_to_a_server_and_out_of_it() {
    let server = server(true, true);
    let place = Place::new(&[]);
    configure(&place, &server.url, "");
    let call =
        json!({"blocks": [{"tool": "mcp_call", "arguments": {"tool": "mcp__guarded__echo"}}]});
    let say = |text: &str| json!({"blocks": [{"text": text}]});
    let script = place.script(&json!({"replies": [say("It wants a login."), call, say("Done.")]}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    let program_of = json!({"command": "true"});
    let of_key =
        json!({"url": format!("{}/mcp", server.url), "headers": {"Authorization": "Bearer x"}});
    let servers = json!({"program": program_of, "of-key": of_key});
    program.ask("session/create", json!({"config": {"mcpServers": servers}}));
    let state = |program: &mut Program, name: &str| -> Value {
        let listed = program.ask("mcp/list", json!({}));
        let all = listed["servers"].as_array().unwrap();
        all.iter().find(|server| server["name"] == name).unwrap().clone()
    };
    // Before a turn has used it, a person can log in; a turn finds out that it is needed.
    assert_eq!(state(&mut program, "guarded")["login"], "possible");
    assert_eq!(state(&mut program, "program").get("login"), None);
    assert_eq!(state(&mut program, "of-key").get("login"), None);
    program.prompt("go");
    program.until_event("turn.completed");
    assert_eq!(state(&mut program, "guarded")["login"], "wanted");

    // It is cancelled while the person looks at the page, and keeps no other request waiting.
    let page = |program: &mut Program| -> Value {
        program.until(|message| message["method"] == "auth/openUrl")["params"].clone()
    };
    let id = program.request("mcp/login", json!({"server": "guarded"}));
    page(&mut program);
    program.ask("ping", json!({}));
    program.send(&json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}}));
    assert_eq!(program.answer_to(id)["data"]["code"], "cancelled");
    assert_eq!(program.ask("mcp/logout", json!({"server": "guarded"})), json!({"removed": false}));

    let id = program.request("mcp/login", json!({"server": "guarded", "scopes": ["tools"]}));
    let shown = page(&mut program);
    assert_eq!(shown["mcpServer"], "guarded");
    assert!(shown.get("provider").is_none() && shown["expiresInMs"].as_u64().unwrap() > 0);
    let url = shown["url"].as_str().unwrap();
    assert!(url.contains("scope=tools"), "{url}");
    agree(url);
    let answer = program.answer_to(id);
    assert_eq!(answer["servers"].as_array().unwrap().len(), 3, "{answer}");
    until(|| state(&mut program, "guarded")["status"] == "ready");
    program.prompt("again");
    let done = program.until(|message| {
        let event = &message["params"]["event"];
        event["type"] == "item.completed" && event["item"]["type"] == "toolCall"
    });
    let output = done["params"]["event"]["item"]["output"]["content"].to_string();
    assert!(output.contains("said again"), "{output}");
    program.until_event("turn.completed");
    assert!(program.seen.iter().all(|message| !message.to_string().contains(PLANT)));

    assert_eq!(program.ask("mcp/logout", json!({"server": "guarded"})), json!({"removed": true}));
    for (server, want) in [
        ("program", "failed to log in to `program`: only servers with a `url` support logins"),
        ("of-key", "failed to log in to `of-key`: its settings contain an `Authorization`"),
        ("nobody", "unknown MCP server `nobody` in this session"),
    ] {
        let refused = program.ask_refused("mcp/login", json!({ "server": server }));
        assert!(refused["message"].as_str().unwrap().starts_with(want), "{refused}");
    }

    // A login that nobody finishes ends with the client that began it.
    program.request("mcp/login", json!({"server": "guarded"}));
    let shown = page(&mut program);
    program.ask("shutdown", json!({}));
    program.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert!(program.wait().success());
    let asked = fields(shown["url"].as_str().unwrap().split_once('?').unwrap().1);
    let back = asked["redirect_uri"].strip_prefix("http://").unwrap();
    let host = back.split('/').next().unwrap().replace("localhost", "127.0.0.1");
    assert!(std::net::TcpStream::connect(host).is_err(), "nobody listens for it any more");
}
