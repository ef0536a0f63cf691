#![expect(clippy::disallowed_methods, reason = "tests set the scene with real files")]

use super::*;
use crate::{FileKind, FindOrder, LeftOut};
use pintle_protocol::diff::FileChange;
use pintle_protocol::diff::FileOp;
use pintle_testing::files::{mode, set_mode, symlink};
use std::fs;

fn local() -> Local {
    Local::new(&Ambient::system(), Options::default())
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = pintle_os::names::canonicalize(folder.path()).unwrap();
    (folder, path)
}

fn change() -> FileChange {
    FileChange {
        op: FileOp::Modify,
        path: String::new(),
        old_path: None,
        diff: String::new(),
        added: 0,
        removed: 0,
        first_changed_line: None,
        words: Vec::new(),
    }
}

#[tokio::test]
async fn a_write_replaces_the_file_at_once() {
    let (_guard, folder) = folder();
    let local = local();

    let deep = folder.join("a/b/new.txt");
    local.write(&deep, b"new".to_vec()).await.unwrap();
    assert_eq!(fs::read_to_string(&deep).unwrap(), "new", "parents are created");

    let script = folder.join("script");
    fs::write(&script, "old").unwrap();
    set_mode(&script, 0o750);
    let was = mode(&script);
    local.write(&script, b"new".to_vec()).await.unwrap();
    assert_eq!(fs::read_to_string(&script).unwrap(), "new");
    assert_eq!(mode(&script), was, "the mode is kept");
    if cfg!(unix) {
        assert_eq!(was, 0o750);
    }

    let got = local.write(&folder, b"x".to_vec()).await;
    assert_eq!(got, Err(Error::IsFolder(folder.clone())));
    assert_eq!(names(&folder), ["a", "script"], "no temporary file is left");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_write_goes_through_links() {
    let (_guard, folder) = folder();
    let local = local();
    let script = folder.join("script");
    fs::write(&script, "old").unwrap();
    let link = folder.join("link");
    symlink("script", &link);
    local.write(&link, b"through".to_vec()).await.unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link stays");
    assert_eq!(fs::read_to_string(&script).unwrap(), "through", "its target is written");

    let dangling = folder.join("dangling");
    symlink("not/yet", &dangling);
    local.write(&dangling, b"there".to_vec()).await.unwrap();
    assert_eq!(
        fs::read_to_string(folder.join("not/yet")).unwrap(),
        "there",
        "also one not there yet"
    );

    assert_eq!(names(&folder), ["dangling", "link", "not", "script"], "no temporary file is left");
}

#[tokio::test]
async fn paths_are_resolved_as_far_as_they_exist() {
    let (_guard, folder) = folder();
    let local = local();
    fs::create_dir_all(folder.join("real/sub")).unwrap();
    for (name, path, want) in [
        ("there", "real/sub", "real/sub"),
        ("not there yet", "real/new/file", "real/new/file"),
        ("dots that do not", "real/new/../../other", "other"),
    ] {
        let got = local.canonicalize(&folder.join(path)).await;
        assert_eq!(got, Ok(folder.join(want)), "{name}");
    }
    let long = folder.join("x".repeat(5000));
    assert_eq!(local.canonicalize(&long).await, Err(Error::PathTooLong(long)));
}

#[tokio::test]
async fn links_on_paths_are_resolved() {
    let (_guard, folder) = folder();
    let local = local();
    fs::create_dir_all(folder.join("real/sub")).unwrap();
    symlink("real", folder.join("link"));
    symlink("/nowhere/at/all", folder.join("dangling"));
    symlink("loop", folder.join("loop"));
    for (name, path, want) in [
        ("there", "link/sub", "real/sub"),
        ("not there yet", "link/new/file", "real/new/file"),
        ("dots that exist", "link/../real", "real"),
        ("a link to nowhere", "dangling/x", "/nowhere/at/all/x"),
    ] {
        let got = local.canonicalize(&folder.join(path)).await;
        assert_eq!(got, Ok(folder.join(want)), "{name}");
    }
    assert!(local.canonicalize(&folder.join("loop/x")).await.is_err());
}

#[tokio::test]
async fn lines_are_taken_from_a_window() {
    let (_guard, folder) = folder();
    let path = folder.join("file");
    let window = |first_line, max_lines, max_bytes| Window { first_line, max_lines, max_bytes };
    // Name, content, window, text, count, stopped by bytes, first line's bytes, total.
    let rows = [
        ("all", "a\nb\n", window(1, 9, 99), "a\nb", 2, false, Some(1), 2),
        ("no newline at the end", "a\nb", window(1, 9, 99), "a\nb", 2, false, Some(1), 2),
        ("some", "a\nb\nc\nd\n", window(2, 2, 99), "b\nc", 2, false, Some(1), 4),
        ("the last", "a\nb\n", window(2, 9, 99), "b", 1, false, Some(1), 2),
        ("beyond", "a\nb\n", window(3, 9, 99), "", 0, false, None, 2),
        ("empty", "", window(1, 9, 99), "", 0, false, None, 0),
        ("blank lines", "\n\n", window(1, 9, 99), "\n", 2, false, Some(0), 2),
        ("bytes", "aaa\nbbb\nccc\n", window(1, 9, 7), "aaa\nbbb", 2, true, Some(3), 3),
        ("a first line too long", "aaaa\nb\n", window(1, 9, 3), "", 0, true, Some(4), 2),
    ];
    for (name, content, window, text, count, stopped, first, total) in rows {
        fs::write(&path, content).unwrap();
        let got = local().read_lines(&path, window).await.unwrap();
        assert_eq!(String::from_utf8(got.text).unwrap(), text, "{name}");
        let facts =
            (got.count, got.stopped_by_bytes, got.first_line_bytes, got.total_lines, got.size);
        assert_eq!(facts, (count, stopped, first, Some(total), content.len() as u64), "{name}");
        assert_eq!(got.head, content.as_bytes(), "{name}");
    }
}

#[tokio::test]
async fn a_huge_file_is_not_read_whole() {
    let (_guard, folder) = folder();
    let path = folder.join("huge");
    // Mostly a hole behind its beginning: 5 GB that take no room.
    fs::write(&path, format!("first\nsecond\n{}", "line\n".repeat(1000))).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5 << 30).unwrap();
    let window = Window { first_line: 2, max_lines: 1, max_bytes: 100 };
    let got = local().read_lines(&path, window).await.unwrap();
    assert_eq!((got.text.as_slice(), got.total_lines), (&b"second"[..], None));
    assert!(matches!(local().read(&path).await, Err(Error::TooLarge { .. })));
}

