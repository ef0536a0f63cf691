use super::*;
use std::net::Ipv4Addr;

/// Short timeouts.
const SHORT: Duration = Duration::from_millis(20);

/// `pintle:secret`, encoded.
const AUTHORIZATION: &str = "Proxy-Authorization: Basic cGludGxlOnNlY3JldA==\r\n";

/// A name service in which unknown parties' names resolve to this machine.
fn look_up(name: String, port: u16) -> Found {
    Box::pin(async move {
        match name.as_str() {
            "localhost" | "evil.test" => Ok(vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))]),
            _ => Err(io::Error::other("no such name")),
        }
    })
}

/// Returns a proxy that allows these hosts, and its address.
fn proxy(allowed: &[String]) -> (Running, SocketAddr) {
    patient(allowed, Timeouts::default())
}

/// A proxy with the processes that need it.
struct Running {
    proxy: Proxy,
    processes: io::PipeWriter,
}

fn patient(allowed: &[String], timeouts: Timeouts) -> (Running, SocketAddr) {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let service = Service {
        hosts: Hosts { allowed: allowed.to_vec(), restricted: Vec::new() },
        authorization: "cGludGxlOnNlY3JldA==".to_owned(),
        refused: Arc::default(),
        look_up,
        timeouts,
    };
    let (presence, processes) = io::pipe().unwrap();
    let proxy = Proxy::serve(listener, presence.into(), service).unwrap();
    (Running { proxy, processes }, address)
}

/// Returns a server that answers each connection with this function of the first data read.
async fn server(answer: fn(String) -> String) -> (JoinSet<()>, u16) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut task = JoinSet::new();
    task.spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut read = vec![0; PIECE_BYTES];
            let count = client.read(&mut read).await.unwrap();
            let text = String::from_utf8_lossy(&read[..count]).into_owned();
            client.write_all(answer(text).as_bytes()).await.unwrap();
        }
    });
    (task, port)
}

/// Sends a request and returns the complete reply.
async fn exchange(proxy: SocketAddr, request: &str) -> String {
    let mut client = TcpStream::connect(proxy).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    client.read_to_end(&mut response).await.unwrap();
    String::from_utf8(response).unwrap()
}

fn first_line(response: &str) -> &str {
    response.lines().next().unwrap_or_default()
}

#[tokio::test]
async fn an_allowed_host_is_reached_by_both_ways() {
    let (_server, port) = server(|read| {
        let length = read.len();
        format!(
            "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: {length}\r\n\r\n{read}"
        )
    })
    .await;
    let (proxy, address) = proxy(&[format!("127.0.0.1:{port}"), format!("localhost:{port}")]);
    for host in ["127.0.0.1", "localhost"] {
        let request =
            format!("GET http://{host}:{port}/x HTTP/1.1\r\n{AUTHORIZATION}Accept: */*\r\n\r\n");
        let response = exchange(address, &request).await;
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with("\r\nConnection: close") && !head.contains("keep-alive"), "{head}");
        let want = format!(
            "GET /x HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: */*\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(body, want, "no credential is passed on");

        let mut client = TcpStream::connect(address).await.unwrap();
        // The first bytes for the server come with the request.
        let request = format!("CONNECT {host}:{port} HTTP/1.1\r\n{AUTHORIZATION}\r\nhello");
        client.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).await.unwrap();
        assert_eq!(first_line(&response), "HTTP/1.1 200 Connection established");
        assert!(response.ends_with("\r\n\r\nhello"), "{response}");
    }
    assert_eq!(proxy.proxy.refused(), []);
}

