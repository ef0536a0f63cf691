//! How often a prefix is started, and what becomes of connections that were cut.

use super::*;

/// A prefix that appends its process id to a file at each start.
struct Counted {
    folder: tempfile::TempDir,
}

impl Counted {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn prefix(&self, way: &[String]) -> Vec<String> {
        let file = self.folder.path().join("starts").display().to_string();
        let script = format!("echo $$ >>{file}; exec \"$@\"");
        ["sh", "-c", &script, "sh"].map(str::to_owned).into_iter().chain(way.to_vec()).collect()
    }

    fn starts(&self) -> Vec<i32> {
        let text = std::fs::read_to_string(self.folder.path().join("starts")).unwrap();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }
}

fn command(line: &str, cwd: &Path) -> Command {
    Command::new(line, cwd, "tests")
}

/// What a command printed.
async fn ran(env: &Wrapped, line: &str, cwd: &Path) -> String {
    let (never, mut unseen) = (CancellationToken::new(), |_: &str| {});
    let ran = env.exec(command(line, cwd), &never, &mut unseen);
    let ran = tokio::time::timeout(pintle_testing::waiting::HANG, ran).await;
    ran.unwrap_or_else(|_| panic!("it hangs: {line}")).unwrap().tail
}

/// A session's ordinary work: it looks around, reads, edits and runs two commands.
async fn work(env: &Wrapped) {
    let guard = tempfile::tempdir().unwrap();
    let folder = std::fs::canonicalize(guard.path()).unwrap();
    let path = folder.join("file");
    std::fs::write(&path, "old\n").unwrap();
    let paths: Vec<_> = (0..20).map(|n| folder.join(format!("AGENTS{n}.md"))).collect();
    let found = env.stat_all(&paths).await;
    assert!(found.iter().all(|found| matches!(found, Err(Error::NotFound(_)))), "{found:?}");
    assert_eq!(env.canonicalize(&path).await, Ok(path.clone()));
    assert_eq!(env.read(&path).await, Ok(b"old\n".to_vec()));
    let decide: Decide =
        Box::new(|_| Ok(Rewrite { content: b"new\n".to_vec().into(), change: None }));
    env.update(&path, decide, &CancellationToken::new()).await.unwrap();
    assert_eq!(ran(env, "cat file; exit 3", &folder).await, "new\n");
    let gone = command("echo", &folder.join("gone"));
    let gone = env.exec(gone, &CancellationToken::new(), &mut |_| {}).await;
    assert_eq!(gone.err(), Some(Error::NotFound(folder.join("gone"))));
    assert_eq!(ran(env, "echo second", &folder).await, "second\n");
    env.release("tests").await;
}

#[tokio::test]
async fn a_session_starts_the_prefix_once() {
    let counted = Counted::new();
    work(&wrapped(counted.prefix(&[])).await).await;
    assert_eq!(counted.starts().len(), 1, "plain: {:?}", counted.starts());

    // A place without `/proc`: files are not read over a connection on which a process may print that no one knows of.
    let counted = Counted::new();
    let mut env = wrapped(counted.prefix(&[])).await;
    env.sees_holders = false;
    work(&env).await;
    assert_eq!(counted.starts().len(), 2, "without /proc: {:?}", counted.starts());

    let Some(server) = Sshd::start() else { return };
    let counted = Counted::new();
    work(&wrapped(counted.prefix(&server.prefix())).await).await;
    assert_eq!(counted.starts().len(), 1, "ssh: {:?}", counted.starts());
}

#[tokio::test]
async fn files_are_read_while_a_command_has_the_connection() {
    let counted = Counted::new();
    let env = wrapped(counted.prefix(&[])).await;
    let folder = tempfile::tempdir().unwrap();
    let began = folder.path().join("began");
    let wait = "touch began; until [ -e done ]; do sleep 0.01; done; echo finished";
    let read = async {
        while env.stat(&began).await.is_err() {}
        env.write(&folder.path().join("done"), Vec::new()).await
    };
    let (finished, read) = tokio::join!(ran(&env, wait, folder.path()), read);
    assert_eq!((finished.as_str(), read), ("finished\n", Ok(())));
    // Both are used again.
    assert_eq!(ran(&env, "echo next", folder.path()).await, "next\n");
    assert_eq!(env.read(&began).await, Ok(Vec::new()));
    assert_eq!(counted.starts().len(), 2);
}

