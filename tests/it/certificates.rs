//! Servers with a certificate of a private authority, through the real program: models, exchanges of tokens, MCP servers, their logins,
//! fetched pages and `doctor --online` use the same certificates.

use crate::login::{
    DEVICE, Provider, ask, configure, hello, log_in_before, ok, pintle, quoted, token,
};
use crate::mcp_login;
use crate::support::program::Place;
use crate::support::tls::{file, front};
use serde_json::json;

/// What is tried.
struct Row {
    name: &'static str,
    server: fn() -> Provider,
    /// Writes the settings for the server at this address.
    configure: fn(&Place, &str),
    /// Returns whether it worked, and what was printed.
    works: fn(&Place) -> (bool, String),
}

const ROWS: [Row; 6] = [
    Row {
        name: "a model",
        server: || Provider::start(|_| hello()),
        configure: logged_in,
        works: says_hello,
    },
    Row {
        name: "an exchange of tokens",
        server: || {
            Provider::start(|request| match request.path.as_str() {
                "/exchange" => ok(
                    json!({"token": token("short"), "expires_at": 4_000_000_000_u64, "refresh_in": 1500}),
                ),
                _ => hello(),
            })
        },
        configure: |place, url| {
            configure(place, url, &format!("{DEVICE}\nexchange_url = \"URL/exchange\""));
            log_in_before(place, &[("token", quoted(&token("long")))]);
        },
        works: says_hello,
    },
    Row {
        name: "an MCP server",
        server: || Provider::start(mcp_login::mcp),
        configure: |place, url| mcp_login::configure(place, url, ""),
        works: |place| {
            let (code, text) = mcp_login::test(place);
            (code == 0 && text.contains("says it again"), text)
        },
    },
    Row {
        name: "the login of an MCP server",
        server: || mcp_login::server_at("https", true, true),
        configure: |place, url| mcp_login::configure(place, url, ""),
        works: |place| {
            let (_, text) = mcp_login::test(place);
            // No page can be named before the server was reached.
            if !text.contains("it requires a login") {
                return (false, pintle(place, &["mcp", "login", "guarded"]).1);
            }
            let (is_done, text) = mcp_login::log_in(place, "guarded");
            (is_done && mcp_login::test(place).0 == 0, text)
        },
    },
    Row {
        name: "a page",
        server: || Provider::start(|_| ok(json!("the page"))),
        configure: |place, url| {
            let text = "[tools]\nweb_fetch = true\nweb_fetch_private = true\n";
            std::fs::create_dir_all(place.home()).unwrap();
            std::fs::write(place.home().join("config.toml"), text).unwrap();
            let call = json!({"tool": "web_fetch", "arguments": {"url": format!("{url}/page")}});
            let done = json!({"blocks": [{"text": "done"}]});
            place.script(&json!({"replies": [{"blocks": [call]}, done]}));
        },
        works: |place| {
            let script = place.folder().join("script.json");
            let script = script.to_str().unwrap();
            let args =
                ["run", "--script", script, "--permission", "full", "--format", "events", "hi"];
            let (_, text) = pintle(place, &args);
            (text.contains("the page"), text)
        },
    },
    Row {
        name: "doctor --online",
        server: || Provider::start(|_| ok(json!({"data": [{"id": "m"}]}))),
        configure: logged_in,
        works: |place| {
            let (code, text) = pintle(place, &["doctor", "--online", "--model", "own/m"]);
            (code == 0, text)
        },
    },
];

fn logged_in(place: &Place, url: &str) {
    configure(place, url, DEVICE);
    log_in_before(place, &[("token", quoted(&token("long")))]);
}

fn says_hello(place: &Place) -> (bool, String) {
    let (code, text) = ask(place);
    (code == 0 && text == "hello\n", text)
}

#[test]
fn every_client_trusts_the_same_authorities_and_shows_the_same_certificate() {
    const CA: (&str, &str) = ("extra_ca_file", "ca.pem");
    const OWN: (&str, &str) = ("client_certificate_file", "client.pem");
    for Row { name, server, configure, works } in ROWS {
        let server = server();
        for (keys, asks, want) in [
            (&[][..], false, Err("extra_ca_file")),
            (&[CA], false, Ok(())),
            (&[CA], true, Err("client_certificate_file")),
            (&[CA, OWN], true, Ok(())),
        ] {
            let place = Place::new(&[]);
            configure(&place, &front(&server.url, asks));
            let path = place.home().join("config.toml");
            let lines = keys.iter().map(|(key, name)| format!("{key} = {:?}\n", file(name)));
            let text = lines.collect::<String>() + &std::fs::read_to_string(&path).unwrap();
            std::fs::write(path, text).unwrap();
            let (is_fine, text) = works(&place);
            let what = format!("{name}, {keys:?}, asks: {asks}: {text}");
            match want {
                Ok(()) => assert!(is_fine, "{what}"),
                Err(hint) => assert!(!is_fine && text.contains(hint), "{what}"),
            }
        }
    }
}

#[test]
fn certificates_that_cannot_be_used_are_named_and_tried_once() {
    let authority = std::fs::read(file("ca.pem")).unwrap();
    for (name, key, content, want) in [
        ("empty", "extra_ca_file", &b""[..], "holds no certificate"),
        ("no PEM", "extra_ca_file", b"junk", "holds no certificate"),
        ("binary", "extra_ca_file", b"0\x82\x03\xff", "`extra_ca_file` refers to an unusable file"),
        ("without a key", "client_certificate_file", &authority, "no certificate with its key"),
    ] {
        let place = Place::new(&[]);
        std::fs::create_dir_all(place.home()).unwrap();
        std::fs::write(place.home().join("own.pem"), content).unwrap();
        let settings = format!(
            "{key} = \"own.pem\"\n[providers.own]\nbase_url = \"https://127.0.0.1:1/v1\"\napi = \"chat\"\n"
        );
        std::fs::write(place.home().join("config.toml"), settings).unwrap();
        for args in [&["doctor"][..], &["run", "--model", "own/m", "hi"]] {
            let (code, text) = pintle(&place, args);
            assert!(code != 0 && text.contains(want) && text.contains(key), "{name}: {text}");
            assert!(!text.contains("retry"), "{name}: {text}");
        }
    }
}
