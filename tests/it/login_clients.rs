//! Logins of clients: over the native protocol, and what an editor of the Agent Client Protocol finds stored.

use crate::login::{
    BROWSER, DEVICE, Provider, configure, device, error, log_in_before, ok, quoted, stored, token,
};
use crate::support::acp::Client;
use crate::support::program::{Framing, PLANT, Place, Program};
use serde_json::{Value, json};

/// `pintle serve` in a place, with an open connection.
fn serve(place: &Place, model: &str) -> Program {
    let mut program = Program::start(place.engine(&["serve", "--model", model]), Framing::Lines);
    program.initialize();
    program
}

fn row<'a>(status: &'a Value, provider: &str) -> &'a Value {
    let rows = status["providers"].as_array().unwrap();
    rows.iter().find(|row| row["provider"] == provider).unwrap()
}

#[test]
fn a_client_logs_in_and_its_next_turn_is_answered() {
    let done = ok(json!({"access_token": token("access")}));
    let provider = Provider::start(device(vec![error("authorization_pending"), done]));
    let place = Place::new(&[]);
    configure(&place, &provider.url, DEVICE);
    let mut program = serve(&place, "own/m");
    program.ask("session/create", json!({}));
    let refused = program.prompt("hi");
    assert_eq!(refused["code"], -32000, "{refused}");
    assert_eq!(refused["data"]["hint"], "log in to own with auth/login");
    let status = program.ask("auth/status", json!({}));
    assert_eq!(
        row(&status, "own"),
        &json!({"provider": "own", "methods": ["device", "key"], "key": "missing"})
    );
    assert_eq!(row(&status, "openrouter")["methods"], json!(["browser", "key"]));
    assert_eq!(row(&status, "anthropic")["keyVar"], "ANTHROPIC_API_KEY");
    assert!(!status["providers"].to_string().contains("ollama"));

    let answer = program.ask("auth/login", json!({"provider": "own"}));
    assert_eq!(answer, json!({"provider": "own", "method": "device"}));
    let page = program.seen.iter().position(|message| message["method"] == "auth/openUrl").unwrap();
    let page = &program.seen[page]["params"];
    let left = page["expiresInMs"].as_u64().unwrap();
    assert_eq!(
        page,
        &json!({"provider": "own", "url": "https://login.test/device", "userCode": "ABCD-1234", "expiresInMs": left})
    );
    let own = program.ask("auth/status", json!({}));
    assert_eq!(
        (&row(&own, "own")["stored"], &row(&own, "own")["key"]),
        (&json!("device"), &json!("login"))
    );
    program.prompt("hi");
    assert_eq!(program.until_event("turn.completed")["status"], "completed");

    assert_eq!(program.ask("auth/logout", json!({"provider": "own"})), json!({"removed": true}));
    assert_eq!(program.ask("auth/logout", json!({"provider": "own"})), json!({"removed": false}));
    assert_eq!(program.prompt("hi")["code"], -32000);
    let key = token("typed");
    let typed = program.ask("auth/login", json!({"provider": "own", "key": key}));
    assert_eq!(typed["method"], "key");
    program.prompt("hi");
    assert_eq!(program.until_event("turn.completed")["status"], "completed");
    assert!(program.seen.iter().all(|message| !message.to_string().contains(PLANT)));
    for (params, want) in [
        (json!({"provider": "nobody"}), "unknown provider `nobody`"),
        (json!({"provider": "own", "method": "browser"}), "expected one of device, key"),
        (json!({"provider": "openai", "method": "key"}), "requires its key"),
    ] {
        let refused = program.ask("auth/login", params);
        assert!(refused["message"].as_str().unwrap().contains(want), "{refused}");
    }
}

#[test]
fn a_login_of_a_client_can_be_cancelled_and_keeps_no_other_request_waiting() {
    for (name, login) in [("device", DEVICE), ("browser", BROWSER)] {
        let provider = Provider::start(|request| {
            assert_eq!(request.path, "/device");
            ok(
                json!({"device_code": token("device"), "user_code": "A-1", "verification_uri": "https://h.test/",
                "interval": 60}),
            )
        });
        let place = Place::new(&[]);
        configure(&place, &provider.url, login);
        let mut program = serve(&place, "own/m");
        let id = program.request("auth/login", json!({"provider": "own", "method": name}));
        program.until(|message| message["method"] == "auth/openUrl");
        // A serial request begins and ends meanwhile.
        assert!(program.ask("session/create", json!({})).get("sessionId").is_some());
        program.send(&json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}}));
        let cancelled = program.answer_to(id);
        assert_eq!(
            (&cancelled["code"], &cancelled["data"]["code"]),
            (&json!(-32800), &json!("cancelled")),
            "{name}"
        );
        assert!(!stored(&place).contains("own"));
        // One that is still open ends with the program.
        program.request("auth/login", json!({"provider": "own", "method": name}));
        program.until(|message| message["method"] == "auth/openUrl");
        program.ask("shutdown", json!({}));
        program.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        assert!(program.wait().success(), "{name}");
    }
}

#[test]
fn an_editor_that_authenticates_uses_a_stored_login() {
    let place = Place::new(&[]);
    configure(&place, "http://127.0.0.1:9", DEVICE);
    let mut client = Client::over(place.engine(&["acp", "--model", "own/m"]), json!({}));
    let keys = json!({"methodId": "pintle-keys"});
    let refused = client.ask("authenticate", keys.clone());
    assert_eq!(refused["code"], -32000, "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("`pintle login own`"), "{refused}");
    log_in_before(&place, &[("token", quoted(&token("access")))]);
    assert_eq!(client.ask("authenticate", keys), json!({}));
}
