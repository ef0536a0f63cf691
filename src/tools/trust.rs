//! The user's persistent answers: the trusted workspaces, the content of the files in them that instruct the engine, and the rules added by
//! answers to approvals.
//!
//! One file next to the configuration, read on every query, so that every engine of the user sees an answer at once. Changes take a lock
//! and replace the complete file. Blocking; callers are on a thread that may.

use crate::permissions::{Decision, Origin, Rule};
use pintle_base::private_files;
use pintle_os::{lock, replace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// The file's name, next to `config.toml`.
pub const FILE_NAME: &str = "trust.toml";

/// The maximum size of the file.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The first line of the file.
const HEADER: &str = "# Written by pintle: trusted directories and permanent answers.\n# `pintle trust` lists and changes them.\n\n";

/// The persistent answers. Clones share them.
#[derive(Debug, Clone)]
pub struct Answers {
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    File {
        path: PathBuf,
        /// Directories that are trusted until the process ends: clients of a shared engine add theirs.
        for_now: watch::Sender<Vec<PathBuf>>,
        /// Directory copies, each with the directory it represents.
        copies: watch::Sender<Vec<(PathBuf, PathBuf)>>,
        /// Content that is agreed to until the process ends.
        agreed_for_now: watch::Sender<Vec<Agreed>>,
        /// True if the user who starts the program agrees to the content that it finds, for this run.
        agrees_at_start: bool,
    },
    /// Everything is trusted, and nothing is kept: for clients that have their own trust, and for tests.
    TrustAll,
    /// Nothing is trusted, regardless of earlier answers, and nothing is kept.
    TrustNothing,
}

/// The file's content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The trusted directories, including everything below them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trusted: Vec<Trusted>,
    /// Approved content of files in trusted directories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreed: Vec<Agreed>,
    /// The rules that answers added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<KeptRule>,
}

/// The project files that instruct the engine, by their path below the project directory, each with the SHA-256 of its text in hexadecimal
/// digits.
pub type Orders = BTreeMap<String, String>;

/// The agreed content of a project's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreed {
    /// The project directory, resolved.
    pub path: PathBuf,
    /// The files.
    pub files: Orders,
}

/// The user's agreement for a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreement {
    /// Every content.
    Any,
    /// The content of these files.
    To(Orders),
    /// The user agreed to these files in a parent directory; nothing is known about the project itself.
    Around(PathBuf, Orders),
    /// The project is trusted, but nothing is known about its files.
    Unknown,
}

/// A trusted directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trusted {
    /// The directory, resolved.
    pub path: PathBuf,
}

/// A rule that an answer added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRule {
    /// The directory in which the rule applies; everywhere if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
}

impl KeptRule {
    /// Returns the kind of answer that added the rule, or `None` if it does not apply in a directory.
    fn origin_in(&self, folder: &Path) -> Option<Origin> {
        match &self.workspace {
            None => Some(Origin::GrantedByUser),
            Some(workspace) => folder.starts_with(workspace).then_some(Origin::GrantedForProject),
        }
    }
}

/// Trusts every directory; a frontend that serves users sets their answer file.
impl Default for Answers {
    fn default() -> Self {
        Self::trust_all()
    }
}

impl Answers {
    /// The answers in a file, which need not exist.
    pub fn in_file(path: impl Into<PathBuf>) -> Self {
        Self {
            source: Source::File {
                path: path.into(),
                for_now: watch::Sender::default(),
                copies: watch::Sender::default(),
                agreed_for_now: watch::Sender::default(),
                agrees_at_start: false,
            },
        }
    }

    /// Agrees to the content of trusted projects as this process first finds it, and persists nothing of that: for a program that the user
    /// explicitly starts for one task.
    #[must_use]
    pub fn agreeing_at_start(mut self) -> Self {
        if let Source::File { agrees_at_start, .. } = &mut self.source {
            *agrees_at_start = true;
        }
        self
    }