/// Logs the number of lines in each piece of input, and passes the piece on.
const PIECES: &str = r#"while piece=$(dd bs=65536 count=1 2>/dev/null; echo x) && [ "$piece" != x ]; do
  piece=${piece%x}
  printf '%s' "$piece" | wc -l >>"$0"
  printf '%s' "$piece"
done"#;

#[tokio::test]
async fn many_paths_are_asked_about_in_one_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    let pieces = root.join("pieces");
    let script = format!("({}) | \"$@\"", PIECES.replace("$0", &pieces.display().to_string()));
    let env = wrapped(["sh", "-c", &script, "sh"].map(str::to_owned).to_vec()).await;
    let names = ["plain", "with space", "line\nend", "-dash", "ä", "b\\c", "$HOME", "'"];
    let at = |name: &&str| root.join(name);
    for path in names.iter().map(at) {
        std::fs::write(path, "text").unwrap();
    }
    std::os::unix::fs::symlink(root.join("plain"), root.join("link")).unwrap();
    std::fs::write(root.join("plain/x"), "").unwrap_err();
    let more = ["link", "gone", "gone/deeper", "plain/below", ".", "a\0b"];
    let paths: Vec<_> = names.iter().chain(&more).map(at).collect();
    let paths = [&paths[..], &(0..200).map(|n| root.join(format!("gone{n}"))).collect::<Vec<_>>()];
    let paths = paths.concat();
    let requests = || {
        let text = std::fs::read_to_string(&pieces).unwrap_or_default();
        text.lines().filter(|lines| lines.trim() != "0").count()
    };
    let before = requests();
    let (stats, real) = (env.stat_all(&paths).await, env.canonicalize_all(&paths).await);
    let asked = requests() - before;
    assert!(asked <= 2 * paths.len().div_ceil(helper::MAX_ASKED), "{asked} round trips");
    for ((path, stat), real) in paths.iter().zip(&stats).zip(&real) {
        assert_eq!(*stat, env.stat(path).await, "{path:?}");
        assert_eq!(*real, env.canonicalize(path).await, "{path:?}");
    }
    let ok = |all: usize, path: &str| stats[all].as_ref().map(|stat| (stat.kind, path.to_owned()));
    assert_eq!(ok(0, "plain"), Ok((crate::FileKind::File, "plain".to_owned())));
    assert_eq!(real[names.len()], Ok(root.join("plain")), "the link");
    assert_eq!(stats[names.len() + 1], Err(Error::NotFound(root.join("gone"))));
    assert_eq!(stats[names.len() + 3], Err(Error::NotFolder(root.join("plain/below"))));
    assert!(matches!(stats[names.len() + 5], Err(Error::Io { .. })), "a NUL");
}

#[tokio::test]
async fn a_connection_that_ended_while_idle_is_replaced() {
    let counted = Counted::new();
    let env = wrapped(counted.prefix(&[])).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "text").unwrap();
    let end_all = || {
        for pid in counted.starts() {
            let _ = nix::sys::signal::kill(
                nix::unistd::Pid::from_raw(pid),
                nix::sys::signal::Signal::SIGKILL,
            );
        }
    };
    for round in 0..2 {
        assert_eq!(env.read(&path).await, Ok(b"text".to_vec()), "{round}");
        end_all();
        assert_eq!(ran(&env, "cat file", folder.path()).await, "text", "{round}");
        end_all();
    }
    assert_eq!(counted.starts().len(), 4);
}

