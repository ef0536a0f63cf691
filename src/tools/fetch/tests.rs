use super::*;
use crate::Settings;
use crate::tests::{Scene, text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_exec::Dialect;
use pintle_testing::pdf;
use serde_json::json;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Answers of a server: for each path the whole bytes. A path that is not there is answered by nothing, and held open.
type Answers = Vec<(&'static str, Vec<u8>)>;

/// A server on this machine. Says which paths were asked for.
fn serve(answers: Answers) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test's server never waits for its test")]
    let (asked_tx, asked) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept() {
            let mut request = Vec::new();
            let mut piece = [0; 1024];
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                match stream.read(&mut piece) {
                    Ok(read) if read > 0 => request.extend_from_slice(&piece[..read]),
                    _ => break,
                }
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
            if let Some((_, answer)) = answers.iter().find(|(known, _)| *known == path) {
                // The receiver hangs up once it has enough.
                let _ = stream.write_all(answer);
            } else {
                held.push(stream);
            }
            if asked_tx.send(request).is_err() {
                return;
            }
        }
    });
    (address, asked)
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn moved(to: &str) -> Vec<u8> {
    answer("302 Found", &format!("location: {to}\r\n"), b"")
}

fn settings(web_fetch_private: bool) -> Settings {
    Settings { web_fetch_private, ..Settings::default() }
}

fn scene(web_fetch_private: bool) -> Scene {
    let mut scene = Scene::new();
    scene.ctx.settings = Arc::new(settings(web_fetch_private));
    scene
}

async fn fetch(scene: &Scene, url: &str) -> ToolResult {
    scene.call(&Fetch(Profile::Pi), json!({ "url": url })).await
}

