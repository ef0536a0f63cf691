//! Only Linux has a watch. What is found by it is compared with a walk on every system.

use super::super::{FEW_FILES, Keep, Limits, Scan, StoredContent, scan};
use super::*;
use pintle_os::System;
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A directory of many files in a repository, with what scans know of it.
struct Place {
    _temporary: tempfile::TempDir,
    /// Contains the directory `tree`, and files outside of it.
    top: PathBuf,
    trees: WatchedTrees,
    known: Arc<Files>,
}

impl Place {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let top = pintle_os::names::canonicalize(temporary.path()).unwrap();
        let place = Self {
            _temporary: temporary,
            top,
            trees: WatchedTrees::default(),
            known: Arc::default(),
        };
        place.write(".git/info/exclude", "");
        place.write("tree/.gitignore", "out\n");
        place.write("tree/out/made", "same");
        for number in 0..FEW_FILES + 300 {
            place.write(&format!("tree/{}/{number}", number % 20), "same");
        }
        fs::hard_link(place.top.join("tree/0/0"), place.top.join("other-name")).unwrap();
        place.write("tree/12/.ignore", "nothing\n");
        fs::hard_link(place.top.join("tree/12/.ignore"), place.top.join("rules")).unwrap();
        place
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn look(&self, trees: &WatchedTrees, known: &Arc<Files>, care: Care) -> Arc<Files> {
        let keep: Keep = Arc::new(|content: &[u8]| StoredContent {
            sha256: String::from_utf8_lossy(content).into_owned(),
            is_lost: false,
        });
        let (root, known) = (self.top.join("tree"), Arc::clone(known));
        let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
        let found =
            scan(&Scan { root, known, keep, limits, care }, &[], trees, &CancellationToken::new());
        let found = found.unwrap();
        assert_eq!(found.over, None);
        found.files
    }

    /// Scans the tree, which is watched then.
    fn scan(&mut self) {
        self.known = self.look(&self.trees, &self.known, Care::Metadata);
    }

    /// Scans without previous knowledge, and returns paths, contents and permissions.
    fn truth(&self) -> Vec<(PathBuf, String, Option<u32>)> {
        contents(&self.look(&WatchedTrees::default(), &Arc::default(), Care::Metadata))
    }
}

fn contents(files: &Files) -> Vec<(PathBuf, String, Option<u32>)> {
    let content = |(path, seen): (&PathBuf, &super::super::ScannedFile)| {
        (path.clone(), seen.state.sha256.clone(), seen.state.mode)
    };
    files.iter().map(content).collect()
}