#[tokio::test]
async fn interim_responses_are_passed_and_improper_ones_are_told() {
    for (answer, want) in [
        (
            (|_| "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 Done\r\n\r\n".to_owned())
                as fn(String) -> String,
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 Done\r\nConnection: close\r\n\r\n",
        ),
        (|_| "nonsense".to_owned(), "HTTP/1.1 502 Bad Gateway\r\n"),
        (|_| "x".repeat(2 * MAX_HEAD_BYTES), "HTTP/1.1 502 Bad Gateway\r\n"),
    ] {
        let (_server, port) = server(answer).await;
        let (_proxy, address) = proxy(&[format!("127.0.0.1:{port}")]);
        let request = format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\n{AUTHORIZATION}\r\n");
        let response = exchange(address, &request).await;
        assert!(response.starts_with(want), "{response}");
    }
}

#[tokio::test]
async fn everything_else_is_refused() {
    let (_server, port) = server(|_| "arrived".to_owned()).await;
    let allowed = ["evil.test", "nowhere.test", "*.test:*", "127.0.0.1:1", "*:7"];
    let (proxy, address) = proxy(&allowed.map(str::to_owned));
    let huge = "x".repeat(MAX_HEAD_BYTES);
    for (name, request, want) in [
        (
            "another port",
            format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n{AUTHORIZATION}\r\n"),
            "403 Forbidden",
        ),
        (
            "a name",
            format!("GET http://localhost:{port}/ HTTP/1.1\r\n{AUTHORIZATION}\r\n"),
            "403 Forbidden",
        ),
        (
            "a name by a pattern",
            format!("CONNECT localhost:7 HTTP/1.1\r\n{AUTHORIZATION}\r\n"),
            "403 Forbidden",
        ),
        (
            "a stranger's name for this machine",
            format!("CONNECT evil.test:{port} HTTP/1.1\r\n{AUTHORIZATION}\r\n"),
            "403 Forbidden",
        ),
        (
            "a name that is none",
            format!("CONNECT nowhere.test:443 HTTP/1.1\r\n{AUTHORIZATION}\r\n"),
            "502 Bad Gateway",
        ),
        (
            "a closed port",
            format!("CONNECT 127.0.0.1:1 HTTP/1.1\r\n{AUTHORIZATION}\r\n"),
            "502 Bad Gateway",
        ),
        (
            "no credential",
            format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n"),
            "407 Proxy Authentication Required",
        ),
        (
            "another credential",
            format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\nProxy-Authorization: Basic eDp5\r\n\r\n"),
            "407 Proxy Authentication Required",
        ),
        (
            "no target",
            format!("CONNECT nonsense HTTP/1.1\r\n{AUTHORIZATION}\r\n"),
            "400 Bad Request",
        ),
        ("nonsense", "\u{16}\u{3}\u{1}\r\n\r\n".to_owned(), "400 Bad Request"),
        (
            "a huge head",
            format!("GET http://a.test/ HTTP/1.1\r\nX: {huge}{huge}\r\n\r\n"),
            "431 Request Header Fields Too Large",
        ),
        (
            "a huge body",
            format!(
                "POST http://localhost:{port}/ HTTP/1.1\r\n{AUTHORIZATION}Content-Length: 200000\r\n\r\n{huge}{huge}{huge}"
            ),
            "403 Forbidden",
        ),
    ] {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(request.as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).await.unwrap();
        assert_eq!(first_line(&response), format!("HTTP/1.1 {want}"), "{name}");
        assert!(!response.contains("arrived"), "{name}");
        let is_told = response.contains("Proxy-Authenticate: Basic");
        assert_eq!(is_told, want.starts_with("407"), "{name}");
    }
    let private = Refusal::Private(Ipv4Addr::LOCALHOST.into());
    let refused = proxy.proxy.refused();
    let got: Vec<_> =
        refused.iter().map(|refused| (refused.host.as_str(), &refused.reason)).collect();
    let [address, name] = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let evil = format!("evil.test:{port}");
    assert_eq!(
        got,
        [
            (address.as_str(), &Refusal::NotAllowed),
            (name.as_str(), &Refusal::NotAllowed),
            ("localhost:7", &private),
            (evil.as_str(), &private),
        ]
    );
    let words = refused[0].to_string();
    assert!(words.contains(&format!("decision = \"allow\", host = \"{address}\"")), "{words}");
    let words = refused[2].to_string();
    assert!(words.contains("decision = \"allow\", host = \"127.0.0.1:7\""), "{words}");
}

