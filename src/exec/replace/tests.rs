use super::*;
use std::fs;

/// Two files and what becomes of them, staged; then something happens to the second before it is put in place.
fn sabotaged(happens: impl FnOnce(&Path)) -> (tempfile::TempDir, Result<Vec<File>, Error>) {
    let folder = tempfile::tempdir().unwrap();
    let real = fs::canonicalize(folder.path()).unwrap();
    let paths = ["new", "old", "last"].map(|name| real.join(name)).to_vec();
    fs::write(&paths[1], "old").unwrap();
    fs::write(&paths[2], "last").unwrap();
    let before: Vec<_> = paths.iter().map(|path| files::before(path).unwrap()).collect();
    let after = ["1", "2", "3"].map(|content| After::Write(content.as_bytes().to_vec().into()));
    let staged = paths.iter().zip(&after).map(|(path, after)| stage(path, after).unwrap());
    let staged: Vec<_> = staged.collect();
    happens(&paths[2]);
    let done = commit_all(staged, &paths, &before);
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
        "what was new is gone, no temporary file is left"
    );
    assert_eq!(fs::read_to_string(folder.path().join("old")).unwrap(), "old");
    assert!(folder.path().join("last/x").exists(), "what somebody else made is not touched");
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
    let real = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir(real.join("sub")).unwrap();
    let path = real.join("sub/file");
    let after = After::Write(b"x".to_vec().into());
    let staged = stage(&path, &after).unwrap();
    fs::remove_dir_all(real.join("sub")).unwrap();
    assert!(staged.commit().is_err());
    assert!(names(&real).is_empty());
}

#[test]
fn a_permission_that_was_lost_meanwhile_changes_nothing() {
    if crate::tools::tests::is_superuser() {
        return;
    }
    let (folder, done) = sabotaged(|last| {
        let folder = last.parent().unwrap();
        fs::set_permissions(folder, Permissions::from_mode(0o555)).unwrap();
    });
    assert!(matches!(done, Err(Error::Denied(_))), "{done:?}");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
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