#[tokio::test]
async fn of_what_is_no_text_the_beginning_is_enough() {
    let (_guard, folder) = folder();
    let path = folder.join("huge");
    fs::write(&path, "first\0\n").unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5 << 30).unwrap();
    for first_line in [1, 100] {
        let window = Window { first_line, max_lines: 1, max_bytes: 100 };
        let got = local().read_lines(&path, window).await.unwrap();
        assert_eq!((got.head.len(), got.count, got.size), (Lines::HEAD_BYTES, 0, 5 << 30));
    }
}

#[tokio::test]
async fn updates_of_one_file_never_interleave() {
    let (_guard, folder) = folder();
    let path = folder.join("counter");
    fs::write(&path, "0").unwrap();
    let local = local();
    let none = CancellationToken::new();
    let updates = (0..40).map(|_| {
        let (path, local, none) = (path.clone(), &local, &none);
        async move {
            let decide: Decide = Box::new(|before| {
                let count: u32 =
                    String::from_utf8(before.unwrap().content).unwrap().parse().unwrap();
                Ok(Rewrite {
                    content: (count + 1).to_string().into_bytes().into(),
                    change: Some(change()),
                })
            });
            local.update(&path, decide, none).await.unwrap()
        }
    });
    futures_util::future::join_all(updates).await;
    assert_eq!(fs::read_to_string(&path).unwrap(), "40");
    assert_eq!(local.locks.0.lock().unwrap().len(), 1, "locks do not pile up");
}

