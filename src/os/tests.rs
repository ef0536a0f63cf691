//! What both systems promise. Runs on Linux, and as a Windows program under wine.

use crate::family::{Ending, Family};
use crate::file::{Facts, Identity};
use crate::{errors, file, folder, lock, names, pipe, process, replace, socket, streams, terminal};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = names::canonicalize(folder.path()).unwrap();
    (folder, path)
}

#[test]
fn a_lock_is_for_one_and_readers_do_not_meet_it() {
    let (_guard, folder) = folder();
    let path = folder.join("lock");
    fs::write(&path, "held by 1").unwrap();
    let open = || OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let (first, second) = (open(), open());
    lock::try_lock(&first).unwrap();
    assert!(matches!(lock::try_lock(&second), Err(TryLockError::WouldBlock)));
    assert_eq!(fs::read_to_string(&path).unwrap(), "held by 1");
    drop(first);
    lock::lock(&second).unwrap();
}

#[test]
fn an_open_file_is_replaced_and_a_failed_rename_loses_nothing() {
    let (_guard, folder) = folder();
    let place = folder.join("place");
    for old in [None, Some("old")] {
        if let Some(old) = old {
            fs::write(&place, old).unwrap();
        }
        let mut held = old.map(|_| File::open(&place).unwrap());
        let mut new = tempfile::NamedTempFile::new_in(&folder).unwrap();
        new.write_all(b"new").unwrap();
        replace::put(new, &place, &mut held).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "new", "{old:?}");
        fs::remove_file(&place).unwrap();
    }
    fs::write(&place, "kept").unwrap();
    assert!(replace::rename(folder.join("missing"), &place).is_err());
    assert_eq!(fs::read_to_string(&place).unwrap(), "kept");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn a_file_is_itself_under_every_name() {
    let (_guard, folder) = folder();
    let [one, two] = ["one", "two"].map(|name| folder.join(name));
    fs::write(&one, "a").unwrap();
    fs::write(&two, "b").unwrap();
    fs::hard_link(&one, folder.join("again")).unwrap();
    let open = Identity::from_file(&File::open(&one).unwrap()).unwrap();
    assert_eq!(Identity::at(&one).unwrap(), open);
    assert_eq!(Identity::at(&folder.join("again")).unwrap(), open);
    assert_ne!(Identity::at(&two).unwrap(), open);
    let links = |path: &Path| file::links(path, &path.metadata().unwrap());
    assert_eq!((links(&one), links(&two)), (2, 1));
    let (seconds, nanos) = two.metadata().unwrap().modified_at();
    assert!(seconds > 1_700_000_000 && (0..1_000_000_000).contains(&nanos), "{seconds}.{nanos}");
}

#[test]
fn a_directory_that_is_kept_open_is_no_link() {
    let (_guard, path) = folder();
    let canonical = |path: &Path| names::canonicalize(path).ok();
    folder::open(&path, canonical).unwrap();
    assert!(folder::open_below(&path.join("missing")).is_err());
    fs::write(path.join("file"), "text").unwrap();
    assert!(folder::open_below(&path.join("file")).is_err());
    let mut text = String::new();
    folder::open_to_read(&path.join("file"), canonical).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "text");
    // Not every user may create links on Windows, and Wine 8 creates none.
    let made = file::link_to_file(&path.join("file"), &path.join("link"));
    if made.is_ok() && path.join("link").is_symlink() {
        let error = folder::open_to_read(&path.join("link"), canonical).unwrap_err();
        assert!(errors::is_link(&error), "{error}");
    }
}

#[test]
fn paths_are_shown_without_backslashes_and_prefixes() {
    let (_guard, folder) = folder();
    let shown = names::shown(&folder).into_owned();
    assert!(!shown.contains('\\') && !shown.contains("//"), "{shown}");
    assert_eq!(names::path(names::bytes(folder.as_os_str())), folder);
    let in_uri = names::in_uri(&shown).into_owned();
    assert!(in_uri.starts_with('/') && !in_uri.contains('\\'), "{in_uri}");
    assert_eq!(names::from_uri(&in_uri), shown);
}

