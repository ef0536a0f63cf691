// These tests run commands for bash and send signals.
#![cfg(unix)]
use super::progress::PROGRESS;
use super::*;
use crate::files;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pintle_testing::waiting::until_async;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn shell(folder: &std::path::Path) -> Shell {
    Shell {
        program: "/bin/bash".into(),
        prefix: None,
        variables: vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME".into(), "/".into()),
        ],
        temporary: folder.to_path_buf(),
        marks: marks(),
        supervisor: None,
    }
}

/// Runs a command with a shell.
async fn run(
    shell: &Shell,
    id: &str,
    command: Command,
    cancel: &CancellationToken,
    output: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Ran, Error> {
    let drains = Drains::default();
    super::run(shell.launch(id, &command), &command, &drains, cancel, output).await
}

fn command(line: &str, folder: &std::path::Path) -> Command {
    Command { spill_lines: 2000, spill_bytes: 51_200, ..Command::new(line, folder, "tests") }
}

fn marks() -> String {
    format!("{}.tests", std::process::id())
}

/// Returns an id that no other test run has.
fn new_id() -> String {
    pintle_base::ambient::Ambient::system().new_id()
}

fn left_of(id: &str) -> Vec<Pid> {
    family::living(&format!("{}-tests-{id}", marks()))
}

async fn ran(line: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let none = CancellationToken::new();
    let shell = shell(folder.path());
    run(&shell, &new_id(), command(line, folder.path()), &none, &mut |_| {}).await.unwrap()
}

#[tokio::test]
async fn commands_run_to_their_end() {
    let exited = |code| End::Exited(code);
    let rows = [
        ("echo", "echo hello", "hello\n", exited(0)),
        ("exit code", "exit 3", "", exited(3)),
        ("both outputs, in order", "echo a; echo b >&2; echo c", "a\nb\nc\n", exited(0)),
        ("unknown command", "no-such-command 2>/dev/null", "", exited(127)),
        ("bash syntax", "a=(1 2); [[ ${a[1]} == 2 ]] && cat <(echo ok)", "ok\n", exited(0)),
        ("a pipe that ends early", "yes | head -5", "y\ny\ny\ny\ny\n", exited(0)),
        ("no input", "cat; read x || echo none", "none\n", exited(0)),
        ("no terminal", "(exec </dev/tty) 2>/dev/null || echo none", "none\n", exited(0)),
        ("own session", "test $(ps -o sid= -p $$) = $$ && echo own", "own\n", exited(0)),
        ("signal", "kill -SEGV $$", "", End::Signalled("SIGSEGV".into())),
        ("colours are dropped", r"printf '\e[31mred\e[0m\0'", "red", exited(0)),
        ("other bytes", r"printf 'a\xffb'", "a\u{fffd}b", exited(0)),
    ];
    for (name, line, output, end) in rows {
        let ran = ran(line).await;
        assert_eq!((ran.tail.as_str(), ran.end), (output, end), "{name}");
        assert_eq!(ran.total_bytes, output.len() as u64, "{name}");
        assert_eq!(ran.full_output_path, None, "{name}");
    }
}

#[tokio::test]
async fn long_output_keeps_its_end_and_goes_to_a_file() {
    // Name, command, lines, bytes.
    let rows = [
        ("over 50 KB", "head -c 60000 /dev/zero | tr '\\0' x", 1, 60_000),
        ("over 2,000 lines", "seq 3000", 3000, 13_893),
        ("over 100 KB", "seq 100000", 100_000, 588_895),
        ("multi-byte", "for i in {1..20000}; do printf 测; done", 1, 60_000),
        ("much at once", "head -c 3000000 /dev/zero | tr '\\0' x", 1, 3_000_000),
        ("no text, much at once", "head -c 1000000 /dev/zero | tr '\\0' '\\377'", 1, 3_000_000),
    ];
    for (name, line, lines, bytes) in rows {
        let folder = tempfile::tempdir().unwrap();
        let none = CancellationToken::new();
        let shell = shell(folder.path());
        let ran = run(&shell, &new_id(), command(line, folder.path()), &none, &mut |_| {}).await;
        let ran = ran.unwrap();
        assert_eq!((ran.total_lines, ran.total_bytes), (lines, bytes), "{name}");
        assert!(ran.tail.len() < 300 * 1024, "{name}: {}", ran.tail.len());
        let path = ran.full_output_path.unwrap();
        assert!(path.starts_with(folder.path()), "{name}");
        let whole = files::read(&path).unwrap();
        assert_eq!(whole.len() as u64, bytes, "{name}");
        assert!(whole.ends_with(ran.tail.as_bytes()), "{name}");
        assert_eq!(ran.tail.contains('\u{fffd}'), name.starts_with("no text"), "{name}");
    }
}

#[tokio::test]
async fn a_stopped_command_leaves_nothing() {
    // Each row runs until its timeout.
    let rows = [
        ("a child", "sleep 100000"),
        ("a flood", "yes"),
        ("children in the background", "sleep 100000 & sleep 100000 & wait"),
        ("one that left the session", "setsid sleep 100000 & sleep 100000"),
        (
            "one that left and holds nothing",
            "setsid sleep 100000 >/dev/null 2>&1 </dev/null & sleep 100000",
        ),
        ("one with an empty environment", "env -i setsid sleep 100000 & sleep 100000"),
        (
            "one that ignores it, with neither mark nor parent",
            "env -i setsid bash -c 'trap \"\" TERM; sleep 100000; sleep 100000' & sleep 100000",
        ),
        ("a grandchild whose parent ended", "(sleep 100000 &) ; sleep 100000"),
    ];
    for (name, line) in rows {
        let folder = tempfile::tempdir().unwrap();
        let none = CancellationToken::new();
        let id = new_id();
        let command =
            Command { timeout: Some(Duration::from_millis(300)), ..command(line, folder.path()) };
        let shell = shell(folder.path());
        let ran = run(&shell, &id, command, &none, &mut |_| {}).await.unwrap();
        assert_eq!(ran.end, End::TimedOut, "{name}");
        assert_eq!(left_of(&id), [], "{name}");
    }
}

#[tokio::test]
async fn a_process_that_ignores_sigterm_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = CancellationToken::new();
    let id = new_id();
    // The command is stopped as soon as it reports that the trap is set.
    let seen = Arc::new(Mutex::new(String::new()));
    let mut output = {
        let (cancel, seen) = (cancel.clone(), Arc::clone(&seen));
        move |text: &str| {
            seen.lock().unwrap().push_str(text);
            cancel.cancel();
        }
    };
    let line = "trap '' TERM; echo ready; while :; do sleep 0.1; done";
    let began = Instant::now();
    let shell = shell(folder.path());
    let ran = run(&shell, &id, command(line, folder.path()), &cancel, &mut output).await.unwrap();
    assert_eq!(ran.end, End::Cancelled);
    assert_eq!(seen.lock().unwrap().as_str(), "ready\n");
    assert!(began.elapsed() >= TERM_TO_KILL);
    assert_eq!(left_of(&id), []);
}