#[tokio::test]
async fn a_client_that_says_nothing_is_sent_away() {
    let timeouts = Timeouts { head: SHORT, ..Timeouts::default() };
    let (_proxy, address) = patient(&[], timeouts);
    for said in ["", "CONNECT a.test:443 HTTP/1.1\r\n"] {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(said.as_bytes()).await.unwrap();
        let before = tokio::time::Instant::now();
        let mut response = [0; 12];
        client.read_exact(&mut response).await.unwrap();
        assert_eq!(&response, b"HTTP/1.1 408", "{said}");
        assert!(before.elapsed() >= SHORT);
    }
}

#[tokio::test]
async fn a_tunnel_in_which_nothing_moves_ends() {
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let timeouts = Timeouts { idle: SHORT, ..Timeouts::default() };
    let (_proxy, address) = patient(&[format!("127.0.0.1:{port}")], timeouts);
    let request = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n{AUTHORIZATION}\r\n");
    let response = exchange(address, &request).await;
    assert_eq!(first_line(&response), "HTTP/1.1 200 Connection established");
}

#[tokio::test]
async fn connections_beyond_the_limit_wait() {
    let (_server, port) = server(|_| "HTTP/1.1 204 Done\r\n\r\n".to_owned()).await;
    let (_proxy, address) = proxy(&[format!("127.0.0.1:{port}")]);
    let mut silent = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let request = format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\n{AUTHORIZATION}\r\n");
    let mut waiting = std::pin::pin!(exchange(address, &request));
    // Every other task has had its turns by then.
    for _ in 0..100 {
        tokio::select! {
            biased;
            response = &mut waiting => panic!("{response}"),
            () = tokio::task::yield_now() => {}
        }
    }
    silent.pop();
    assert_eq!(first_line(&waiting.await), "HTTP/1.1 204 Done");
}

#[tokio::test]
async fn a_proxy_that_is_not_needed_closes_everything() {
    for is_dropped in [true, false] {
        let (_server, port) = server(|_| String::new()).await;
        let (running, address) = proxy(&[format!("127.0.0.1:{port}")]);
        let mut client = TcpStream::connect(address).await.unwrap();
        let request = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n{AUTHORIZATION}\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        client.read_exact(&mut [0; 12]).await.unwrap();
        let Running { proxy, processes } = running;
        let kept = if is_dropped {
            drop(proxy);
            None
        } else {
            drop(processes);
            Some(proxy)
        };
        let _ = client.read_to_end(&mut Vec::new()).await;
        assert!(TcpStream::connect(address).await.is_err(), "the listener is closed");
        drop(kept);
    }
}

#[test]
fn variables_lead_to_the_proxy() {
    let hosts = Hosts { allowed: vec!["docs.rs".to_owned()], restricted: Vec::new() };
    let variables = variables(7, "x", &hosts);
    let lines: Vec<String> =
        variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    expect_test::expect![[r"
        HTTP_PROXY=http://pintle:x@127.0.0.1:7
        HTTPS_PROXY=http://pintle:x@127.0.0.1:7
        ALL_PROXY=http://pintle:x@127.0.0.1:7
        http_proxy=http://pintle:x@127.0.0.1:7
        https_proxy=http://pintle:x@127.0.0.1:7
        all_proxy=http://pintle:x@127.0.0.1:7
        NO_PROXY=localhost,127.0.0.1,::1
        no_proxy=localhost,127.0.0.1,::1"]]
    .assert_eq(&lines.join("\n"));
    assert_ne!(credential().unwrap(), credential().unwrap());
    assert_eq!(credential().unwrap().len(), 32);
}