    /// Returns the user's agreement for a resolved, trusted project directory.
    pub fn agreement(&self, folder: &Path) -> Agreement {
        let Source::File { agreed_for_now, agrees_at_start, for_now, .. } = &self.source else {
            return Agreement::Any;
        };
        let folder = self.original(folder);
        let kept = self.load().unwrap_or_default();
        let agreed_for_now = agreed_for_now.borrow();
        let agreed = kept.agreed.iter().filter(|_| !agrees_at_start);
        // Of two about one directory, the stored one counts.
        let nearest = agreed
            .chain(agreed_for_now.iter())
            .filter(|agreed| folder.starts_with(&agreed.path))
            .rev()
            .max_by_key(|agreed| agreed.path.components().count());
        let Some(Agreed { path, files }) = nearest else { return Agreement::Unknown };
        if *path == folder {
            return Agreement::To(files.clone());
        }
        // A directory that the user trusted itself is none of another's.
        let for_now = for_now.borrow();
        let mut trusted = kept.trusted.iter().map(|trusted| &trusted.path).chain(for_now.iter());
        if trusted.any(|trusted| {
            trusted != path && trusted.starts_with(path) && folder.starts_with(trusted)
        }) {
            return Agreement::Unknown;
        }
        Agreement::Around(path.clone(), files.clone())
    }

    /// Agrees to files of a resolved project directory, unless there is an agreement for the directory. If it cannot be stored, it applies
    /// until the process ends.
    pub fn agree_first(&self, folder: &Path, files: Orders) {
        let Source::File { agreed_for_now, agrees_at_start, .. } = &self.source else { return };
        let path = self.original(folder);
        let agreed = Agreed { path, files };
        let add = |all: &mut Vec<Agreed>| {
            let is_new = all.iter().all(|known| known.path != agreed.path);
            if is_new {
                all.push(agreed.clone());
            }
            is_new
        };
        let kept = !agrees_at_start && self.change(|kept| add(&mut kept.agreed)).is_ok();
        if !kept {
            agreed_for_now.send_modify(|all| {
                add(all);
            });
        }
    }