#[test]
fn a_directory_that_is_opened_as_a_file_is_said_to_be_one() {
    let (_guard, folder) = folder();
    let error = file::open(OpenOptions::new().read(true).write(true), &folder).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory, "{error}");
    let error = file::open(OpenOptions::new().read(true), &folder.join("missing")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound, "{error}");
}

#[test]
fn a_path_is_the_same_however_a_client_wrote_it() {
    let (_guard, folder) = folder();
    let known = folder.join("a.txt").to_string_lossy().into_owned();
    let mut spellings = vec![known.clone()];
    if known.contains('\\') {
        let (drive, rest) = known.split_at(1);
        spellings.push(format!("{}{rest}", drive.to_ascii_lowercase()));
        spellings.push(known.replace('\\', "/"));
        spellings.push(format!(r"\\?\{known}"));
        spellings.push(known.replace("a.txt", r".\b\..\a.txt"));
    }
    for path in spellings {
        assert_eq!(names::given(path.clone()), known, "{path}");
    }
    assert_eq!(names::given("src/a.txt".to_owned()), "src/a.txt");
}

#[test]
fn paths_that_differ_in_case_are_the_same_where_files_are() {
    use crate::System::{Linux, MacOs, Windows};
    for (one, other, everywhere, without_case) in [
        ("/w/a", "/w/a", true, true),
        ("/w/a", "/W/A", false, true),
        (r"C:\Users\Jörg", r"c:\users\JÖRG", false, true),
        ("/w/a", "/w/ab", false, false),
        ("/w/a", "/w/b", false, false),
    ] {
        for (system, want) in [(Linux, everywhere), (MacOs, without_case), (Windows, without_case)]
        {
            assert_eq!(system.is_same_path(one, other), want, "{system:?}: {one} and {other}");
        }
    }
}