#[tokio::test]
async fn a_link_on_a_canonical_path_leads_nowhere() {
    let (_guard, folder) = folder();
    fs::create_dir_all(folder.join("secret/sub")).unwrap();
    fs::write(folder.join("secret/file"), "theirs\n").unwrap();
    symlink("secret", folder.join("folder"));
    symlink("secret/file", folder.join("file"));
    symlink("secret/new", folder.join("dangling"));
    let local = local();
    let none = CancellationToken::new();
    let window = Window { first_line: 1, max_lines: 1, max_bytes: 100 };
    let write = || -> DecideAll {
        Box::new(|_| {
            let after = vec![After::Write(b"ours".to_vec().into())];
            Ok(Rewrites { after, changes: Vec::new() })
        })
    };
    let remove = || -> DecideAll {
        Box::new(|_| Ok(Rewrites { after: vec![After::Remove], changes: Vec::new() }))
    };
    for name in
        ["file", "folder/file", "folder/new", "folder/sub/new", "dangling", "folder/a/b/new"]
    {
        let path = folder.join(name);
        let refused = Some(Error::Link(path.clone()));
        let paths = [path.clone()];
        assert_eq!(local.update_all(&paths, write(), &none).await.err(), refused, "write {name}");
        assert_eq!(local.update_all(&paths, remove(), &none).await.err(), refused, "remove {name}");
        assert_eq!(local.read(&path).await.err(), refused, "read {name}");
        assert_eq!(local.read_lines(&path, window).await.err(), refused, "read lines {name}");
    }
    let path = folder.join("folder");
    let refused = Some(Error::Link(path.clone()));
    assert_eq!(local.list(&path).await.err(), refused);
    let find = Find {
        root: path.clone(),
        left_out: LeftOut::default(),
        glob: "*".to_owned(),
        max_paths: 1,
        max_depth: None,
        order: FindOrder::Path,
    };
    assert_eq!(local.find(find, &none).await.err(), refused);
    assert_eq!(fs::read_to_string(folder.join("secret/file")).unwrap(), "theirs\n");
    let left = fs::read_dir(folder.join("secret")).unwrap().count();
    assert_eq!(left, 2, "nothing was made");
}

/// A command in the background may act while the new content is being decided.
#[tokio::test]
async fn a_link_that_is_made_during_a_change_leads_nowhere() {
    // The part replaced by a link: the file, or its directory.
    for (name, is_folder) in [("the file", false), ("its folder", true)] {
        let (_guard, folder) = folder();
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::create_dir_all(folder.join("secret")).unwrap();
        for place in ["src/file", "secret/file"] {
            fs::write(folder.join(place), "old").unwrap();
        }
        let (path, here) = (folder.join("src/file"), folder.clone());
        let decide: Decide = Box::new(move |_| {
            if is_folder {
                fs::rename(here.join("src"), here.join("moved")).unwrap();
                symlink("secret", here.join("src"));
            } else {
                fs::remove_file(here.join("src/file")).unwrap();
                symlink("../secret/file", here.join("src/file"));
            }
            Ok(Rewrite { content: b"new".to_vec().into(), change: None })
        });
        let done = local().update(&path, decide, &CancellationToken::new()).await;
        let secret = fs::read_to_string(folder.join("secret/file")).unwrap();
        assert_eq!(secret, "old", "{name}: {done:?}");
        if is_folder {
            let moved = fs::read_to_string(folder.join("moved/file")).unwrap();
            assert_eq!(moved, "new", "the folder that was meant is changed, wherever it is now");
        } else {
            assert_eq!(done.err(), Some(Error::Link(path)), "{name}");
        }
    }
}