    /// Agrees to these files of a resolved project directory, regardless of their earlier content. A file with an empty digest is
    /// forgotten.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn agree(&self, folder: &Path, files: &Orders) -> io::Result<()> {
        let Source::File { agreed_for_now, .. } = &self.source else { return Ok(()) };
        let path = self.original(folder);
        let extend = |all: &mut Vec<Agreed>| {
            let known = all.iter_mut().find(|known| known.path == path)?;
            // Files in other directories of the project are kept.
            known.files.extend(files.clone());
            known.files.retain(|_, digest| !digest.is_empty());
            Some(())
        };
        self.change(|kept| {
            if extend(&mut kept.agreed).is_none() {
                kept.agreed.push(Agreed { path: path.clone(), files: files.clone() });
            }
            true
        })?;
        agreed_for_now.send_if_modified(|all| extend(all).is_some());
        Ok(())
    }

    /// Also trusts these resolved directories until the process ends.
    pub fn trust_for_now(&self, folders: impl IntoIterator<Item = PathBuf>) {
        let Source::File { for_now, .. } = &self.source else { return };
        for_now.send_modify(|trusted| {
            for folder in folders {
                if !trusted.contains(&folder) {
                    trusted.push(folder);
                }
            }
        });
    }

    /// Treats a copy as the directory that was copied until the process ends: it has the same trust and the same rules. Both are resolved.
    pub fn take_for(&self, copy: PathBuf, original: PathBuf) {
        let Source::File { copies, .. } = &self.source else { return };
        copies.send_modify(|copies| {
            copies.retain(|(known, _)| *known != copy);
            copies.push((copy, original));
        });
    }

    /// Returns the directory whose answers apply to this one.
    fn original(&self, folder: &Path) -> PathBuf {
        let Source::File { copies, .. } = &self.source else { return folder.to_owned() };
        let copies = copies.borrow();
        let found = copies.iter().find_map(|(copy, original)| {
            folder.strip_prefix(copy).ok().map(|below| original.join(below))
        });
        found.unwrap_or_else(|| folder.to_owned())
    }

    /// Trusts every directory and keeps nothing.
    pub fn trust_all() -> Self {
        Self { source: Source::TrustAll }
    }

    /// Trusts no directory and keeps nothing, regardless of earlier answers.
    pub fn trust_nothing() -> Self {
        Self { source: Source::TrustNothing }
    }

    /// Returns true if no answer can trust a directory.
    pub fn is_closed(&self) -> bool {
        matches!(self.source, Source::TrustNothing)
    }

    /// Returns the user's agreement for a directory, computed on a thread that may block; `None` for an untrusted directory.
    pub async fn trusts(&self, folder: &Path) -> Option<Agreement> {
        match self.source {
            Source::File { .. } => {}
            Source::TrustAll => return Some(Agreement::Any),
            Source::TrustNothing => return None,
        }
        let (answers, folder) = (self.clone(), folder.to_owned());
        let trusts = move || answers.is_trusted(&folder).then(|| answers.agreement(&folder));
        tokio::task::spawn_blocking(trusts).await.unwrap_or_default()
    }

    /// [`Self::is_trusted`] and [`Self::rules`], on a thread that may block.
    pub async fn about(&self, folder: &Path) -> (bool, Vec<(Origin, Rule)>) {
        match self.source {
            Source::File { .. } => {}
            Source::TrustAll => return (true, Vec::new()),
            Source::TrustNothing => return (false, Vec::new()),
        }
        let (answers, folder) = (self.clone(), folder.to_owned());
        let about = move || (answers.is_trusted(&folder), answers.rules(&folder));
        tokio::task::spawn_blocking(about).await.unwrap_or_default()
    }

    /// Returns true if the user trusts this resolved directory or one above it. If the file cannot be read, nothing is trusted.
    pub fn is_trusted(&self, folder: &Path) -> bool {
        let for_now = match &self.source {
            Source::File { for_now, .. } => for_now,
            Source::TrustAll => return true,
            Source::TrustNothing => return false,
        };
        let folder = &self.original(folder);
        if for_now.borrow().iter().any(|trusted| folder.starts_with(trusted)) {
            return true;
        }
        let kept = self.load().unwrap_or_else(|error| {
            tracing::warn!("ignored the trust file: {error}");
            Kept::default()
        });
        kept.trusted.iter().any(|trusted| folder.starts_with(&trusted.path))
    }

    /// Returns the rules that apply in a directory, with the kind of answer that added them.
    pub fn rules(&self, folder: &Path) -> Vec<(Origin, Rule)> {
        let folder = &self.original(folder);
        let kept = self.load().unwrap_or_default();
        let here = |kept: KeptRule| Some((kept.origin_in(folder)?, kept.rule));
        kept.rules.into_iter().filter_map(here).collect()
    }

    /// Reads the file.
    ///
    /// # Errors
    /// The file cannot be read, is not a plain file, is too large, or has invalid content.
    pub fn load(&self) -> io::Result<Kept> {
        match &self.source {
            Source::File { path, .. } => read(path),
            Source::TrustAll | Source::TrustNothing => Ok(Kept::default()),
        }
    }

    /// Trusts a resolved directory, or revokes the trust. Returns true if that changed something.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn set_trusted(&self, folder: &Path, is_trusted: bool) -> io::Result<bool> {
        self.change(|kept| {
            let before = kept.trusted.len();
            kept.trusted.retain(|trusted| trusted.path != folder);
            if is_trusted {
                kept.trusted.push(Trusted { path: folder.to_owned() });
            } else {
                kept.agreed.retain(|agreed| !agreed.path.starts_with(folder));
            }
            kept.trusted.len() != before
        })
    }

    /// Stores the allow rules for one directory, or everywhere. Returns false if these answers have no file.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn save(&self, workspace: Option<&Path>, rules: &[Rule]) -> io::Result<bool> {
        self.change(|kept| {
            for rule in rules.iter().filter(|rule| rule.decision == Decision::Allow) {
                let rule =
                    KeptRule { workspace: workspace.map(Path::to_owned), rule: rule.clone() };
                if !kept.rules.contains(&rule) {
                    kept.rules.push(rule);
                }
            }
            true
        })
    }

    /// Removes a rule that applies in a directory because of such an answer. Returns true if it was there.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn remove(&self, folder: &Path, origin: Origin, rule: &Rule) -> io::Result<bool> {
        let folder = &self.original(folder);
        let is_it = |kept: &KeptRule| kept.origin_in(folder) == Some(origin) && kept.rule == *rule;
        Ok(!self.remove_rules(is_it)?.is_empty())
    }

    /// Removes rules that answers added, and returns them.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn remove_rules(
        &self,
        mut is_wanted: impl FnMut(&KeptRule) -> bool,
    ) -> io::Result<Vec<KeptRule>> {
        let mut removed = Vec::new();
        self.change(|kept| {
            (removed, kept.rules) = kept.rules.drain(..).partition(|rule| is_wanted(rule));
            !removed.is_empty()
        })?;
        Ok(removed)
    }

    fn change(&self, change: impl FnOnce(&mut Kept) -> bool) -> io::Result<bool> {
        let Source::File { path, .. } = &self.source else { return Ok(false) };
        let folder = path.parent().unwrap_or(Path::new("/"));
        private_files::create_private_folder(folder)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let lock =
            private_files::open_private(&folder.join(format!("{FILE_NAME}.lock")), &mut options)?;
        lock::lock(&lock)?;
        let mut kept = read(path)?;
        let has_changed = change(&mut kept);
        let text = toml::to_string(&kept).map_err(io::Error::other)?;
        let mut file = tempfile::Builder::new().prefix(".trust").tempfile_in(folder)?;
        file.write_all(HEADER.as_bytes())?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        replace::put(file, path, &mut None)?;
        Ok(has_changed)
    }
}