#[test]
fn a_long_path_is_like_any_other() {
    let (_guard, root) = folder();
    let part = "directory-".repeat(9);
    let long = root.join([part.as_str(); 5].join("/")).components().collect::<PathBuf>();
    file::private_folders().recursive(true).create(&long).unwrap();
    assert!(long.as_os_str().len() > 400 && !long.to_string_lossy().starts_with(r"\\"));
    assert_eq!(names::given(long.to_string_lossy().into_owned()), long.to_string_lossy());
    let place = long.join("place");
    let temporary = |text: &str| {
        let mut file = tempfile::NamedTempFile::new_in(&long).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    };
    replace::put_new(temporary("one"), &place).unwrap();
    let error = replace::put_new(temporary("two"), &place).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{error}");
    assert_eq!(fs::read_to_string(&place).unwrap(), "one");
    let mut held = Some(File::open(&place).unwrap());
    replace::put(temporary("three"), &place, &mut held).unwrap();
    assert_eq!(fs::read_to_string(&place).unwrap(), "three");
    let (_, kept) = replace::keep(temporary("four")).unwrap();
    assert_eq!(fs::read_to_string(&kept).unwrap(), "four");
    replace::rename(&kept, long.join("renamed")).unwrap();
    file::tighten(&place).unwrap();
    file::set_mode(&place, 0o600).unwrap();
    assert_eq!(file::links(&place, &place.metadata().unwrap()), 1);
    assert_eq!(
        Identity::at(&place).unwrap(),
        Identity::from_file(&File::open(&place).unwrap()).unwrap()
    );
    let canonical = |path: &Path| names::canonicalize(path).ok();
    folder::open(&long, canonical).unwrap();
    let mut text = String::new();
    folder::open_to_read(&place, canonical).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "three");
    assert_eq!(fs::read_dir(&long).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn a_process_starts_in_a_long_directory_by_a_short_path() {
    let (_guard, root) = folder();
    let long = root.join(["long-directory-name"; 20].join("/")).components().collect::<PathBuf>();
    fs::create_dir_all(&long).unwrap();
    fs::write(long.join("file"), "text").unwrap();
    let start = names::to_start_in(&long);
    assert_eq!(fs::read_to_string(start.join("file")).unwrap(), "text");
    // Not every file system of Windows has short names.
    assert!(start == long || start.as_os_str().len() < 300, "{}", start.display());
}

#[test]
fn long_paths_are_canonical_without_a_prefix() {
    let (_guard, root) = folder();
    let long = root.join(["long-directory-name"; 20].join("/")).components().collect::<PathBuf>();
    fs::create_dir_all(&long).unwrap();
    assert_eq!(names::canonicalize(&long).unwrap(), long);
    assert_eq!(names::canonicalize(&names::to_start_in(&long)).unwrap(), long);
}

#[test]
fn private_folders_are_made_with_their_parents_and_may_exist() {
    let (_guard, folder) = folder();
    let inner = folder.join("a/b/c");
    for _ in 0..2 {
        file::private_folders().recursive(true).create(&inner).unwrap();
    }
    fs::write(inner.join("file"), "x").unwrap();
    file::tighten(&inner).unwrap();
    assert_eq!(fs::read_to_string(inner.join("file")).unwrap(), "x");
}

#[test]
fn a_reader_that_is_gone_is_noticed() {
    let (reader, writer) = io::pipe().unwrap();
    let output = into_file(writer);
    let waiting = std::thread::spawn(move || streams::wait_for_hangup(&output));
    drop(reader);
    assert!(waiting.join().unwrap());
}

#[cfg(unix)]
fn into_file(writer: io::PipeWriter) -> File {
    File::from(std::os::fd::OwnedFd::from(writer))
}

#[cfg(windows)]
fn into_file(writer: io::PipeWriter) -> File {
    File::from(std::os::windows::io::OwnedHandle::from(writer))
}

#[tokio::test]
async fn pipes_carry_bytes_in_both_directions_until_they_are_closed() {
    let (mut receiver, end) = pipe::wide_output().unwrap();
    assert_eq!(pipe::read_now(&receiver, &mut [0; 8]).unwrap(), None);
    let mut theirs = File::from(end);
    theirs.write_all(b"out").unwrap();
    let mut buffer = [0; 3];
    receiver.read_exact(&mut buffer).await.unwrap();
    assert_eq!(&buffer, b"out");
    drop(theirs);
    assert_eq!(receiver.read(&mut buffer).await.unwrap(), 0);

    let (end, mut sender) = pipe::input().unwrap();
    let read = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        File::from(end).read_to_string(&mut text).map(|_| text)
    });
    sender.write_all(b"in").await.unwrap();
    drop(sender);
    assert_eq!(read.await.unwrap().unwrap(), "in");
}

#[tokio::test]
async fn a_process_reports_its_code_and_its_family_ends_with_it() {
    // This test program: it lists its tests, or waits for its input.
    let program = std::env::current_exe().unwrap();
    let (mut output, stdout) = pipe::output().unwrap();
    let nothing = pipe::nothing().unwrap();
    let mut builder = tokio::process::Command::new(&program);
    builder.args(["--list", "--format", "terse"]).env("PINTLE_COMMAND", "os-test-1");
    let streams = [&nothing, &stdout, &stdout].map(pipe::borrow);
    let (mut child, leader) = process::spawn(builder, streams, "os-test-1").unwrap();
    drop(stdout);
    let mut family = Family::new(leader.as_ref(), "os-test-1".to_owned());
    let mut text = String::new();
    output.read_to_string(&mut text).await.unwrap();
    let status = child.wait().await.unwrap();
    family.leader_ended();
    assert_eq!((status.code(), process::ended_by(status)), (Some(0), None), "{text}");
    assert!(text.contains("a_process_reports_its_code"), "{text}");
    family.end(Ending::Forced).await;
    family.ended_by(tokio::time::Instant::now()).await;
    assert!(!family.is_armed);
    assert_eq!(process::exited(3).code(), Some(3));
}