#[tokio::test]
async fn a_process_that_handles_sigterm_may_clean_up() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = CancellationToken::new();
    let mut output = |_: &str| cancel.cancel();
    let line = "trap 'echo cleaned; exit' TERM; echo ready; sleep 100000 & wait";
    let shell = shell(folder.path());
    let ran =
        run(&shell, &new_id(), command(line, folder.path()), &cancel.clone(), &mut output).await;
    assert_eq!(ran.unwrap().tail, "ready\ncleaned\n");
}

#[tokio::test]
async fn dropping_the_future_kills_all() {
    let folder = tempfile::tempdir().unwrap();
    let none = CancellationToken::new();
    let id = new_id();
    let (tx, mut rx) = tokio::sync::mpsc::channel(1);
    let mut output = move |text: &str| {
        let _ = tx.try_send(text.to_owned());
    };
    let line = "setsid sleep 100000 & sleep 100000 & echo ready; wait";
    let shell = shell(folder.path());
    let running = run(&shell, &id, command(line, folder.path()), &none, &mut output);
    tokio::select! {
        ran = running => panic!("it should continue: {ran:?}"),
        ready = rx.recv() => assert_eq!(ready.as_deref(), Some("ready\n")),
    }
    // The signal is sent; the kernel needs a moment to take the processes down.
    until_async(|| left_of(&id).is_empty()).await;
}