#[tokio::test]
async fn a_refused_or_cancelled_update_changes_nothing() {
    let (_guard, folder) = folder();
    let path = folder.join("file");
    fs::write(&path, "old").unwrap();
    let local = local();
    let cancel = CancellationToken::new();
    let refuse: Decide = Box::new(|_| Err("no".to_owned()));
    assert_eq!(local.update(&path, refuse, &cancel).await, Err(Error::Refused("no".into())));
    // Cancelled while the content is being decided.
    let inner = cancel.clone();
    let decide: Decide = Box::new(move |_| {
        inner.cancel();
        Ok(Rewrite { content: b"new".to_vec().into(), change: None })
    });
    assert_eq!(local.update(&path, decide, &cancel).await, Err(Error::Cancelled));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
}

/// Returns names in order, each with true for a directory.
fn in_order(listed: &[ListEntry]) -> Vec<(&str, bool)> {
    let mut rows: Vec<_> =
        listed.iter().map(|entry| (entry.name.as_str(), entry.is_folder)).collect();
    rows.sort_unstable();
    rows
}

#[tokio::test]
async fn links_are_listed() {
    let (_guard, folder) = folder();
    fs::create_dir(folder.join("b")).unwrap();
    symlink("b", folder.join("link"));
    symlink("gone", folder.join("broken"));
    let listed = local().list(&folder).await.unwrap();
    assert_eq!(in_order(&listed), [("b", true), ("broken", false), ("link", true)]);
}

#[tokio::test]
async fn folders_files_and_what_is_missing() {
    let (_guard, folder) = folder();
    let local = local();
    local.create_folder(&folder.join("a/b")).await.unwrap();
    fs::write(folder.join("a/file"), "12345").unwrap();
    let listed = local.list(&folder.join("a")).await.unwrap();
    assert_eq!(in_order(&listed), [("b", true), ("file", false)]);

    let file = local.stat(&folder.join("a/file")).await.unwrap();
    assert_eq!((file.kind, file.size), (FileKind::File, 5));
    assert_eq!(local.stat(&folder).await.unwrap().kind, FileKind::Folder);

    local.rename(&folder.join("a/file"), &folder.join("moved")).await.unwrap();
    assert_eq!(local.read(&folder.join("moved")).await, Ok(b"12345".to_vec()));
    local.remove(&folder.join("moved")).await.unwrap();
    let moved = folder.join("moved");
    assert_eq!(local.read(&moved).await, Err(Error::NotFound(moved.clone())));
    assert_eq!(local.remove(&moved).await, Err(Error::NotFound(moved)));
    assert_eq!(local.read(&folder).await, Err(Error::IsFolder(folder.clone())));
}