#[tokio::test]
async fn pages_are_fetched() {
    const HTML: &str = "content-type: text/html; charset=utf-8\r\n";
    let large = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 6000000\r\n\r\nx";
    let endless =
        [&b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"[..], &vec![b'x'; 5_300_000]]
            .concat();
    let (address, _asked) = serve(vec![
        (
            "/page",
            answer("200 OK", HTML, "<title>T</title><p>h\u{e4}llo <a href=x>there</a>".as_bytes()),
        ),
        ("/text", answer("200 OK", "content-type: text/plain\r\n", b"a <b>\n")),
        ("/json", answer("200 OK", "content-type: application/json\r\n", b"{\"a\": 1}")),
        ("/latin", answer("200 OK", "content-type: text/plain; charset=latin1\r\n", b"caf\xe9")),
        ("/empty", answer("200 OK", HTML, b"")),
        ("/moved", moved("/hop?x=1")),
        ("/hop?x=1", moved("./page#part")),
        ("/loop", moved("/loop")),
        ("/elsewhere", moved("http://example.test/x")),
        ("/file", moved("file:///etc/passwd")),
        ("/gone", answer("404 Not Found", HTML, b"<p>sorry")),
        ("/nowhere", answer("302 Found", "", b"")),
        ("/zip", answer("200 OK", "content-type: application/zip\r\n", b"PK\x03\x04\0")),
        ("/binary", answer("200 OK", "", b"\x7fELF\0")),
        ("/gzip", answer("200 OK", "content-encoding: gzip\r\n", b"\x1f\x8b")),
        ("/large", large.to_vec()),
        ("/endless", endless),
        (
            "/cut",
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nabc"
                .to_vec(),
        ),
        ("/nonsense", b"hello\r\n\r\n".to_vec()),
    ]);
    let scene = scene(true);
    for (name, path, want) in [
        (
            "a page becomes Markdown",
            "/page",
            "[URL/page: text/html, 45B]\n\n# T\n\nh\u{e4}llo [there](x)",
        ),
        ("text stays", "/text", "[URL/text: text/plain, 6B]\n\na <b>"),
        ("JSON stays", "/json", "[URL/json: application/json, 8B]\n\n{\"a\": 1}"),
        ("another charset", "/latin", "[URL/latin: text/plain, 4B]\n\ncaf\u{e9}"),
        ("an empty page", "/empty", "[URL/empty: text/html, 0B]\n\n(no text)"),
        ("a place in a page", "/text#a", "[URL/text: text/plain, 6B]\n\na <b>"),
        ("redirects", "/moved", "[URL/page: text/html, 45B]\n\n# T\n\nh\u{e4}llo [there](x)"),
        (
            "redirects forever",
            "/loop",
            "error: Cannot fetch URL/loop: it redirects more than 5 times",
        ),
        (
            "a redirect to another host",
            "/elsewhere",
            "error: Cannot fetch URL/elsewhere: it redirects to another host. \
             Call web_fetch with http://example.test/x to continue",
        ),
        (
            "a redirect to a file",
            "/file",
            "error: Cannot fetch URL/file: it redirects to a URL that must start with https:// or http://, not file:",
        ),
        ("not there", "/gone", "error: Cannot fetch URL/gone: the server returned 404 Not Found"),
        (
            "a redirect to nowhere",
            "/nowhere",
            "error: Cannot fetch URL/nowhere: the server returned 302 Found",
        ),
        (
            "a type that is no text",
            "/zip",
            "error: Cannot fetch URL/zip: it is application/zip (5B), not text",
        ),
        (
            "content that is no text",
            "/binary",
            "error: Cannot fetch URL/binary: it is a ELF program, not text",
        ),
        (
            "compressed",
            "/gzip",
            "error: Cannot fetch URL/gzip: the server sent an unrequested encoding (gzip)",
        ),
        (
            "too large by its own word",
            "/large",
            "error: Cannot fetch URL/large: it is 5.7MB, and the limit is 5.0MB",
        ),
        (
            "too large",
            "/endless",
            "error: Cannot fetch URL/endless: it is larger than 5.0MB, and the limit is 5.0MB",
        ),
        (
            "cut off",
            "/cut",
            "error: Cannot fetch URL/cut: end of file before message length reached",
        ),
        (
            "no answer of a web server",
            "/nonsense",
            "error: Cannot fetch URL/nonsense: invalid HTTP version parsed",
        ),
    ] {
        let url = format!("http://{address}");
        let got = text(&fetch(&scene, &format!("{url}{path}")).await);
        assert_eq!(got.replace(&url, "URL"), want, "{name}");
    }
    // The port is free again: nothing listens on it.
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let got = text(&fetch(&scene, &format!("http://{closed}/")).await);
    assert!(got.contains("Connection refused"), "{got}");
}

#[tokio::test]
async fn this_machine_and_private_networks_are_refused() {
    let (address, mut asked) = serve(vec![("/", answer("200 OK", "", b"secret"))]);
    let port = address.port();
    let scene = scene(false);
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0.0.0.0",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
        "192.168.0.1",
        "[fd00:ec2::254]",
    ] {
        let got = text(&fetch(&scene, &format!("http://{host}:{port}/")).await);
        let want = "is this machine or on a private network, which is not allowed (setting web_fetch_private under [tools])";
        assert!(got.starts_with("error: ") && got.ends_with(want), "{host}: {got}");
    }
    assert!(asked.try_recv().is_err(), "no question was asked");
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_the_answer_is_held_to() {
    static LOOK_UPS: AtomicUsize = AtomicUsize::new(0);
    let (address, mut asked) = serve(vec![("/", answer("200 OK", "", b"x"))]);
    let url = net::parse(&format!("http://changing.test:{}/", address.port())).unwrap();
    let net = Net {
        look_up: |host, port| {
            assert_eq!(host, "changing.test");
            // The first answer is this machine, any later one would lead to nowhere.
            let ip = match LOOK_UPS.fetch_add(1, Ordering::SeqCst) {
                0 | 1 => Ipv4Addr::LOCALHOST,
                _ => Ipv4Addr::new(192, 0, 2, 1),
            };
            Box::pin(async move { Ok(vec![SocketAddr::from((ip, port))]) })
        },
        ..Net::default()
    };
    let refused = net.get(&url, &settings(false)).await.unwrap_err().to_string();
    assert!(refused.starts_with("changing.test is this machine"), "{refused}");
    assert!(asked.try_recv().is_err(), "no question was asked");
    assert_eq!(net.get(&url, &settings(true)).await.unwrap().body, b"x");
    assert_eq!(LOOK_UPS.load(Ordering::SeqCst), 2, "once for each call");
    let request = asked.recv().await.unwrap().to_ascii_lowercase();
    assert!(request.contains(&format!("host: changing.test:{}", address.port())), "{request}");
}

#[tokio::test]
async fn a_public_address_among_private_ones_is_the_only_one_taken() {
    let url = net::parse("http://mixed.test/").unwrap();
    let net = Net {
        look_up: |_, port| {
            let found = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(1, 1, 1, 1)]
                .map(|ip| SocketAddr::from((ip, port)));
            Box::pin(async move { Ok(found.to_vec()) })
        },
        ..Net::default()
    };
    let allowed = net.addresses(&url, false).await.unwrap();
    assert_eq!(allowed, [SocketAddr::from((Ipv4Addr::new(1, 1, 1, 1), 80))]);
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_not_waited_for() {
    let begun = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nabc";
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = net::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        assert!(stream.read(&mut request).unwrap() > 0);
        stream.write_all(begun).unwrap();
        // Waits until the other side gives up.
        stream.read_to_end(&mut Vec::new())
    });
    let net = Net { max_time: Duration::from_millis(300), ..Net::default() };
    let failure = net.get(&url, &settings(true)).await.unwrap_err().to_string();
    assert_eq!(failure, "no complete response after 300ms");
    // The connection is closed: else this would never end. The runtime must run for that.
    let ended = tokio::task::spawn_blocking(|| server.join().unwrap()).await.unwrap();
    assert!(ended.is_ok());
}