#[tokio::test]
async fn a_slow_client_gets_everything_and_its_end_is_seen() {
    const BYTES: usize = 4 * 1024 * 1024;
    let (_guard, folder) = folder();
    let path = folder.join("engine");
    let listener = socket::bind(&path).unwrap();
    let at = path.clone();
    let (start, started) = std::sync::mpsc::channel::<()>();
    let client = std::thread::spawn(move || {
        let client = socket::Client::connect(&at)?;
        assert!(client.is_own());
        (&client).write_all(b"hello")?;
        // Nothing is read before the other side has begun to write.
        started.recv().map_err(io::Error::other)?;
        let mut all = vec![0; BYTES];
        (&client).read_exact(&mut all)?;
        assert!(all.iter().all(|byte| *byte == b'x'));
        client.end_input()
    });
    let stream = socket::accept(&listener).await.unwrap();
    let served = socket::Served::new(stream).unwrap();
    let mut reader = served.reader().unwrap();
    let heard = tokio::task::spawn_blocking(move || {
        let mut hello = [0; 5];
        reader.read_exact(&mut hello)?;
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest)?;
        Ok::<_, io::Error>((hello, rest))
    });
    let writer = served.writer().unwrap();
    let bytes = vec![b'x'; BYTES];
    {
        let (first, second) = bytes.split_at(BYTES / 2);
        let mut written = std::pin::pin!(async {
            writer.write_all(first).await?;
            writer.write_all(second).await
        });
        // The client reads nothing yet. No socket holds that much, and of a pipe's writes only one is on its way.
        assert!(is_pending(written.as_mut()).await);
        start.send(()).unwrap();
        written.await.unwrap();
    }
    tokio::task::spawn_blocking(|| client.join().unwrap().unwrap()).await.unwrap();
    let (hello, rest) = heard.await.unwrap().unwrap();
    assert_eq!((&hello[..], &rest[..]), (&b"hello"[..], &b""[..]));
}

/// While a client only reads, the thread waiting for its next message sleeps.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_client_that_reads_does_not_wake_the_reading_thread() {
    const MESSAGES: u32 = 1000;
    let switches = || -> u32 {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.unwrap().trim().parse().unwrap()
    };
    let (_guard, folder) = folder();
    let path = folder.join("engine");
    let listener = socket::bind(&path).unwrap();
    let client = socket::Client::connect(&path).unwrap();
    let served = socket::Served::new(socket::accept(&listener).await.unwrap()).unwrap();
    let (mut reader, writer) = (served.reader().unwrap(), served.writer().unwrap());
    let reading = std::thread::spawn(move || {
        let before = switches();
        assert_eq!(reader.read(&mut [0]).unwrap(), 0);
        switches() - before
    });
    for _ in 0..MESSAGES {
        writer.write_all(b"x").await.unwrap();
        (&client).read_exact(&mut [0]).unwrap();
    }
    client.end_input().unwrap();
    let woken = reading.join().unwrap();
    assert!(woken < 10, "{woken}");
}

/// Polls a future once and returns true if it is not ready.
async fn is_pending<F: Future>(mut future: std::pin::Pin<&mut F>) -> bool {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(future.as_mut().poll(context).is_pending())
    })
    .await
}

#[test]
fn the_code_page_is_that_of_the_console() {
    let Some(decode) = terminal::code_page() else {
        assert_ne!(crate::System::CURRENT, crate::System::Windows);
        return;
    };
    assert_eq!(decode(b"plain\r\n"), "plain\r\n");
    // `0x81` is a letter in western code pages, and begins a character in those of East Asia.
    let text = decode(b"f\x81r\n");
    let is_decoded = text.starts_with('f') && text.ends_with('\n') && !text.contains('\u{fffd}');
    assert!(is_decoded, "{text:?}");
}
