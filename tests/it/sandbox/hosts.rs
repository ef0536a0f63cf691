//! The hosts that confined commands reach by the proxy of the engine's.

use super::*;
use pintle_testing::waiting::until_async;

/// Perl that sends a request to the proxy of its variables and prints the first line of the response, and the last.
fn through_proxy(request: &str) -> String {
    let program = r#"use Socket; use MIME::Base64; my ($u, $p) = $ENV{https_proxy} =~ m{^http://(.*)\@127.0.0.1:(\d+)$} or die "no proxy\n";
        socket(my $s, AF_INET, SOCK_STREAM, 0) or die "no socket\n"; connect($s, pack_sockaddr_in($p, INADDR_LOOPBACK)) or die "no connection\n";
        my $a = "Proxy-Authorization: Basic " . encode_base64($u, "") . "\r\n"; my $r = shift; $r =~ s/AUTH/$a/; $r =~ s/\|/\r\n/g;
        send($s, $r, 0); shutdown($s, 1); my @l = <$s>; $l[0] =~ s/\s+$//; print "$l[0] ... $l[-1]""#;
    format!("perl -e '{program}' '{request}'")
}

#[tokio::test]
async fn allowed_hosts_are_reached_by_the_proxy_alone() {
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    let (port, other) = (always("arrived"), always("arrived"));
    let allowed = vec![format!("127.0.0.1:{port}"), format!("*:{other}")];
    let hosts = || Hosts { allowed: allowed.clone(), restricted: Vec::new() };
    let confinement = || Confinement { network: Network::Hosts(hosts()), ..scene.confinement() };
    let get =
        |host: &str, port: u16| through_proxy(&format!("GET http://{host}:{port}/ HTTP/1.1|AUTH|"));
    let tunnel = |host: &str, port: u16| {
        through_proxy(&format!("CONNECT {host}:{port} HTTP/1.1|AUTH|GET / HTTP/1.0||"))
    };
    let huge = "perl -e 'print \"GET http://127.0.0.1/ HTTP/1.1\\r\\nx: \" . \"x\" x 200000 . \"\\r\\n\\r\\n\"'";
    let port_of_proxy = "${https_proxy##*:}";
    let rows: Vec<(&str, String, &str)> = vec![
        ("a host that is named", get("127.0.0.1", port), "HTTP/1.0 200 OK ... arrived"),
        ("a tunnel", tunnel("127.0.0.1", port), "HTTP/1.1 200 Connection established ... arrived"),
        ("another port", get("127.0.0.1", other), "HTTP/1.1 403 Forbidden"),
        ("another name for it", get("localhost", port), "HTTP/1.1 403 Forbidden"),
        ("a name by a pattern", get("localhost", other), "HTTP/1.1 403 Forbidden"),
        ("an address by a pattern", tunnel("127.0.0.1", other), "HTTP/1.1 403 Forbidden"),
        ("a host of the internet", tunnel("example.com", 443), "HTTP/1.1 403 Forbidden"),
        (
            "no credential",
            through_proxy(&format!("GET http://127.0.0.1:{port}/ HTTP/1.1||")),
            "HTTP/1.1 407 Proxy Authentication Required",
        ),
        (
            "a huge head",
            format!(
                "exec 3<>/dev/tcp/127.0.0.1/{port_of_proxy}; {huge} >&3; head -1 <&3 | tr -d '\\r'"
            ),
            "HTTP/1.1 431 Request Header Fields Too Large",
        ),
        (
            "past the proxy",
            connect("AF_INET", "SOCK_STREAM", &TCP.replace("$ARGV[0]", &port.to_string())),
            "denied",
        ),
        (
            "a loopback of its own",
            format!(
                "echo $NO_PROXY; {}",
                can(
                    "perl -e 'use Socket; socket(my $l, AF_INET, SOCK_STREAM, 0) or exit 1; bind($l, pack_sockaddr_in(0, INADDR_LOOPBACK)) or exit 1'"
                )
            ),
            "localhost,::1\ndone",
        ),
        ("the descriptors", "ls /proc/self/fd | wc -l".to_owned(), "4"),
    ];
    let mut wrong = Vec::new();
    for (name, line, want) in rows {
        let ran = scene.run(&line, confinement()).await;
        if !ran.tail.starts_with(want) {
            wrong.push(format!("{name}: {:?} instead of {want:?}, by {line}", ran.tail));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", scene.level.summary(), wrong.join("\n"));

    // curl reads the variables itself, if there is one.
    let line = format!(
        "type curl >/dev/null || exit 0; curl -sf http://127.0.0.1:{port}/ && curl -sfp http://127.0.0.1:{port}/"
    );
    let ran = scene.run(&line, confinement()).await;
    match ran.tail.as_str() {
        "" => skipped("there is no curl"),
        said => assert_eq!((said, &ran.end), ("arrivedarrived", &End::Exited(0))),
    }

    let line = format!("{}; exit 7", tunnel("example.com", 8443));
    let report = scene.run(&line, confinement()).await.sandbox.unwrap();
    let refused = RefusedHost { host: "example.com:8443".to_owned(), reason: Refusal::NotAllowed };
    assert_eq!((report.denied, report.refused), (Some(Denial::Network), vec![refused]));
    // The next one does not inherit what another one was refused.
    let report = scene.run("exit 7", confinement()).await.sandbox.unwrap();
    assert_eq!((report.denied, report.refused), (None, vec![]));

    // A filter reaches them, too.
    let filter = Filter {
        line: get("127.0.0.1", port),
        cwd: scene.path("work"),
        input: Vec::new(),
        max_bytes: 1000,
        owner: "sandbox".to_owned(),
        confinement: Some(Arc::new(confinement())),
    };
    let filtered = scene.local.filter(filter).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&filtered.stdout), "HTTP/1.0 200 OK ... arrived");
}

