//! Tokens of stored logins: renewed, exchanged for short-lived ones, and stored for all processes.

use crate::login::{
    DEVICE, Provider, ask, configure, error, fields, hello, log_in_before, ok, quoted, run, stored,
    token,
};
use crate::providers::chat;
use crate::support::program::Place;
use pintle_base::ambient::{Ambient, Secret};
use pintle_llm::catalog::Login;
use pintle_llm::login::Logins;
use serde_json::json;
use std::process::{Child, Stdio};

#[test]
fn a_short_lived_token_is_exchanged_and_the_account_may_have_another_server() {
    // As GitHub Copilot: the first short-lived token is refused at the second request, the next one holds.
    let mut exchanges = 0;
    let mut chats = 0;
    let place = Place::new(&[("a.txt", "x\n")]);
    let elsewhere = Provider::start(move |request| {
        chats += 1;
        let first = format!("Bearer {}", token("short-1"));
        match (chats, request.header("authorization") == Some(&first)) {
            (1, true) => (200, chat(&("", Some(("read", json!({"path": "a.txt"})))))),
            (2, true) => (401, json!({"error": {"message": "token expired"}}).to_string()),
            (3, false) => hello(),
            other => panic!("{other:?}"),
        }
    });
    let api = elsewhere.url.clone();
    let provider = Provider::start(move |request| {
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/exchange"));
        exchanges += 1;
        let short = token(&format!("short-{exchanges}"));
        ok(
            json!({"token": short, "expires_at": 4_000_000_000_u64, "refresh_in": 1500, "endpoints": {"api": api}}),
        )
    });
    configure(&place, &provider.url, &format!("{DEVICE}\nexchange_url = \"URL/exchange\""));
    let config = place.home().join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(
        &config,
        text.replace("api = \"chat\"\n", "api = \"chat\"\ninitiator_headers = true\n"),
    )
    .unwrap();
    log_in_before(&place, &[("token", quoted(&token("long")))]);
    assert_eq!(ask(&place), (0, "hello\n".to_owned()));
    let exchanged = provider.to("/exchange");
    assert_eq!(exchanged.len(), 2);
    let long = format!("Bearer {}", token("long"));
    assert!(exchanged.iter().all(|request| request.header("authorization") == Some(&long)));
    let initiators: Vec<_> = elsewhere
        .received()
        .iter()
        .map(|request| request.header("x-initiator").unwrap().to_owned())
        .collect();
    assert_eq!(initiators, ["user", "agent", "agent"]);
    assert!(!stored(&place).contains("short"), "short-lived tokens stay in memory");
}

#[test]
fn a_login_that_the_exchange_does_not_accept_is_to_be_made_again() {
    for (name, status, body, want) in [
        ("refused", 401, json!({"message": "Bad credentials"}), "own no longer accepts the login"),
        (
            "no plan",
            403,
            json!({"message": "no access to Copilot"}),
            "own denied access: no access to Copilot",
        ),
    ] {
        let provider = Provider::start(move |_| (status, body.to_string()));
        let place = Place::new(&[]);
        configure(&place, &provider.url, &format!("{DEVICE}\nexchange_url = \"URL/exchange\""));
        log_in_before(&place, &[("token", quoted(&token("long")))]);
        let (code, text) = ask(&place);
        assert!(
            code != 0 && text.contains(want) && text.contains("pintle login own"),
            "{name}: {text}"
        );
        assert_eq!(provider.received().len(), 1, "{name}: nothing is asked again");
    }
}

/// A provider that renews tokens, and accepts the renewed one alone.
pub(crate) fn renewing(expires_in: u64) -> Provider {
    let mut renewed = 0;
    Provider::start(move |request| match request.path.as_str() {
        "/token" => {
            let sent = fields(&request.body);
            assert_eq!(
                (sent["grant_type"].as_str(), sent["client_id"].as_str()),
                ("refresh_token", "app-1")
            );
            if sent["refresh_token"] != token(&format!("renew-{renewed}")) {
                return error("invalid_grant");
            }
            renewed += 1;
            ok(json!({"access_token": token(&format!("access-{renewed}")),
                "refresh_token": token(&format!("renew-{renewed}")), "expires_in": expires_in}))
        }
        _ if request.header("authorization") == Some(&format!("Bearer {}", token("access-0"))) => {
            (401, json!({"error": {"message": "expired"}}).to_string())
        }
        _ => hello(),
    })
}

#[test]
fn a_token_is_renewed_before_it_expires_and_once_when_it_is_refused() {
    for (name, expires_at_ms, requests) in [("expired", Some(1), 1), ("refused", None, 2)] {
        let provider = renewing(86_400);
        let place = Place::new(&[]);
        configure(&place, &provider.url, DEVICE);
        let mut login = vec![
            ("token", quoted(&token("access-0"))),
            ("refresh_token", quoted(&token("renew-0"))),
        ];
        login.extend(expires_at_ms.map(|time: u64| ("expires_at_ms", time.to_string())));
        log_in_before(&place, &login);
        for asked in [1, 2] {
            assert_eq!(ask(&place), (0, "hello\n".to_owned()), "{name}");
            let chats = provider.to("/v1/chat/completions").len();
            assert_eq!((provider.to("/token").len(), chats), (1, requests + asked - 1), "{name}");
        }
        assert!(stored(&place).contains(&token("renew-1")), "{name}");
    }
}