fn read(path: &Path) -> io::Result<Kept> {
    let wrong = |message: String| io::Error::other(format!("{}: {message}", path.display()));
    match private_files::read_to_string(path, MAX_BYTES) {
        Ok(text) => toml::from_str(&text).map_err(|error| wrong(error.message().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kept::default()),
        Err(error) => Err(wrong(error.to_string())),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use super::*;
    use crate::permissions::SandboxUse;

    #[test]
    fn answers_are_kept_for_the_folder_they_were_given_in() {
        let folder = tempfile::tempdir().unwrap();
        let answers = Answers::in_file(folder.path().join("sub").join(FILE_NAME));
        let (here, there) = (Path::new("/w/a"), Path::new("/w/b"));
        assert!(!answers.is_trusted(here));
        assert!(answers.set_trusted(here, true).unwrap());
        assert!(!answers.set_trusted(here, true).unwrap());
        let rows = [("/w/a", true), ("/w/a/sub", true), ("/w", false), ("/w/ab", false)];
        for (path, is_trusted) in rows {
            assert_eq!(answers.is_trusted(Path::new(path)), is_trusted, "{path}");
        }
        let rule = Rule::for_words(Decision::Allow, vec!["make".to_owned(), "**".to_owned()]);
        let rule = Rule { sandbox: Some(SandboxUse::Off), ..rule };
        let deny = Rule::for_words(Decision::Deny, vec!["x".to_owned()]);
        answers.save(Some(here), &[rule.clone(), deny]).unwrap();
        answers.save(Some(here), std::slice::from_ref(&rule)).unwrap();
        assert_eq!(answers.rules(here), [(Origin::GrantedForProject, rule.clone())]);
        assert_eq!(answers.rules(there), []);
        answers.save(None, std::slice::from_ref(&rule)).unwrap();
        assert_eq!(answers.rules(there), [(Origin::GrantedByUser, rule.clone())]);
        // The directory, the kind of answer, and whether there was one to remove.
        for (folder, origin, is_found) in [
            (there, Origin::GrantedForProject, false),
            (&here.join("sub"), Origin::GrantedForProject, true),
            (here, Origin::GrantedForProject, false),
            (there, Origin::GrantedByUser, true),
            (here, Origin::GrantedByUser, false),
        ] {
            assert_eq!(answers.remove(folder, origin, &rule).unwrap(), is_found, "{origin}");
        }
        assert!(answers.set_trusted(here, false).unwrap());
        assert!(!answers.is_trusted(here));
    }

    #[test]
    fn content_holds_as_it_was_agreed_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let orders = |text: &str| Orders::from([(".mcp.json".to_owned(), text.to_owned())]);
        let (here, below) = (Path::new("/w/a"), Path::new("/w/a/sub"));
        let answers = Answers::in_file(&path);
        answers.set_trusted(here, true).unwrap();
        assert_eq!(answers.agreement(here), Agreement::Unknown);
        answers.agree_first(here, orders("one"));
        answers.agree_first(here, orders("two"));
        let other = Answers::in_file(&path);
        assert_eq!(other.agreement(here), Agreement::To(orders("one")));
        assert_eq!(other.agreement(below), Agreement::Around(here.into(), orders("one")));
        other.set_trusted(below, true).unwrap();
        assert_eq!(other.agreement(below), Agreement::Unknown);
        other.set_trusted(below, false).unwrap();
        other.agree(here, &orders("two")).unwrap();
        assert_eq!(answers.agreement(here), Agreement::To(orders("two")));
        // A run for one task starts fresh and changes none of that.
        let run = Answers::in_file(&path).agreeing_at_start();
        assert_eq!(run.agreement(here), Agreement::Unknown);
        run.agree_first(here, orders("three"));
        run.agree_first(here, orders("four"));
        assert_eq!(run.agreement(here), Agreement::To(orders("three")));
        assert_eq!(answers.agreement(here), Agreement::To(orders("two")));
        // A copy is treated as the directory that was copied.
        answers.take_for("/tmp/c".into(), here.into());
        assert_eq!(answers.agreement(Path::new("/tmp/c")), Agreement::To(orders("two")));
        answers.set_trusted(here, false).unwrap();
        assert_eq!(answers.agreement(here), Agreement::Unknown);
        assert_eq!(Answers::trust_all().agreement(here), Agreement::Any);
    }

    #[test]
    fn folders_that_are_trusted_for_now_are_so_for_every_clone_and_are_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let answers = Answers::in_file(&path);
        let clone = answers.clone();
        answers.trust_for_now(["/w/a".into(), "/w/b".into()]);
        clone.trust_for_now(["/w/b".into(), "/w/c".into()]);
        for answers in [&answers, &clone] {
            for (path, is_trusted) in
                [("/w/a", true), ("/w/b/sub", true), ("/w/c", true), ("/w", false)]
            {
                assert_eq!(answers.is_trusted(Path::new(path)), is_trusted, "{path}");
            }
        }
        assert!(!Answers::in_file(&path).is_trusted(Path::new("/w/a")));
    }

    #[test]
    fn a_copy_is_trusted_as_the_folder_that_was_copied() {
        let folder = tempfile::tempdir().unwrap();
        let answers = Answers::in_file(folder.path().join(FILE_NAME));
        let rule = Rule::for_words(Decision::Allow, vec!["make".to_owned()]);
        answers.take_for("/tmp/c/a".into(), "/w/a".into());
        assert!(!answers.is_trusted(Path::new("/tmp/c/a")));
        answers.set_trusted(Path::new("/w/a"), true).unwrap();
        answers.save(Some(Path::new("/w/a")), std::slice::from_ref(&rule)).unwrap();
        let (copy, below) = (Path::new("/tmp/c/a"), Path::new("/tmp/c/a/sub"));
        assert!(answers.is_trusted(copy) && answers.is_trusted(below));
        assert_eq!(answers.rules(copy), [(Origin::GrantedForProject, rule)]);
        assert!(!answers.is_trusted(Path::new("/tmp/c/ab")));
    }

    #[test]
    fn answers_that_trust_nothing_cannot_be_told_otherwise() {
        let answers = Answers::trust_nothing();
        let rule = Rule::for_words(Decision::Allow, vec!["make".to_owned()]);
        answers.trust_for_now(["/w".into()]);
        assert!(!answers.set_trusted(Path::new("/w"), true).unwrap());
        answers.save(None, &[rule]).unwrap();
        assert!(!answers.is_trusted(Path::new("/w")));
        assert_eq!(answers.rules(Path::new("/w")), []);
        assert!(answers.is_closed() && !Answers::trust_all().is_closed());
    }

    #[test]
    fn a_file_that_is_none_trusts_nothing_and_does_not_hang() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        pintle_testing::files::fifo(&path);
        let answers = Answers::in_file(&path);
        assert!(!answers.is_trusted(Path::new("/w")));
        assert!(answers.set_trusted(Path::new("/w"), true).is_err());
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "trusted = 1").unwrap();
        assert!(!answers.is_trusted(Path::new("/w")));
        assert!(answers.save(None, &[]).is_err(), "a damaged file must not be replaced");
    }
}
