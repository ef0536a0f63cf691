//! Whatever ends a command ends all of it, at the other end too.

use super::*;
use pintle_testing::waiting::{HANG, until_async};

fn command(line: &str, cwd: &Path) -> Command {
    Command { spill_lines: 2000, spill_bytes: 51_200, ..Command::new(line, cwd, "tests") }
}

/// Returns true if a process with this text in its command line lives.
fn is_running(text: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        // The way there has the whole text of the command in its arguments.
        line.starts_with(text.as_bytes())
    })
}

async fn until_gone(text: &str) {
    until_async(|| !is_running(text)).await;
}

async fn stops_all(env: &Wrapped, way: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("mark-{way}-{}", env.ambient.new_id());
    let line = |name: &str| {
        format!(
            "(setsid bash -c 'exec -a {mark}-{name}-far sleep 1000' </dev/null >/dev/null 2>&1 &); trap '' TERM; echo ready; \
             exec -a {mark}-{name} sleep 1000"
        )
    };

    let timed = Command {
        timeout: Some(Duration::from_millis(2500)),
        ..command(&line("time"), folder.path())
    };
    let ran = env.exec(timed, &CancellationToken::new(), &mut |_| {}).await.unwrap();
    assert_eq!((ran.end, ran.tail.as_str()), (End::TimedOut, "ready\n"), "{way}");
    assert!(!is_running(&format!("{mark}-time")), "{way}: over its time");

    let cancel = CancellationToken::new();
    let mut output = |_: &str| cancel.cancel();
    let ran = env.exec(command(&line("cancel"), folder.path()), &cancel.clone(), &mut output).await;
    assert_eq!(ran.unwrap().end, End::Cancelled, "{way}");
    assert!(!is_running(&format!("{mark}-cancel")), "{way}: cancelled");

    let (tx, mut rx) = tokio::sync::mpsc::channel(1);
    let mut output = move |text: &str| drop(tx.try_send(text.to_owned()));
    let never = CancellationToken::new();
    tokio::select! {
        ran = env.exec(command(&line("drop"), folder.path()), &never, &mut output) => panic!("{ran:?}"),
        ready = rx.recv() => assert_eq!(ready.as_deref(), Some("ready\n"), "{way}"),
    }
    until_gone(&format!("{mark}-drop")).await;

    // Processes left by a command continue, and end with their owner.
    let left = format!("(setsid bash -c 'exec -a {mark}-left sleep 1000' &); echo ok");
    let mut output = |_: &str| {};
    let ran = env.exec(command(&left, folder.path()), &never, &mut output);
    let ran = tokio::time::timeout(HANG, ran).await;
    let ran = ran.unwrap_or_else(|_| panic!("{way}: it waits for what stays")).unwrap();
    assert_eq!((ran.end, ran.tail.as_str()), (End::Exited(0), "ok\n"), "{way}");
    // The process takes its final name soon after the command has ended.
    until_async(|| is_running(&format!("{mark}-left"))).await;
    env.release("somebody else").await;
    assert!(is_running(&format!("{mark}-left")), "{way}: it is not theirs");
    env.release("tests").await;
    until_gone(&format!("{mark}-left")).await;
}

#[tokio::test]
async fn behind_a_plain_prefix_a_stopped_command_leaves_nothing() {
    stops_all(&wrapped(plain()).await, "plain").await;
}

#[tokio::test]
async fn behind_ssh_a_stopped_command_leaves_nothing() {
    let Some(server) = Sshd::start() else { return };
    stops_all(&wrapped(server.prefix()).await, "ssh").await;
}

#[tokio::test]
async fn a_lost_connection_is_an_error_and_ends_the_command() {
    let Some(server) = Sshd::start() else { return };
    let env = wrapped(server.prefix()).await;
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("mark-lost-{}", env.ambient.new_id());
    // The server's process for this connection is the nearest ancestor with its name; how many shells are between depends on the user's.
    let line = format!(
        "(exec -a {mark} sleep 1000 &); up() {{ sed 's/^.*) . \\([0-9]*\\) .*/\\1/' /proc/$1/stat; }}; \
         p=$$; until grep -q ^sshd /proc/$p/comm; do p=$(up $p); done; kill -KILL $p; sleep 1000"
    );
    let ran = env.exec(command(&line, folder.path()), &CancellationToken::new(), &mut |_| {}).await;
    let error = ran.unwrap_err().to_string();
    assert!(error.contains("the connection was lost"), "{error}");
    until_gone(&mark).await;
}

/// A command may kill the shells above it: the call ends with a reason, no process remains, and the next command runs.
async fn kills_what_carries_it(env: &Wrapped, way: &str) {
    let folder = tempfile::tempdir().unwrap();
    let parent = "$(ps -o ppid= -p $PPID)";
    let above = Ok((137, ""));
    let lost = Err("the connection was lost");
    let rows = [
        ("itself", "kill -KILL $$", Ok((137, ""))),
        ("the shell above", "echo out; sleep 0.2; kill -KILL $PPID", Ok((137, "out\n"))),
        ("the shell above, by TERM", "kill $PPID; sleep 1000", above),
        ("and continues", "kill -KILL $PPID; exec -a MARK-on sleep 1000", above),
        ("the helper", &format!("kill -KILL {parent}; sleep 1000"), lost),
        ("both", &format!("kill -KILL {parent} $PPID; sleep 1000"), lost),
        ("a negative number", "kill -KILL -- -$$", Ok((137, ""))),
    ];
    let never = CancellationToken::new();
    let mark = format!("mark-kills-{way}-{}", env.ambient.new_id());
    for (name, line, want) in rows {
        let line = line.replace("MARK", &mark);
        let mut unseen = |_: &str| {};
        let ran = env.exec(command(&line, folder.path()), &never, &mut unseen);
        let ran = tokio::time::timeout(HANG, ran).await;
        let ran = ran.unwrap_or_else(|_| panic!("{way}, {name}: it hangs"));
        match (ran, want) {
            // Either the command's end or the connection's is seen first.
            (Ok(ran), want) if want == lost => {
                assert_eq!(ran.end, End::Exited(143), "{way}, {name}");
            }
            (Ok(ran), Ok((code, tail))) => {
                assert_eq!(
                    (ran.end, ran.tail.as_str()),
                    (End::Exited(code), tail),
                    "{way}, {name}"
                );
            }
            (Err(error), Err(part)) => {
                assert!(error.to_string().contains(part), "{way}, {name}: {error}");
            }
            (ran, want) => panic!("{way}, {name}: {ran:?}, not {want:?}"),
        }
        let mut unseen = |_: &str| {};
        let next = env.exec(command("echo next", folder.path()), &never, &mut unseen);
        let next = tokio::time::timeout(HANG, next).await;
        let next = next.unwrap_or_else(|_| panic!("{way}, after {name}: it hangs")).unwrap();
        assert_eq!(next.tail, "next\n", "{way}, after {name}");
    }
    until_gone(&format!("{mark}-on")).await;
}

#[tokio::test]
async fn a_command_that_kills_what_carries_it_out_ends() {
    kills_what_carries_it(&wrapped(plain()).await, "plain").await;
    let Some(server) = Sshd::start() else { return };
    kills_what_carries_it(&wrapped(server.prefix()).await, "ssh").await;
}