#[tokio::test]
async fn without_namespaces_no_host_is_reached() {
    let Some(scene) = Scene::new(Namespaces::Denied).await else { return };
    let port = always("arrived");
    let hosts = Hosts { allowed: vec![format!("127.0.0.1:{port}")], restricted: Vec::new() };
    let network = Network::Hosts(hosts);
    assert!(scene.level.gaps(&network).iter().any(|gap| gap.contains("not even allowed hosts")));
    let confinement = || Confinement { network: network.clone(), ..scene.confinement() };
    let direct = connect("AF_INET", "SOCK_STREAM", &TCP.replace("$ARGV[0]", &port.to_string()));
    assert_eq!(scene.run(&direct, confinement()).await.tail, "denied\n");
    let ran = scene.run("echo ${https_proxy-none}", confinement()).await;
    assert_eq!(ran.tail, "none\n", "a proxy that is not there is not told");
}

#[tokio::test]
async fn the_proxy_lives_as_long_as_what_a_command_left() {
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    let port = always("arrived");
    let hosts = Hosts { allowed: vec![format!("127.0.0.1:{port}")], restricted: Vec::new() };
    let confinement =
        || Confinement { network: Network::Hosts(hosts.clone()), ..scene.confinement() };
    let get = through_proxy(&format!("GET http://127.0.0.1:{port}/ HTTP/1.1|AUTH|"));
    // It asks when the command has ended, and says what it got in a file.
    let line = format!(
        "mkfifo go; (read x < go; {get} > said.part; mv said.part said; read x < go) </dev/null >/dev/null 2>&1 &"
    );
    let ran = scene.run(&line, confinement()).await;
    assert_eq!(ran.end, End::Exited(0), "{}", ran.tail);
    scene.run("true", confinement()).await;
    let go = scene.path("work/go");
    tokio::task::spawn_blocking(move || fs::write(go, "go\n").unwrap()).await.unwrap();
    let said = scene.path("work/said");
    until_async(|| said.exists()).await;
    assert_eq!(fs::read_to_string(said).unwrap(), "HTTP/1.0 200 OK ... arrived");
    scene.local.release("sandbox").await;
}

#[tokio::test]
async fn the_proxy_of_a_command_that_left_nothing_ends_with_it() {
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    let hosts = Hosts { allowed: vec!["127.0.0.1:1".to_owned()], restricted: Vec::new() };
    let confinement = Confinement { network: Network::Hosts(hosts), ..scene.confinement() };
    // The engine's socket in the network of a command is the one whose name its own network does not know.
    let strange = || {
        let known = fs::read_to_string("/proc/self/net/tcp").unwrap()
            + &fs::read_to_string("/proc/self/net/unix").unwrap();
        let links = fs::read_dir("/proc/self/fd").unwrap().flatten();
        let targets = links.filter_map(|link| fs::read_link(link.path()).ok());
        let targets = targets.map(|target| target.to_string_lossy().into_owned());
        let names = targets.filter_map(|target| {
            Some(target.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
        });
        names.filter(|name| !known.contains(name)).count()
    };
    let before = strange();
    let go = scene.path("work/go");
    let running = scene.run("mkfifo go; read x < go", confinement);
    let watched = async {
        until_async(|| strange() != before).await;
        tokio::task::spawn_blocking(move || fs::write(go, "go\n").unwrap()).await.unwrap();
    };
    let (ran, ()) = tokio::join!(running, watched);
    assert_eq!(ran.end, End::Exited(0), "{}", ran.tail);
    until_async(|| strange() <= before).await;
}