#[test]
fn a_login_that_cannot_be_renewed_is_to_be_made_again() {
    for (name, fields, want) in [
        (
            "a refused renewal",
            vec![("refresh_token", quoted("old-renewal"))],
            "could not be renewed: because invalid_grant",
        ),
        ("none", vec![], "the login to own has expired"),
    ] {
        let provider = renewing(86_400);
        let place = Place::new(&[]);
        configure(&place, &provider.url, DEVICE);
        let token = [("token", quoted(&token("access-0"))), ("expires_at_ms", "1".to_owned())];
        log_in_before(&place, &[token.to_vec(), fields].concat());
        let (code, text) = ask(&place);
        assert!(
            code != 0 && text.contains(want) && text.contains("pintle login own"),
            "{name}: {text}"
        );
    }
    // A token that is refused for good, where nothing renews it.
    let provider = renewing(86_400);
    let place = Place::new(&[]);
    configure(&place, &provider.url, DEVICE);
    log_in_before(&place, &[("token", quoted(&token("access-0")))]);
    let (code, text) = ask(&place);
    assert!(code != 0 && text.contains("log in with `pintle login own`"), "{text}");
    assert_eq!(provider.received().len(), 1);
}

#[test]
fn of_several_processes_one_renews_a_login() {
    let provider = renewing(86_400);
    let place = Place::new(&[]);
    configure(&place, &provider.url, DEVICE);
    log_in_before(
        &place,
        &[
            ("token", quoted(&token("access-0"))),
            ("refresh_token", quoted(&token("renew-0"))),
            ("expires_at_ms", "1".to_owned()),
        ],
    );
    let start = || {
        let mut command = place.command(&["run", "--quiet", "--model", "own/m", "hi"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..4).map(|_| start()).collect();
    for child in children {
        let out = child.wait_with_output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&out.stdout),
            "hello\n",
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
    }
    assert_eq!(provider.to("/token").len(), 1, "the token that renews is good once");
}

#[tokio::test]
async fn a_renewed_login_that_cannot_be_stored_holds_for_the_run() {
    let provider = renewing(86_400);
    let place = Place::new(&[]);
    log_in_before(
        &place,
        &[
            ("token", quoted(&token("access-0"))),
            ("refresh_token", quoted(&token("renew-0"))),
            ("expires_at_ms", "1".to_owned()),
        ],
    );
    let login = Login {
        client_id: Some("app-1".to_owned()),
        token_url: Some(format!("{}/token", provider.url)),
        ..Login::default()
    };
    let ambient = Ambient::system();
    let logins =
        Logins::in_folder(&place.home(), &ambient, pintle_base::network::Network::default());
    assert!(ambient.secrets().are_in(&token("renew-0")), "what is stored is known at once");
    // The lock is there already, and nothing else can be written: the nearest thing to a full disk.
    std::fs::write(place.home().join("logins.toml.lock"), "").unwrap();
    let file_size = tokio::signal::unix::SignalKind::from_raw(nix::libc::SIGXFSZ);
    let _file_size = tokio::signal::unix::signal(file_size).unwrap();
    let limit = nix::sys::resource::Resource::RLIMIT_FSIZE;
    let (_, hard) = nix::sys::resource::getrlimit(limit).unwrap();
    nix::sys::resource::setrlimit(limit, 0, hard).unwrap();
    let mut got = Vec::new();
    for _ in 0..2 {
        got.push(logins.credential("own", &login, None, None).await.unwrap().token);
    }
    nix::sys::resource::setrlimit(limit, hard, hard).unwrap();
    assert!(got.iter().all(|got| got.expose() == token("access-1")));
    assert_eq!(provider.to("/token").len(), 1);
    assert!(stored(&place).contains("access-0"));
    // Once there is room again, the next renewal is stored.
    let refused = Secret::new(token("access-1"));
    let next = logins.credential("own", &login, None, Some(&refused)).await.unwrap();
    assert_eq!(next.token.expose(), token("access-2"));
    assert!(stored(&place).contains(&token("access-2")));
}

#[test]
fn an_exchange_can_be_left_out() {
    let provider = Provider::start(|_| hello());
    let place = Place::new(&[]);
    configure(&place, &provider.url, &format!("{DEVICE}\nexchange_url = \"\""));
    log_in_before(&place, &[("token", quoted(&token("long")))]);
    assert_eq!(ask(&place), (0, "hello\n".to_owned()));
    let sent = provider.received();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].header("authorization"), Some(format!("Bearer {}", token("long")).as_str()));
}

#[test]
fn a_key_of_the_settings_or_the_environment_is_exchanged_too() {
    for (name, key) in [
        ("a variable of the provider", "key_vars = [\"MINE\"]"),
        ("a variable of the key", "key = \"$MINE\""),
        ("a command", "key = \"!printenv MINE\""),
    ] {
        let provider = Provider::start(|request| match request.path.as_str() {
            "/exchange" => ok(json!({"token": token("short")})),
            _ => hello(),
        });
        let place = Place::new(&[]);
        configure(&place, &provider.url, &format!("{DEVICE}\nexchange_url = \"URL/exchange\""));
        let config = place.home().join("config.toml");
        let text = std::fs::read_to_string(&config).unwrap();
        let with_key = text.replace("api = \"chat\"\n", &format!("api = \"chat\"\n{key}\n"));
        std::fs::write(&config, with_key).unwrap();
        let mut command = place.command(&["run", "--quiet", "--model", "own/m", "hi"]);
        command.env("MINE", token("long"));
        let (_, text) = run(command);
        assert!(text.starts_with("hello\n"), "{name}: {text}");
        let sent: Vec<_> = provider
            .received()
            .iter()
            .map(|request| request.header("authorization").unwrap().to_owned())
            .collect();
        let bearer = |name: &str| format!("Bearer {}", token(name));
        assert_eq!(sent, [bearer("long"), bearer("short")], "{name}");
    }
}