#[tokio::test]
async fn a_background_child_does_not_hold_up_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let none = CancellationToken::new();
    let id = new_id();
    let shell = shell(folder.path());
    let command = command("sleep 100000 & echo started", folder.path());
    let ran = run(&shell, &id, command, &none, &mut |_| {}).await.unwrap();
    assert_eq!((ran.tail.as_str(), ran.end), ("started\n", End::Exited(0)));
    // The child was asked to stay, and does.
    let left = left_of(&id);
    assert_eq!(left.len(), 1);
    kill(left[0], Signal::SIGKILL).unwrap();
}

#[tokio::test]
async fn a_background_child_may_print_after_its_command_ended() {
    // Command; output of the child after its shell has ended.
    for (line, later) in [
        ("(sleep 0.4; echo later; touch done) & echo started", "started\nlater\n"),
        ("(sleep 0.4; echo a; sleep 0.2; echo b >&2; touch done) &", "a\nb\n"),
        ("setsid bash -c 'sleep 0.4; echo x; touch done' &", "x\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let none = CancellationToken::new();
        let (id, drains) = (new_id(), Drains::default());
        let command = command(line, folder.path());
        let launch = shell(folder.path()).launch(&id, &command);
        let ran = super::run(launch, &command, &drains, &none, &mut |_| {}).await.unwrap();
        assert_eq!(ran.end, End::Exited(0), "{line}");
        assert_eq!(ran.full_output_path, None, "{line}: nothing is cut");
        let path = ran.background_output.unwrap();
        let gone = async {
            while !left_of(&id).is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), gone).await.unwrap();
        drains.release("tests").await;
        assert_eq!(String::from_utf8(files::read(&path).unwrap()).unwrap(), later, "{line}");
        assert_eq!(
            command.output.after(crate::Mark::default()).text,
            later,
            "{line}: a job reads on"
        );
        assert!(folder.path().join("done").exists(), "{line}: it was not killed by its output");
    }
}

#[tokio::test]
async fn a_command_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    let none = CancellationToken::new();
    let good = shell(folder.path());
    let got = run(&good, "1", command("echo", &gone), &none, &mut |_| {}).await;
    assert_eq!(got, Err(Error::NotFound(gone)));

    let program = PathBuf::from("/no/such/shell");
    let bad = Shell { program: program.clone(), ..shell(folder.path()) };
    let got = run(&bad, "1", command("echo", folder.path()), &none, &mut |_| {}).await;
    assert!(matches!(got, Err(Error::Shell { shell, .. }) if shell == program));
}

#[tokio::test]
async fn progress_comes_in_few_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let none = CancellationToken::new();
    let (mut pieces, mut last) = (0_u32, String::new());
    let mut output = |text: &str| {
        pieces += 1;
        last = text.to_owned();
    };
    let shell = shell(folder.path());
    let began = Instant::now();
    let command = command("seq 200000", folder.path());
    run(&shell, &new_id(), command, &none, &mut output).await.unwrap();
    let most = began.elapsed().as_millis() / PROGRESS.as_millis() + 2;
    assert!(u128::from(pieces) <= most, "{pieces} pieces");
    assert!(last.ends_with("200000\n"), "the last is always sent");
}

#[tokio::test]
async fn a_prefix_runs_first_in_the_same_shell() {
    let folder = tempfile::tempdir().unwrap();
    let none = CancellationToken::new();
    let prefix = Some("echo before; name=value".to_owned());
    let shell = Shell { prefix, ..shell(folder.path()) };
    let command = command("echo $name", folder.path());
    let ran = run(&shell, &new_id(), command, &none, &mut |_| {}).await.unwrap();
    assert_eq!(ran.tail, "before\nvalue\n");
}