#[test]
fn only_changed_files_are_looked_at() {
    if System::CURRENT != System::Linux {
        return;
    }
    let mut place = Place::new();
    let top = place.top.clone();
    let at = |path: &str| top.join(path);
    let write = |path: &str, text: &str| fs::write(at(path), text).unwrap();
    // What is found by looking at single files, or `None` if it takes a walk.
    for (name, change, want) in [
        ("nothing", (&|| {}) as &dyn Fn(), Some(vec![])),
        ("a file is read", &|| drop(fs::read(at("tree/1/1")).unwrap()), Some(vec![])),
        ("a file is written", &|| write("tree/1/1", "more"), Some(vec!["tree/1/1"])),
        ("a file is new", &|| write("tree/1/new", ""), Some(vec!["tree/1/new"])),
        (
            "a file is removed",
            &|| fs::remove_file(at("tree/1/21")).unwrap(),
            Some(vec!["tree/1/21"]),
        ),
        (
            "a file is renamed",
            &|| fs::rename(at("tree/1/41"), at("tree/2/41")).unwrap(),
            Some(vec!["tree/1/41", "tree/2/41"]),
        ),
        (
            "a file is replaced",
            &|| {
                write("tree/2/draft", "SAME");
                fs::rename(at("tree/2/draft"), at("tree/2/2")).unwrap();
            },
            Some(vec!["tree/2/2"]),
        ),
        (
            "a file becomes a link",
            &|| {
                fs::remove_file(at("tree/3/3")).unwrap();
                pintle_testing::files::symlink("23", at("tree/3/3"));
            },
            Some(vec!["tree/3/3"]),
        ),
        (
            "a file comes and goes",
            &|| {
                write("tree/3/brief", "");
                fs::remove_file(at("tree/3/brief")).unwrap();
            },
            Some(vec![]),
        ),
        (
            "a file can be run",
            &|| pintle_os::file::set_mode(&at("tree/3/43"), 0o755).unwrap(),
            Some(vec!["tree/3/43"]),
        ),
        (
            "a file gets an old time",
            &|| {
                let old = fs::metadata(at("tree/4/4")).unwrap().modified().unwrap();
                write("tree/4/24", "SAME");
                let file = fs::File::options().append(true).open(at("tree/4/24")).unwrap();
                file.set_modified(old).unwrap();
            },
            Some(vec!["tree/4/24"]),
        ),
        ("another name is written", &|| write("other-name", "more"), Some(vec!["tree/0/0"])),
        ("an ignored file is new", &|| write("tree/1/out", ""), Some(vec![])),
        ("an ignored file is written", &|| write("tree/out/made", "more"), Some(vec![])),
        (
            "an ignored directory is new",
            &|| fs::create_dir(at("tree/5/out")).unwrap(),
            Some(vec![]),
        ),
        ("something outside is written", &|| write("elsewhere", "more"), Some(vec![])),
        ("a commit", &|| write(".git/index", "more"), Some(vec![])),
        ("a directory is new", &|| fs::create_dir(at("tree/new")).unwrap(), None),
        ("a directory is renamed", &|| fs::rename(at("tree/6"), at("tree/six")).unwrap(), None),
        ("a directory is removed", &|| fs::remove_dir_all(at("tree/7")).unwrap(), None),
        ("a directory is moved away", &|| fs::rename(at("tree/8"), at("eight")).unwrap(), None),
        ("a file that was moved away is written", &|| write("eight/8", "more"), Some(vec![])),
        ("an ignore file is new", &|| write("tree/9/.ignore", "29\n"), None),
        ("an ignore file is written", &|| write("tree/.gitignore", "out\n49\n"), None),
        ("an ignore file is written under another name", &|| write("rules", "32\n"), None),
        ("an ignore file above is new", &|| write(".gitignore", "69\n"), None),
        ("an exclude file is written", &|| write(".git/info/exclude", "89\n"), None),
        (
            "a directory becomes a repository",
            &|| fs::create_dir_all(at("tree/10/.git/info")).unwrap(),
            None,
        ),
        ("its exclude file is new", &|| write("tree/10/.git/info/exclude", "30\n"), None),
        (
            "very many files",
            &|| (0..2000).for_each(|number| write(&format!("tree/11/n{number}"), "")),
            None,
        ),
        (
            "the tree is another one",
            &|| {
                fs::rename(at("tree"), at("old")).unwrap();
                fs::create_dir(at("tree")).unwrap();
            },
            None,
        ),
    ] {
        place.scan();
        place.scan();
        // Ignore files and files with several names that have just changed are looked at once more.
        pintle_testing::waiting::until(|| {
            place.scan();
            let mut watched = place.trees.take(&top.join("tree"));
            let again = watched
                .as_mut()
                .and_then(|w| w.compare(&place.known, Care::Watch, &[], usize::MAX));
            if let (Some(_), Some(watched)) = (&again, watched) {
                place.trees.put(&place.known, watched.into_watched());
            }
            again.is_some_and(|found| found.changed.is_empty() && found.gone.is_empty())
        });
        change();
        let mut watched = place.trees.take(&top.join("tree")).unwrap();
        let found = watched.compare(&place.known, Care::Watch, &[], usize::MAX);
        let paths = |found: Compared| {
            let changed = found.changed.into_iter().map(|(path, _)| path).chain(found.gone);
            let mut paths: Vec<PathBuf> = changed.collect();
            paths.sort();
            paths
        };
        let found = found.map(paths);
        assert_eq!(found, want.map(|paths| paths.into_iter().map(at).collect()), "{name}");
    }
}

#[test]
fn what_no_watch_reports_is_found_by_metadata() {
    if System::CURRENT != System::Linux {
        return;
    }
    let mut place = Place::new();
    place.scan();
    place.scan();
    let path = place.top.join("tree/0/20");
    fs::hard_link(&path, place.top.join("second-name")).unwrap();
    place.write("second-name", "more");
    let mut watched = place.trees.take(&place.top.join("tree")).unwrap();
    let mut finds = |care| {
        let found = watched.compare(&place.known, care, &[], usize::MAX).unwrap();
        found.changed.iter().any(|(changed, _)| *changed == path)
    };
    assert!(!finds(Care::Watch));
    assert!(finds(Care::Metadata));
    // From then on, its names are known to be several.
    assert!(finds(Care::Watch));
}