#[tokio::test]
async fn what_is_cut_off_does_not_answer_the_next_request() {
    let counted = Counted::new();
    let env = wrapped(counted.prefix(&[])).await;
    let folder = tempfile::tempdir().unwrap();
    let (large, small) = (folder.path().join("large"), folder.path().join("small"));
    std::fs::write(&large, vec![b'x'; 3_000_000]).unwrap();
    std::fs::write(&small, "small").unwrap();
    // Dropped when the request has just been sent, and at the latest halfway through its answer.
    for yields in [1, 10, 100] {
        tokio::select! {
            biased;
            _ = env.read(&large) => {}
            () = async { for _ in 0..yields { tokio::task::yield_now().await } } => {}
        }
        assert_eq!(env.read(&small).await, Ok(b"small".to_vec()), "{yields}");
    }
    // Unread input is not taken for a request.
    let error = env.write(folder.path(), vec![b'\n'; 300_000]).await.unwrap_err();
    assert_eq!(error, Error::IsFolder(folder.path().to_path_buf()));
    assert_eq!(env.read(&small).await, Ok(b"small".to_vec()));
}

#[tokio::test]
async fn what_a_command_leaves_does_not_print_into_the_next() {
    let env = wrapped(plain()).await;
    let folder = tempfile::tempdir().unwrap();
    // With its mark, and without.
    for (name, way) in [("marked", ""), ("unmarked", "env -i \"PATH=$PATH\"")] {
        let left = format!(
            "({way} setsid sh -c 'until [ -e {name} ]; do sleep 0.01; done; echo stray; touch {name}-done' &); echo first"
        );
        assert_eq!(ran(&env, &left, folder.path()).await, "first\n", "{name}");
        let next =
            format!("touch {name}; until [ -e {name}-done ]; do sleep 0.01; done; echo next");
        assert_eq!(ran(&env, &next, folder.path()).await, "next\n", "{name}");
    }
}

#[tokio::test]
async fn commands_side_by_side_do_not_wait_for_each_other() {
    let env = wrapped(plain()).await;
    let folder = tempfile::tempdir().unwrap();
    let wait = "touch one; until [ -e two ]; do sleep 0.01; done; echo first";
    let meet = "until [ -e one ]; do sleep 0.01; done; touch two; echo second";
    let (first, second) =
        tokio::join!(ran(&env, wait, folder.path()), ran(&env, meet, folder.path()));
    assert_eq!((first.as_str(), second.as_str()), ("first\n", "second\n"));
}

#[tokio::test]
async fn commands_have_the_locale_of_the_place() {
    let folder = tempfile::tempdir().unwrap();
    for (given, want) in [(vec!["LC_ALL=C.UTF-8"], "C.UTF-8\n"), (vec!["-u", "LC_ALL"], "none\n")] {
        let prefix = ["env"].into_iter().chain(given.iter().copied()).map(str::to_owned);
        let env = wrapped(prefix.collect()).await;
        assert_eq!(ran(&env, "echo ${LC_ALL-none}", folder.path()).await, want, "{given:?}");
    }
}

/// Makes a file of the first thing that is logged.
struct Noted(PathBuf);

impl std::io::Write for Noted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut file = std::fs::File::options().create(true).append(true).open(&self.0)?;
        file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_connection_that_takes_long_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    // The connection opens once the delay was logged.
    let script = format!("until [ -s {} ]; do sleep 0.01; done; exec \"$@\"", note.display());
    let prefix = ["sh", "-c", &script, "way"].map(str::to_owned).to_vec();
    let file = note.clone();
    let log = tracing_subscriber::fmt().with_writer(move || Noted(file.clone())).finish();
    let guard = tracing::subscriber::set_default(log);
    let env = wrapped(prefix).await;
    drop(guard);
    assert_eq!(ran(&env, "echo there", folder.path()).await, "there\n");
    let said = std::fs::read_to_string(&note).unwrap();
    assert!(said.contains("waiting for the connection of `sh -c"), "{said}");
}
