use super::*;
use crate::beneath::Folders;
use pintle_testing::files::set_mode;
use std::fs;

fn pin(path: &Path) -> Pinned {
    Folders::default().find(path).unwrap().unwrap()
}

/// Two files and what becomes of them, staged; then something happens to the second before it is put in place.
fn sabotaged(happens: impl FnOnce(&Path)) -> (tempfile::TempDir, Result<Vec<File>, Error>) {
    let folder = tempfile::tempdir().unwrap();
    let real = pintle_os::names::canonicalize(folder.path()).unwrap();
    let paths = ["new", "old", "last"].map(|name| real.join(name)).to_vec();
    fs::write(&paths[1], "old").unwrap();
    fs::write(&paths[2], "last").unwrap();
    let pins: Vec<_> = paths.iter().map(|path| Some(pin(path))).collect();
    let before: Vec<_> = pins.iter().flatten().map(|pin| files::before(pin).unwrap()).collect();
    let after = ["1", "2", "3"].map(|content| After::Write(content.as_bytes().to_vec().into()));
    let staged = pins.iter().flatten().zip(&after).map(|(pin, after)| stage(pin, after).unwrap());
    let staged: Vec<_> = staged.collect();
    happens(&paths[2]);
    let done = commit_all(staged, &pins, &before, None);
    (folder, done)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_that_became_a_folder_takes_all_of_it_back() {
    let (folder, done) = sabotaged(|last| {
        fs::remove_file(last).unwrap();
        fs::create_dir(last).unwrap();
        fs::write(last.join("x"), "x").unwrap();
    });
    assert!(done.is_err(), "{done:?}");
    assert_eq!(
        names(folder.path()),
        ["last", "old"],
        "the new content is gone, no temporary file is left"
    );
    assert_eq!(fs::read_to_string(folder.path().join("old")).unwrap(), "old");
    assert!(folder.path().join("last/x").exists(), "files of others are unchanged");
}

#[test]
fn a_file_that_went_away_is_written_all_the_same() {
    let (folder, done) = sabotaged(|last| fs::remove_file(last).unwrap());
    assert!(done.is_ok(), "{done:?}");
    assert_eq!(names(folder.path()), ["last", "new", "old"]);
    assert_eq!(fs::read_to_string(folder.path().join("last")).unwrap(), "3");
}

#[test]
fn a_folder_that_went_away_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let real = pintle_os::names::canonicalize(folder.path()).unwrap();
    fs::create_dir(real.join("sub")).unwrap();
    let path = real.join("sub/file");
    let after = After::Write(b"x".to_vec().into());
    let pinned = pin(&path);
    let staged = stage(&pinned, &after).unwrap();
    fs::remove_dir_all(real.join("sub")).unwrap();
    assert!(staged.commit().is_err());
    assert!(names(&real).is_empty());
}

#[test]
fn a_permission_that_was_lost_meanwhile_changes_nothing() {
    if pintle_testing::is_superuser() {
        return;
    }
    let (folder, done) = sabotaged(|last| {
        let folder = last.parent().unwrap();
        set_mode(folder, 0o555);
    });
    assert!(matches!(done, Err(Error::Denied(_))), "{done:?}");
    set_mode(folder.path(), 0o755);
    for (name, content) in [("old", "old"), ("last", "last")] {
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), content);
    }
    assert!(!folder.path().join("new").exists());
}

#[test]
fn leftovers_of_a_killed_program_are_removed_and_files_being_written_stay() {
    let folder = tempfile::tempdir().unwrap();
    let left = |name: &str| fs::write(folder.path().join(name), "half").unwrap();
    left(".pintle-left");
    left("pintle-theirs");
    fs::create_dir(folder.path().join(".pintle-folder")).unwrap();
    let held = temporary_in(folder.path()).unwrap();
    tidy(folder.path()).unwrap();
    let held = held.path().file_name().unwrap().to_str().unwrap().to_owned();
    let mut want = vec![held, ".pintle-folder".to_owned(), "pintle-theirs".to_owned()];
    want.sort();
    assert_eq!(names(folder.path()), want);
}

