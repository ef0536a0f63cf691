// The helper behind a prefix is a script for `sh`.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests set the scene with real files, processes and an ssh server"
)]

mod connections;
mod stops;

use super::*;
use crate::End;
use pintle_testing::Sshd;
use std::time::Duration;

/// Returns a prefix that runs its arguments unchanged.
fn plain() -> Vec<String> {
    ["sh", "-c", "exec \"$@\"", "sh"].map(str::to_owned).to_vec()
}

async fn wrapped(prefix: Vec<String>) -> Wrapped {
    Wrapped::connect(&Ambient::system(), prefix, local::Options::default()).await.unwrap()
}

#[tokio::test]
async fn a_file_that_changed_meanwhile_is_not_overwritten() {
    let env = wrapped(plain()).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let none = CancellationToken::new();
    // The initial content, and the content written by another process meanwhile.
    let rows = [("another content", Some("old\n"), "mine\n"), ("a new file", None, "theirs\n")];
    for (name, before, meanwhile) in rows {
        let _ = std::fs::remove_file(&path);
        if let Some(before) = before {
            std::fs::write(&path, before).unwrap();
        }
        let (theirs, content) = (path.clone(), meanwhile.to_owned());
        let decide: Decide = Box::new(move |_| {
            std::fs::write(theirs, content).unwrap();
            Ok(Rewrite { content: b"new\n".to_vec().into(), change: None })
        });
        let error = env.update(&path, decide, &none).await.unwrap_err().to_string();
        assert!(error.contains("changed by another program"), "{name}: {error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), meanwhile, "{name}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
    }
}

#[tokio::test]
async fn a_file_with_two_names_stays_one_file() {
    let env = wrapped(plain()).await;
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("file"), folder.path().join("other"));
    std::fs::write(&path, "a longer old text\n").unwrap();
    std::fs::hard_link(&path, &other).unwrap();
    env.write(&path, b"new\n".to_vec()).await.unwrap();
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "new\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
}

#[tokio::test]
async fn bytes_travel_both_ways() {
    let env = wrapped(plain()).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes");
    let bytes: Vec<u8> =
        (0..3_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    env.write(&path, bytes.clone()).await.unwrap();
    assert!(env.read(&path).await.unwrap() == bytes);
    let stat = env.stat(&path).await.unwrap();
    let here = files::stat(&path).unwrap();
    assert_eq!((stat.kind, stat.size), (here.kind, here.size));
    assert!(stat.modified_ms.abs_diff(here.modified_ms) < 1000);
}

#[tokio::test]
async fn versions_tell_contents_apart_without_reading_them_here() {
    let env = wrapped(plain()).await;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let names = ["plain", "with space", "line\nend", "-dash", "ä"];
    for name in names {
        env.write(&at(name), b"x\n".to_vec()).await.unwrap();
    }
    env.create_folder(&at("folder")).await.unwrap();
    let paths: Vec<PathBuf> = names.iter().copied().chain(["folder", "gone"]).map(at).collect();
    let first = env.versions(&paths).await;
    for (name, version) in names.iter().zip(&first) {
        assert_eq!(*version, Ok(lines::version(&at(name), b"x\n")), "{name}");
    }
    assert!(matches!(first[5], Err(Error::Refused(_))), "{first:?}");
    assert_eq!(first[6], Err(Error::NotFound(at("gone"))));
    env.write(&at("plain"), b"x\n".to_vec()).await.unwrap();
    env.write(&at("ä"), b"y\n".to_vec()).await.unwrap();
    let second = env.versions(&paths).await;
    let changed: Vec<&str> =
        (0..5).filter(|&at| first[at] != second[at]).map(|at| names[at]).collect();
    assert_eq!(changed, ["ä"], "a new time alone is no change");
    assert!(env.versions(&[]).await.is_empty());
}

#[tokio::test]
async fn folders_are_made_moved_and_removed() {
    let env = wrapped(plain()).await;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    env.create_folder(&at("a/b c")).await.unwrap();
    env.write(&at("a/file"), b"x".to_vec()).await.unwrap();
    env.rename(&at("a/file"), &at("a/b c/-moved")).await.unwrap();
    assert_eq!(env.read(&at("a/b c/-moved")).await, Ok(b"x".to_vec()));
    assert!(env.remove(&at("a")).await.is_err(), "it is not empty");
    assert_eq!(
        env.rename(&at("a/b c/-moved"), &at("a"))
            .await
            .err()
            .map(|e| e.to_string().contains("Directory not empty")
                || e.to_string().contains("is a directory")),
        Some(true)
    );
    env.remove(&at("a/b c/-moved")).await.unwrap();
    env.remove(&at("a/b c")).await.unwrap();
    assert_eq!(env.remove(&at("gone")).await, Err(Error::NotFound(at("gone"))));
    // A pipe is not waited for.
    pintle_testing::files::fifo(at("pipe"));
    let error = env.read(&at("pipe")).await.unwrap_err().to_string();
    assert!(error.contains("not a regular file"), "{error}");
}

#[tokio::test]
async fn a_prefix_that_does_not_work_says_why() {
    for (name, prefix, want) in [
        ("no program", vec!["/no/such/program"], "No such file"),
        ("one that fails", vec!["sh", "-c", "echo no box >&2; exit 1", "sh"], "no box"),
        ("a silent one", vec!["false"], "no response"),
    ] {
        let prefix = prefix.into_iter().map(str::to_owned).collect();
        let options = local::Options::default();
        let error = Wrapped::connect(&Ambient::system(), prefix, options).await.unwrap_err();
        assert!(error.to_string().contains(want), "{name}: {error}");
    }
}