#[tokio::test]
async fn a_long_page_is_kept_in_a_file() {
    let lines: Vec<String> = (1..=3000).map(|number| format!("line {number}")).collect();
    let lines = lines.join("\n");
    let wide = "w".repeat(60_000);
    let (address, _asked) = serve(vec![
        ("/lines", answer("200 OK", "content-type: text/plain\r\n", lines.as_bytes())),
        ("/wide", answer("200 OK", "content-type: text/plain\r\n", wide.as_bytes())),
    ]);
    let scene = scene(true);
    for (path, shown, notice, whole) in [
        (
            "/lines",
            "line 2000",
            "Showing lines 1-2000 of 3000. Full text: FILE. Use read with offset=2001 to continue",
            &lines,
        ),
        (
            "/wide",
            &wide[..51_200],
            "Showing the first 50.0KB of 58.5KB. Full text: FILE. Use bash to cut out more",
            &wide,
        ),
    ] {
        let result = fetch(&scene, &format!("http://{address}{path}")).await;
        let file = result.details.full_output_path.clone().unwrap();
        let file = pintle_os::names::shown(std::path::Path::new(&file)).into_owned();
        let got = text(&result).replace(&file, "FILE");
        assert!(got.ends_with(&format!("{shown}\n\n[{notice}]")), "{path}");
        assert!(result.details.truncation.is_some_and(|record| record.truncated_by.is_some()));
        let name = file.rsplit('/').next().unwrap();
        assert_eq!(scene.get(name), whole.as_bytes(), "{path}");
    }
}

#[tokio::test]
async fn a_document_is_read_as_by_the_read_tool() {
    let (document, scan) = (pdf::with_text(&["One", "two"]), pdf::with_text(&[""]));
    let of_type =
        |kind: &str, body: &[u8]| answer("200 OK", &format!("content-type: {kind}\r\n"), body);
    let (address, _asked) = serve(vec![
        ("/a.pdf?v=1", of_type("application/pdf", &document)),
        ("/unnamed/", of_type("application/octet-stream", &document)),
        ("/scan.pdf", of_type("application/pdf", &scan)),
    ]);
    let mut scene = scene(true);
    let pages = "[page 1 of 2]\nOne\n[page 2 of 2]\ntwo";
    let at = |path: &str| format!("http://{address}{path}");
    for (path, want) in [
        ("/a.pdf?v=1", pages),
        ("/unnamed/", pages),
        ("/scan.pdf", "it is a PDF document of 1 page without a text layer"),
    ] {
        let got = fetch(&scene, &at(path)).await;
        assert!(text(&got).contains(want), "{path}: {got:?}");
        assert_eq!(got.is_error, path == "/scan.pdf", "{path}: {got:?}");
        assert!(
            !got.content.iter().any(|block| matches!(block, Content::Document { .. })),
            "{path}"
        );
    }
    scene.ctx.settings = Arc::new(Settings { max_document_pages: Some(9), ..settings(true) });
    for (path, want_name, bytes) in [
        ("/a.pdf?v=1", "a.pdf", &document),
        ("/unnamed/", "document.pdf", &document),
        ("/scan.pdf", "scan.pdf", &scan),
    ] {
        let got = fetch(&scene, &at(path)).await;
        let [_, Content::Document { name, data, .. }] = &got.content[..] else {
            panic!("{path}: {got:?}")
        };
        assert_eq!((name.as_str(), data), (want_name, &STANDARD.encode(bytes)), "{path}");
    }
}

#[tokio::test]
async fn a_call_says_where_it_goes_before_it_does() {
    let folders = Folders { cwd: "/w".into(), home: None, shell: Dialect::Bourne };
    let prepare = |url: Value| Fetch(Profile::Pi).prepare(json!({ "url": url }), &folders);
    let call = prepare(json!(" https://Docs.test:8443/a b#c ")).unwrap();
    assert_eq!(call.title(), "web_fetch: https://docs.test:8443/a%20b");
    let (url, host) = ("https://docs.test:8443/a%20b".to_owned(), "docs.test:8443".to_owned());
    assert_eq!(call.access(), Access::Fetch { url, host });
    for (url, want) in [
        (json!(null), "`url` must be a string, not null"),
        (json!("  "), "`url` must not be empty"),
        (
            json!("docs.test"),
            "`url` is not a valid URL (relative URL without a base): start it with https:// or http://",
        ),
        (json!("file:///etc/passwd"), "`url` must start with https:// or http://, not file:"),
        (json!("https://me:secret@x.test/"), "`url` must not contain a user name or a password"),
        (
            json!(format!("https://x.test/{}", "a".repeat(9000))),
            "`url` must not be longer than 8192 bytes",
        ),
    ] {
        assert_eq!(prepare(url).err().as_deref(), Some(want));
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once() {
    let (address, mut asked) = serve(Vec::new());
    let scene = scene(true);
    // The server never answers this request, so only the cancellation can end the call.
    let url = format!("http://{address}/held");
    let cancel = async {
        asked.recv().await.unwrap();
        scene.ctx.cancel.cancel();
    };
    let (result, ()) = tokio::join!(fetch(&scene, &url), cancel);
    assert_eq!(text(&result), "error: Operation aborted");
}