#[test]
fn what_others_write_meanwhile_is_not_lost() {
    let spliced = || FileContent::spliced(b"old\n".to_vec(), vec![(0..3, b"new".to_vec())]);
    let whole = || FileContent::from(b"new\n".to_vec());
    // Name, new content, text appended by another program before and after the replacement, content then, has the change failed.
    for (name, content, early, late, want, has_failed) in [
        ("alone", spliced(), "", "", "new\n", false),
        ("before", spliced(), "more\n", "", "old\nmore\n", true),
        ("after, a part replaced", spliced(), "", "more\n", "new\nmore\n", false),
        ("after, all of it replaced", whole(), "", "more\n", "old\nmore\n", true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = pintle_os::names::canonicalize(folder.path()).unwrap().join("file");
        fs::write(&path, "old\n").unwrap();
        let pinned = pin(&path);
        let seen = files::version_of(&pinned).unwrap();
        let mut other = File::options().append(true).open(&path).unwrap();
        let after = After::Write(content);
        let staged = stage(&pinned, &after).unwrap();
        other.write_all(early.as_bytes()).unwrap();
        let done = if late.is_empty() {
            staged.commit_if(Some(&seen)).map(drop)
        } else {
            let old = staged.commit().unwrap().unwrap();
            other.write_all(late.as_bytes()).unwrap();
            assert!(is_late(&old, &pinned, Some(&seen)).unwrap(), "{name}");
            let After::Write(content) = &after else { unreachable!() };
            keep_late(&old, &pinned, content.base())
        };
        assert_eq!(fs::read_to_string(&path).unwrap(), want, "{name}");
        assert_eq!(matches!(done, Err(Error::Changed(_))), has_failed, "{name}: {done:?}");
    }
}

#[test]
fn of_several_files_what_another_program_changed_stays_and_the_rest_is_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let real = pintle_os::names::canonicalize(folder.path()).unwrap();
    let paths = ["a", "b"].map(|name| real.join(name)).to_vec();
    for path in &paths {
        fs::write(path, "old").unwrap();
    }
    let pins: Vec<_> = paths.iter().map(|path| Some(pin(path))).collect();
    let before: Vec<_> = pins.iter().flatten().map(|pin| files::before(pin).unwrap()).collect();
    let seen: Vec<_> = before.iter().flatten().map(|before| Some(before.version.clone())).collect();
    let after = [After::Write(b"new".to_vec().into()), After::Remove];
    let staged = pins.iter().flatten().zip(&after).map(|(pin, after)| stage(pin, after).unwrap());
    let staged: Vec<_> = staged.collect();
    fs::write(&paths[1], "theirs").unwrap();
    let done = commit_all(staged, &pins, &before, Some(&seen));
    assert_eq!(done.err(), Some(Error::Changed(paths[1].clone())));
    let contents = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    assert_eq!(contents.collect::<Vec<_>>(), ["old", "theirs"]);
}

/// Replaces a file's content.
fn change(path: &Path) {
    let after = After::Write(b"new".to_vec().into());
    stage(&pin(path), &after).unwrap().commit().unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "new", "{}", path.display());
}

#[test]
fn all_names_of_a_file_stay_names_of_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let real = pintle_os::names::canonicalize(folder.path()).unwrap();
    let (linked, other) = (real.join("linked"), real.join("other"));
    fs::write(&linked, "a longer old text").unwrap();
    fs::hard_link(&linked, &other).unwrap();
    change(&linked);
    assert_eq!(
        fs::read_to_string(&other).unwrap(),
        "new",
        "the other name is one of the same file"
    );
}

#[test]
#[cfg(unix)]
fn the_mode_attributes_and_owner_of_a_file_are_kept() {
    use std::os::unix::fs as unix;
    let folder = tempfile::tempdir().unwrap();
    let real = pintle_os::names::canonicalize(folder.path()).unwrap();
    let attributed = real.join("attributed");
    fs::write(&attributed, "old").unwrap();
    set_mode(&attributed, 0o741);
    let file = File::open(&attributed).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    // Not every file system has them.
    let has_attributes = rustix::fs::fsetxattr(&file, "user.note", b"kept", flags).is_ok();
    change(&attributed);
    let file = File::open(&attributed).unwrap();
    assert_eq!(pintle_testing::files::mode(&attributed), 0o741);
    if has_attributes {
        let mut value = [0; 16];
        let length = rustix::fs::fgetxattr(&file, "user.note", value.as_mut_slice()).unwrap();
        assert_eq!(&value[..length], b"kept");
    }

    if nix::unistd::geteuid().is_root() {
        let owned = real.join("owned");
        fs::write(&owned, "old").unwrap();
        unix::chown(&owned, Some(1), Some(2)).unwrap();
        change(&owned);
        let facts = fs::metadata(&owned).unwrap();
        assert_eq!((unix::MetadataExt::uid(&facts), unix::MetadataExt::gid(&facts)), (1, 2));
    }
}

/// In separate namespaces, a file is mounted over another one, as containers do with single files.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_mounted_is_written_in_place() {
    use nix::mount::{MsFlags, mount};
    use nix::sched::{CloneFlags, unshare};
    let folder = tempfile::tempdir().unwrap();
    let real = pintle_os::names::canonicalize(folder.path()).unwrap();
    let (path, source) = (real.join("mounted"), real.join("source"));
    fs::write(&path, "below").unwrap();
    fs::write(&source, "a longer old text").unwrap();
    // Namespaces belong to a thread.
    let done = std::thread::spawn({
        let source = source.clone();
        move || {
            let none: Option<&str> = None;
            let is_alone = unshare(CloneFlags::CLONE_NEWNS).is_ok()
                && mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).is_ok()
                && mount(Some(&source), &path, none, MsFlags::MS_BIND, none).is_ok();
            is_alone.then(|| {
                let after = After::Write(b"new".to_vec().into());
                stage(&pin(&path), &after).and_then(Staged::commit).map(drop)
            })
        }
    });
    match done.join().unwrap() {
        Some(done) => {
            assert_eq!(done, Ok(()));
            assert_eq!(fs::read_to_string(&source).unwrap(), "new");
            assert_eq!(names(&real), ["mounted", "source"], "no temporary file is left");
        }
        None => pintle_testing::skipped("a file that is mounted: no right to mount"),
    }
}