/// What a scan found differently from one that knows nothing.
fn wrong(found: &Files, place: &Place) -> Vec<(PathBuf, String, Option<u32>)> {
    let (found, truth) = (contents(found), place.truth());
    let found: BTreeSet<_> = found.into_iter().collect();
    let truth: BTreeSet<_> = truth.into_iter().collect();
    found.symmetric_difference(&truth).cloned().collect()
}

#[test]
fn a_tree_of_too_many_directories_is_walked_each_time() {
    let mut place = Place::new();
    place.trees.max_folders = 10;
    let root = place.top.join("tree");
    for round in 0..3 {
        place.scan();
        assert!(place.trees.take(&root).is_none(), "{round}");
        let is_known_to_fail = place.trees.with(|state| state.unwatchable.contains(&root));
        assert_eq!(is_known_to_fail, System::CURRENT == System::Linux && round > 0, "{round}");
        place.write("tree/1/1", &round.to_string());
        place.scan();
        assert_eq!(contents(&place.known), place.truth(), "{round}");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Write(usize, u8),
    Remove(usize),
    Rename(usize, usize),
    Folder(usize, usize),
    Ignore(usize),
    /// An editor has unsaved text of a file.
    Unsaved(usize),
    /// An ignored file is known, since it was changed in a session.
    Known,
    /// One of two sessions scans.
    Scan(usize, Care),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let file = 0..FEW_FILES + 20;
    let step = prop_oneof![
        4 => (file.clone(), any::<u8>()).prop_map(|(file, text)| Step::Write(file, text)),
        2 => file.clone().prop_map(Step::Remove),
        2 => (file.clone(), file.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (0_usize..22, 0_usize..22).prop_map(|(from, to)| Step::Folder(from, to)),
        1 => file.prop_map(Step::Ignore),
        1 => (0..FEW_FILES).prop_map(Step::Unsaved),
        1 => Just(Step::Known),
        5 => (0_usize..2, prop_oneof![Just(Care::Watch), Just(Care::Metadata)])
            .prop_map(|(session, care)| Step::Scan(session, care)),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(6))]
    #[test]
    fn a_watched_tree_is_known_as_if_it_were_walked(steps in steps()) {
        let mut place = Place::new();
        place.scan();
        let of = |file: usize| place.top.join(format!("tree/{}/{file}", file % 20));
        let folder = |folder: usize| place.top.join(format!("tree/{folder}"));
        let mut known = [Arc::clone(&place.known), Arc::default()];
        for step in steps {
            // A step that is not possible is none.
            match step {
                Step::Write(file, text) => drop(fs::write(of(file), [text])),
                Step::Remove(file) => drop(fs::remove_file(of(file))),
                Step::Rename(from, to) => drop(fs::rename(of(from), of(to))),
                Step::Folder(from, to) => drop(fs::rename(folder(from), folder(to))),
                Step::Ignore(file) => {
                    let path = place.top.join("tree/.gitignore");
                    let mut rules = fs::File::options().append(true).create(true).open(path).unwrap();
                    writeln!(rules, "{file}").unwrap();
                }
                Step::Unsaved(file) => {
                    if let Some(seen) = Arc::make_mut(&mut known[0]).get_mut(&of(file)) {
                        seen.mark = u128::MAX;
                        "unsaved".clone_into(&mut seen.state.sha256);
                    }
                }
                Step::Known => {
                    let state = known[0].values().next().unwrap().state.clone();
                    let path = place.top.join("tree/out/made");
                    Arc::make_mut(&mut known[0]).insert(path, ScannedFile { mark: 0, state });
                }
                Step::Scan(session, care) => {
                    known[session] = place.look(&place.trees, &known[session], care);
                    prop_assert_eq!(wrong(&known[session], &place), []);
                }
            }
        }
        for known in known {
            let known = place.look(&place.trees, &known, Care::Watch);
            prop_assert_eq!(wrong(&known, &place), []);
        }
    }
}