#[tokio::test]
async fn commands_see_no_secrets() {
    let (_guard, folder) = folder();
    let system = Ambient::system();
    let path = system.var("PATH").unwrap_or_default();
    let vars = [("PATH", path), ("HOME", "/home/me"), ("MY_API_KEY", "k"), ("TERM", "xterm")];
    let ambient = Ambient::fixed(vars.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let local = Local::new(&ambient, Options::default());
    let command = Command::new("echo $HOME:$MY_API_KEY:$TERM:$PAGER:$GIT_PAGER", folder, "tests");
    let ran = local.exec(command, &CancellationToken::new(), &mut |_| {}).await.unwrap();
    assert_eq!(ran.tail, "/home/me::dumb:cat:cat\n");
}

#[tokio::test]
async fn a_command_in_a_terminal_comes_first_and_reads_nothing() {
    let local = Local::new(&Ambient::system(), Options::default());
    for (name, line, is_first) in [
        ("plain", "echo a; cat; exit 3", true),
        ("a comment", "echo a # b", true),
        ("in the background", "cat & wait; echo a", true),
        ("an open text", "cat <<X\na", false),
        ("an unfinished line", "echo a \\", false),
    ] {
        let command = Command::new(line, "/", "tests");
        let run = local.in_terminal(&command).unwrap();
        let script = run.argv.last().unwrap();
        assert_eq!(script.trim_start_matches("{ ").starts_with(line), is_first, "{name}: {script}");
        let (program, arguments) = run.argv.split_first().unwrap();
        let run = |arguments: &[String], input| {
            let mut command = std::process::Command::new(program);
            command.args(arguments).stdin(input).output().unwrap()
        };
        let got = run(arguments, std::process::Stdio::piped());
        let alone = ["-c".to_owned(), line.to_owned()];
        let want = run(&alone, std::process::Stdio::null());
        assert_eq!((got.status, got.stdout), (want.status, want.stdout), "{name}");
    }
}

#[tokio::test]
async fn a_command_may_be_longer_than_an_argument() {
    let (_guard, folder) = folder();
    let local = local();
    // Characters of several bytes, so that a piece would end within one.
    let long = "ä".repeat(100_000);
    // Not under Wine: brush, which replaces Git's bash there, hangs.
    let document = ("a here-document", format!("wc -c <<'EOF'\n{long}\n$1\nEOF"), "200004");
    let rows = [
        ("a word", format!("echo {long} | wc -c"), "200001"),
        ("quotes", format!("x='{long}'; echo \"$#\" \"${{#x}}\" \"$0\" >/dev/null; echo $#"), "0"),
    ];
    for (name, line, want) in rows.into_iter().chain(cfg!(unix).then_some(document)) {
        let command = Command::new(&line, &folder, "tests");
        let ran = local.exec(command, &CancellationToken::new(), &mut |_| {}).await.unwrap();
        assert_eq!(ran.tail.trim(), want, "{name}");
    }
    if cfg!(windows) {
        return;
    }
    // Windows takes a command of any length.
    let too_long = format!("echo {}", "x".repeat(8 << 20));
    let command = Command::new(&too_long, &folder, "tests");
    let failed = local.exec(command, &CancellationToken::new(), &mut |_| {}).await.unwrap_err();
    assert!(failed.to_string().starts_with("the command is too long for this system"), "{failed}");
}

#[tokio::test]
async fn long_paths_and_short_names_lead_to_their_files() {
    let (_guard, root) = folder();
    let folder = root.join(["a-directory-with-a-long-name"; 12].join("/"));
    // With the separator of this system.
    let folder: PathBuf = folder.components().collect();
    let local = local();
    let file = folder.join(".env");
    local.write(&file, b"KEY=1\n".to_vec()).await.unwrap();
    assert_eq!(local.canonicalize(&file).await, Ok(file.clone()));
    assert_eq!(local.read(&file).await.unwrap(), b"KEY=1\n");
    assert_eq!(local.stat(&file).await.unwrap().size, 6);
    let listed = local.list(&folder).await.unwrap();
    assert_eq!(listed.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), [".env"]);
    // Windows takes no long path for a command's directory. Rules are about the long names.
    let short = pintle_os::names::to_start_in(&folder).join(".env");
    assert_eq!(local.canonicalize(&short).await, Ok(file.clone()), "{}", short.display());
    let missing = pintle_os::names::to_start_in(&folder).join("new/.env");
    assert_eq!(local.canonicalize(&missing).await, Ok(folder.join("new/.env")));
    let removed = local.remove(&file).await;
    assert!(removed.is_ok() && !file.exists(), "{removed:?}");
}

#[cfg(windows)]
#[tokio::test]
async fn names_that_windows_reads_differently_are_not_used() {
    let (_guard, folder) = folder();
    fs::write(folder.join(".env"), "KEY=1").unwrap();
    fs::create_dir(folder.join("src")).unwrap();
    let local = local();
    for name in
        [".env:hidden", ".env::$DATA", ".env.", ".env ", "src.", "nul", "src/CON", r"\\.\pipe\x"]
    {
        let path = folder.join(name);
        let window = Window { first_line: 1, max_lines: 9, max_bytes: 99 };
        for result in [
            local.stat(&path).await.map(drop),
            local.canonicalize(&path).await.map(drop),
            local.read(&path).await.map(drop),
            local.read_lines(&path, window).await.map(drop),
            local.list(&path).await.map(drop),
            local.write(&path, b"x".to_vec()).await,
        ] {
            assert!(matches!(result, Err(Error::Refused(_))), "{name}: {result:?}");
        }
    }
}
