//! The files that a project and its user provide for agents, read in place. `context` interprets them.
//!
//! Everything is read through an environment: a project's files on the machine where tools run, the user's files on this machine.
//! Invariant: reading never runs project code, and unreadable files are skipped or reported as a problem, never as an error.

mod git;
mod orders;

pub(super) use git::{Asking, git_settings, repository};
pub(crate) use orders::digest;
pub use orders::orders;
pub(super) use orders::{NotAgreed, agree, trust};

use futures_util::stream::{self, StreamExt};
use pintle_exec::{Environment, Error, FileKind, ListEntry, Stat, Window};
use pintle_protocol::methods::{NamedPrompt, PromptListResult};
use pintle_protocol::trust::Standing;
use pintle_session::context::agents::{self, NamedAgent};
use pintle_session::context::documents::{self, Document};
use pintle_session::context::rules::{self, Rule, When};
use pintle_session::context::skills::{self, Skill};
use pintle_session::context::templates::{self, Template};
use pintle_tools::permissions;
use pintle_tools::trust::{Agreement, Answers};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many files are read concurrently. Behind a command prefix, each is a separate process.
const SIDE_BY_SIDE: usize = 8;

/// More of a file than this is not read.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// The maximum length of an import chain, in files.
const MAX_IMPORT_DEPTH: usize = 5;

/// More files of one kind than this are not read.
const MAX_FILES: usize = 200;

/// The user's documents, rules, skills, prompts and agents, for all projects.
#[derive(Debug, Clone, Default)]
pub struct Personal {
    /// The directory with `AGENTS.md`, `rules`, `skills`, `prompts` and `agents`, and how to read there.
    pub folder: Option<(Arc<dyn Environment>, PathBuf)>,
    /// Replaces the engine's instructions in the system prompt.
    pub base_prompt: Option<String>,
    /// Instructions for every session, placed after those from files.
    pub instructions: Option<String>,
    /// Which sources are used.
    pub sources: Sources,
    /// The trust decisions about projects.
    pub answers: Answers,
}

/// Which sources are used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// True if documents, such as `AGENTS.md`, are ignored.
    pub no_documents: bool,
    /// Where skills are.
    pub skills: Named,
    /// Where prompts are.
    pub prompts: Named,
}

/// Explicitly configured files, and directories of such files, on this machine. They take precedence over discovered ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// Their paths, absolute.
    pub paths: Vec<PathBuf>,
    /// True if no others are searched for.
    pub alone: bool,
}

/// The project file that configures MCP servers, as other programs use it.
const SERVERS_FILE: &str = ".mcp.json";

impl Sources {
    fn name(&self, path: &Path) -> bool {
        let all = self.skills.paths.iter().chain(&self.prompts.paths);
        all.into_iter().any(|named| path.starts_with(named))
    }
}

/// Where to read.
#[derive(Debug)]
pub(super) struct ProjectFiles<'a> {
    env: &'a dyn Environment,
    personal: &'a Personal,
    /// The working directory.
    cwd: &'a Path,
    /// The git repository's root, else the working directory.
    pub(super) root: PathBuf,
    /// The same without symbolic links.
    real_root: PathBuf,
    /// There is a repository.
    pub(super) is_repository: bool,
    /// True if the user trusts the project. Until then its files are listed and not used.
    pub(super) is_trusted: bool,
    /// The user's approval of files that configure the engine.
    agreement: Agreement,
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Project,
    User,
}

/// The files of one kind, and the problems with files that could not be understood.
#[derive(Debug)]
pub(super) struct FoundFiles<T> {
    pub(super) all: Vec<(T, PathBuf, Owner)>,
    pub(super) problems: Vec<String>,
}

impl<'a> ProjectFiles<'a> {
    /// Returns the project files for a working directory.
    pub(super) async fn load(
        env: &'a dyn Environment,
        personal: &'a Personal,
        cwd: &'a Path,
    ) -> Self {
        let candidates: Vec<PathBuf> = cwd.ancestors().map(|folder| folder.join(".git")).collect();
        let found = env.stat_all(&candidates).await;
        let is_there = cwd.ancestors().zip(found).find(|(_, found)| found.is_ok());
        let repository = is_there.map(|(folder, _)| folder.to_owned());
        let is_repository = repository.is_some();
        Self::at(env, personal, cwd, repository.unwrap_or_else(|| cwd.to_owned()), is_repository)
            .await
    }

    /// Returns the project files for a known root.
    pub(super) async fn at(
        env: &'a dyn Environment,
        personal: &'a Personal,
        cwd: &'a Path,
        root: PathBuf,
        is_repository: bool,
    ) -> Self {
        let real_root = env.canonicalize(&root).await.unwrap_or_else(|_| root.clone());
        let trusted = personal.answers.trusts(&real_root).await;
        let (is_trusted, found) = (trusted.is_some(), trusted.unwrap_or(Agreement::Any));
        let agreement = Agreement::Any;
        let mut place =
            Self { env, personal, cwd, root, real_root, is_repository, is_trusted, agreement };
        place.agreement = match found {
            found @ (Agreement::Any | Agreement::To(_)) => found,
            Agreement::Around(outer, known) if env.stat(&outer.join(".git")).await.is_ok() => {
                // Whatever came into a repository is not agreed to along with it.
                place.agree_first(|name, digest| known.get(name) == Some(digest)).await
            }
            Agreement::Around(..) | Agreement::Unknown => place.agree_first(|_, _| true).await,
        };
        place
    }

    /// Agrees to some of the project's files as they are, if the user agreed to none before.
    async fn agree_first(&self, is_agreed: impl Fn(&String, &String) -> bool) -> Agreement {
        let mut files = self.orders().await;
        files.retain(|name, digest| is_agreed(name, digest));
        let (answers, folder) = (self.personal.answers.clone(), self.real_root.clone());
        let kept = files.clone();
        let agree = move || answers.agree_first(&folder, kept);
        if let Err(error) = tokio::task::spawn_blocking(agree).await {
            tracing::warn!("failed to store the content of project files: {error}");
        }
        Agreement::To(files)
    }

    /// Returns the directories whose files count: the working directory, and the repository root.
    fn places(&self) -> Vec<&Path> {
        let mut places = vec![self.cwd, self.root.as_path()];
        places.dedup();
        places
    }

    /// Returns the project files that would be used if the project were trusted: existing documents, and directories of rules, skills,
    /// prompts and agents. Empty for a trusted project.
    pub(super) async fn withheld(&self, documents: &[PathBuf]) -> Vec<PathBuf> {
        if self.is_trusted {
            return Vec::new();
        }
        let mut paths = documents.to_vec();
        let kinds = [&rules::FOLDERS[..], &skills::FOLDERS, &agents::FOLDERS, &[templates::FOLDER]];
        for folder in kinds.into_iter().flatten() {
            paths.extend([self.cwd.join(folder), self.root.join(folder)]);
        }
        for file in [permissions::rules::PROJECT_FILE, SERVERS_FILE] {
            paths.extend([self.cwd, &self.root].map(|at| at.join(file)));
        }
        paths.retain(|path| self.env_of(path).1 == Owner::Project);
        paths.sort();
        paths.dedup();
        let found = self.env.stat_all(&paths).await;
        paths.into_iter().zip(found).filter_map(|(path, found)| found.ok().map(|_| path)).collect()
    }

    /// Returns the project's permission rules as texts, each with its directory, or the reason why one cannot be read. Empty for an
    /// untrusted project.
    pub(super) async fn permissions(&self) -> Vec<(PathBuf, Result<String, String>)> {
        let mut folders = self.places();
        folders.reverse();
        let mut found = Vec::new();
        for folder in folders.into_iter().filter(|_| self.is_trusted) {
            let path = folder.join(permissions::rules::PROJECT_FILE);
            match self.env.stat(&path).await {
                Ok(_) => {}
                Err(Error::NotFound(_) | Error::NotFolder(_)) if !self.is_missed(&path) => continue,
                // Its rules may have denied something.
                Err(error) => {
                    let reason = format!(
                        "{error}; restore it, or run `pintle trust {}` to continue without it",
                        self.root.display()
                    );
                    found.push((folder.to_path_buf(), Err(reason)));
                    continue;
                }
            }
            let text = match self.any_text(&path).await {
                Some(text) if text.len() as u64 >= MAX_FILE_BYTES => {
                    Err(format!("it exceeds {} KB", MAX_FILE_BYTES / 1024))
                }
                Some(text) => match self.standing(&path, &text) {
                    Standing::Agreed => Ok(text),
                    // There were no rules before, and there are none now.
                    Standing::New | Standing::Missing => continue,
                    Standing::Changed => Err(format!(
                        "it has changed since you trusted it; review it, then run `pintle trust {}`",
                        self.root.display()
                    )),
                },
                None => Err("it is not a regular file of the project".to_owned()),
            };
            found.push((folder.to_path_buf(), text));
        }
        found
    }

    /// Returns the project's MCP server files as texts, the nearest first. Empty for an untrusted project.
    pub(super) async fn servers(&self) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for folder in self.places().into_iter().filter(|_| self.is_trusted) {
            let path = folder.join(SERVERS_FILE);
            found.extend(self.text(&path).await.map(|text| (path, text)));
        }
        found
    }

    /// Returns a path's environment and owner: the user's directory is on this machine.
    pub(super) fn env_of(&self, path: &Path) -> (&dyn Environment, Owner) {
        env_of(self.env, self.personal, path)
    }

    /// Returns a file's text. A project file must not lead out of the project, since a link could expose unrelated files. A file that
    /// configures the engine is ignored until the user has agreed to its content.
    pub(super) async fn text(&self, path: &Path) -> Option<String> {
        let text = self.any_text(path).await?;
        let owner = self.env_of(path).1;
        let is_used = owner == Owner::User || self.standing(path, &text) == Standing::Agreed;
        is_used.then_some(text)
    }

    /// Like `text`, whether the user has agreed to the content or not.
    async fn any_text(&self, path: &Path) -> Option<String> {
        let (env, owner) = self.env_of(path);
        if owner == Owner::Project && !self.is_trusted {
            return None;
        }
        if !is_file(env, path).await {
            return None;
        }
        if owner == Owner::Project {
            let real = env.canonicalize(path).await.ok()?;
            if !real.starts_with(&self.real_root) {
                tracing::warn!("{} points outside the project and is not read", path.display());
                return None;
            }
        }
        read(env, path).await.ok()
    }

    /// Returns the existing documents, in order, each preceded by the files that it imports.
    pub(super) async fn documents(&self, paths: Vec<PathBuf>) -> Vec<Document> {
        let documents = self.texts(paths).await;
        let mut seen = documents.iter().map(|document| document.path.clone()).collect();
        let mut all = Vec::new();
        for document in documents {
            all.extend(self.imports(&document, &mut seen).await);
            all.push(document);
        }
        all
    }

    /// Returns the files that a document imports, directly and through others, the deepest first. Files that were seen before are left out,
    /// and so are files with another owner than the document.
    pub(super) async fn imports(
        &self,
        document: &Document,
        seen: &mut BTreeSet<PathBuf>,
    ) -> Vec<Document> {
        let owner = self.env_of(&document.path).1;
        let mut found = Vec::new();
        let mut level = vec![document.clone()];
        for _ in 0..MAX_IMPORT_DEPTH {
            let mut paths = Vec::new();
            for Document { path, text } in &level {
                let folder = path.parent().unwrap_or(path);
                let imports = documents::imports(text).into_iter();
                let named = imports.filter(|import| !import.starts_with('~'));
                let named = named.map(|import| folder.join(import));
                // A repository must not make Windows log in elsewhere.
                let is_near = |path: &PathBuf| {
                    !self.env.platform().sends_credentials_to(path) || path.starts_with(&self.root)
                };
                let named = named.filter(is_near);
                let named = named.map(|path| permissions::command::lexical(&path));
                paths.extend(named.filter(|path| self.env_of(path).1 == owner));
            }
            paths.retain(|path| seen.len() < MAX_FILES && seen.insert(path.clone()));
            if paths.is_empty() {
                break;
            }
            level = self.texts(paths).await;
            found.splice(0..0, level.iter().cloned());
        }
        found
    }

    /// Returns the existing files as documents, in order.
    async fn texts(&self, mut paths: Vec<PathBuf>) -> Vec<Document> {
        let mut found = stat_all(self.env, self.personal, &paths).await.into_iter();
        paths.retain(|_| found.next().is_some_and(|found| found.is_ok()));
        let texts = stream::iter(paths)
            .map(|path| async move {
                let text = self.text(&path).await?;
                Some(Document { path, text })
            })
            .buffered(SIDE_BY_SIDE);
        texts.filter_map(std::future::ready).collect().await
    }

    /// Returns the rules. If the model cannot read the user's files, rules that it would have to read are left out.
    pub(super) async fn rules(&self) -> FoundFiles<Rule> {
        let folders = self.folders(&rules::FOLDERS, "rules");
        let mut found = parse(self.markdown(folders).await, rules::parse, |rule| &rule.name);
        let is_readable = |(rule, _, owner): &(Rule, PathBuf, Owner)| {
            rule.when != When::OnRequest || *owner == Owner::Project || self.env.is_this_machine()
        };
        found.all.retain(is_readable);
        found
    }

    /// Returns the skills whose files the model can read.
    pub(super) async fn skills(&self) -> FoundFiles<Skill> {
        let Named { paths, alone } = &self.personal.sources.skills;
        let mut folders =
            if *alone { Vec::new() } else { self.folders(&skills::FOLDERS, "skills") };
        let names =
            |name: &str, is_folder: bool| is_folder.then(|| Path::new(name).join(skills::FILE));
        let mut named = Vec::new();
        if self.env.is_this_machine() {
            named = self.named(paths, Some(skills::FILE), names).await;
        } else {
            folders.retain(|(_, owner)| *owner == Owner::Project);
        }
        parse(self.files(named, folders, names).await, skills::parse, |skill| &skill.name)
    }

    /// Returns the skill with a name, and its file's text.
    pub(super) async fn skill(&self, name: &str) -> Option<(Skill, String)> {
        let FoundFiles { all, .. } = self.skills().await;
        let (skill, path, _) = all.into_iter().find(|(skill, ..)| skill.name == name)?;
        let text = self.text(&path).await?;
        Some((skill, text))
    }

    /// Returns the named agents.
    pub(super) async fn agents(&self) -> FoundFiles<NamedAgent> {
        let folders = self.folders(&agents::FOLDERS, "agents");
        parse(self.markdown(folders).await, agents::parse, |agent| &agent.name)
    }

    /// Returns the prompts that can be called.
    pub(super) async fn templates(&self) -> FoundFiles<Template> {
        let Named { paths, .. } = &self.personal.sources.prompts;
        let named = self.named(paths, None, markdown).await;
        let files = self.files(named, self.template_folders(), markdown).await;
        parse(files, templates::parse, |template| &template.name)
    }

    /// Returns the prompt with a name.
    pub(super) async fn template(&self, name: &str) -> Option<Template> {
        let file = format!("{name}.md");
        let named = self.named(&self.personal.sources.prompts.paths, None, markdown).await;
        let named = named.into_iter().filter(|path| path.ends_with(&file));
        let found = self.template_folders().into_iter().map(|(folder, _)| folder.join(&file));
        for path in named.chain(found) {
            if let Some(text) = self.text(&path).await {
                return templates::parse(&path, &text).ok();
            }
        }
        None
    }

    fn template_folders(&self) -> Vec<(PathBuf, Owner)> {
        if self.personal.sources.prompts.alone {
            return Vec::new();
        }
        self.folders(&[templates::FOLDER], "prompts")
    }

    /// Returns the configured files; for a directory, the files of its entries, or the one file that makes the whole directory an entry.
    async fn named(
        &self,
        paths: &[PathBuf],
        whole: Option<&str>,
        file_of: impl Fn(&str, bool) -> Option<PathBuf>,
    ) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for path in paths {
            let env = self.env_of(path).0;
            let own = whole.map(|file| path.join(file));
            if is_file(env, path).await {
                files.push(path.clone());
            } else if let Some(own) = own
                && is_file(env, &own).await
            {
                files.push(own);
            } else {
                let mut entries = env.list(path).await.unwrap_or_default();
                entries.sort();
                let of = entries.iter().filter_map(|entry| file_of(&entry.name, entry.is_folder));
                files.extend(of.map(|file| path.join(file)));
            }
        }
        files
    }

    /// Returns the directories for files of a kind, in order of precedence.
    fn folders(&self, names: &[&str], personal: &str) -> Vec<(PathBuf, Owner)> {
        let mut places = vec![self.cwd];
        if self.root != self.cwd {
            places.push(&self.root);
        }
        let of_project =
            |place: &&Path| names.iter().map(|name| place.join(name)).collect::<Vec<_>>();
        if !self.is_trusted {
            places.clear();
        }
        let project = places.iter().flat_map(of_project).map(|folder| (folder, Owner::Project));
        let own =
            self.personal.folder.as_ref().map(|(_, folder)| (folder.join(personal), Owner::User));
        project.chain(own).collect()
    }

    async fn markdown(&self, folders: Vec<(PathBuf, Owner)>) -> Vec<(Document, Owner)> {
        self.files(Vec::new(), folders, markdown).await
    }

    /// Returns the configured files, and the files of directory entries, sorted by name within each directory.
    async fn files(
        &self,
        named: Vec<PathBuf>,
        folders: Vec<(PathBuf, Owner)>,
        file_of: impl Fn(&str, bool) -> Option<PathBuf>,
    ) -> Vec<(Document, Owner)> {
        let mut paths: Vec<_> = named.into_iter().map(|path| (path, Owner::User)).collect();
        let all: Vec<PathBuf> = folders.iter().map(|(folder, _)| folder.clone()).collect();
        let listed = list_all(self.env, self.personal, &all).await;
        for ((folder, owner), entries) in folders.into_iter().zip(listed) {
            let mut entries = entries.unwrap_or_default();
            entries.sort();
            let files = entries.iter().filter_map(|entry| file_of(&entry.name, entry.is_folder));
            paths.extend(files.map(|file| (folder.join(file), owner)));
        }
        paths.truncate(MAX_FILES);
        let texts = stream::iter(paths)
            .map(|(path, owner)| async move {
                let text = self.text(&path).await?;
                Some((Document { path, text }, owner))
            })
            .buffered(SIDE_BY_SIDE);
        texts.filter_map(std::future::ready).collect().await
    }
}

/// Returns a path's environment and owner: the user's directory is on this machine.
fn env_of<'e>(
    env: &'e dyn Environment,
    personal: &'e Personal,
    path: &Path,
) -> (&'e dyn Environment, Owner) {
    match &personal.folder {
        Some((own, folder)) if path.starts_with(folder) || personal.sources.name(path) => {
            (own.as_ref(), Owner::User)
        }
        Some(_) | None => (env, Owner::Project),
    }
}

/// Paths grouped by owner, so that each environment is queried once about all its paths.
struct ByOwner<'e> {
    /// The user's paths, and the project's.
    sides: [(&'e dyn Environment, Vec<PathBuf>); 2],
    /// The owner of each path, in their order.
    owners: Vec<Owner>,
}

impl<'e> ByOwner<'e> {
    fn new(env: &'e dyn Environment, personal: &'e Personal, paths: &[PathBuf]) -> Self {
        let own = personal.folder.as_ref().map_or(env, |(own, _)| own.as_ref());
        let mut sides = [(own, Vec::new()), (env, Vec::new())];
        let mut owners = Vec::with_capacity(paths.len());
        for path in paths {
            let owner = env_of(env, personal, path).1;
            let [user, project] = &mut sides;
            let side = if owner == Owner::User { user } else { project };
            side.1.push(path.clone());
            owners.push(owner);
        }
        Self { sides, owners }
    }

    /// Returns the answers of both in path order.
    fn in_order<T>(self, user: Vec<T>, project: Vec<T>) -> Vec<T> {
        let (mut user, mut project) = (user.into_iter(), project.into_iter());
        let next = |owner| match owner {
            Owner::User => user.next(),
            Owner::Project => project.next(),
        };
        self.owners.iter().copied().filter_map(next).collect()
    }
}

/// Returns the metadata of these paths.
pub(super) async fn stat_all(
    env: &dyn Environment,
    personal: &Personal,
    paths: &[PathBuf],
) -> Vec<Result<Stat, Error>> {
    let asked = ByOwner::new(env, personal, paths);
    let [(here, own), (there, others)] = &asked.sides;
    let (own, others) = tokio::join!(here.stat_all(own), there.stat_all(others));
    asked.in_order(own, others)
}

/// Returns the entries of these directories.
async fn list_all(
    env: &dyn Environment,
    personal: &Personal,
    folders: &[PathBuf],
) -> Vec<Result<Vec<ListEntry>, Error>> {
    let asked = ByOwner::new(env, personal, folders);
    let [(here, own), (there, others)] = &asked.sides;
    let (own, others) = tokio::join!(here.list_all(own), there.list_all(others));
    asked.in_order(own, others)
}

/// Returns a directory entry if it is a Markdown file.
fn markdown(name: &str, is_folder: bool) -> Option<PathBuf> {
    let is_markdown = Path::new(name).extension().is_some_and(|end| end == "md");
    (!is_folder && is_markdown).then(|| name.into())
}

/// Returns the prompts that can be called in a directory, for a client.
pub(super) async fn prompts(
    env: &dyn Environment,
    personal: &Personal,
    cwd: &Path,
) -> PromptListResult {
    let place = ProjectFiles::load(env, personal, cwd).await;
    let FoundFiles { all, problems } = place.templates().await;
    let mut prompts: Vec<NamedPrompt> = all
        .into_iter()
        .map(|(template, path, _)| NamedPrompt {
            name: template.name,
            description: template.description,
            argument_hint: template.argument_hint,
            path: path.to_string_lossy().into_owned(),
        })
        .collect();
    prompts.sort_by(|one, other| one.name.cmp(&other.name));
    PromptListResult { prompts, problems }
}

/// Returns the skills that can be called in a directory, for a client.
pub(super) async fn skills(
    env: &dyn Environment,
    personal: &Personal,
    cwd: &Path,
) -> Vec<NamedPrompt> {
    let place = ProjectFiles::load(env, personal, cwd).await;
    let FoundFiles { all, .. } = place.skills().await;
    let mut named: Vec<NamedPrompt> = all
        .into_iter()
        .map(|(skill, path, _)| NamedPrompt {
            name: format!("{}{}", skills::CALL, skill.name),
            description: Some(skill.description),
            argument_hint: None,
            path: path.to_string_lossy().into_owned(),
        })
        .collect();
    named.sort_by(|one, other| one.name.cmp(&other.name));
    named
}

/// Reads a text file, or its start.
pub(super) async fn read(env: &dyn Environment, path: &Path) -> Result<String, Error> {
    let window = Window { first_line: 1, max_lines: u64::MAX, max_bytes: MAX_FILE_BYTES };
    let path = env.canonicalize(path).await?;
    let lines = env.read_lines(&path, window).await?;
    let text = String::from_utf8_lossy(&lines.text).into_owned();
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Returns true if there is a file at a path.
pub(super) async fn is_file(env: &dyn Environment, path: &Path) -> bool {
    env.stat(path).await.is_ok_and(|stat| stat.kind == FileKind::File)
}

/// Understands files. Of two with one name the first counts.
fn parse<T>(
    files: Vec<(Document, Owner)>,
    parse: impl Fn(&Path, &str) -> Result<T, String>,
    name: impl Fn(&T) -> &str,
) -> FoundFiles<T> {
    let mut found = FoundFiles { all: Vec::<(T, PathBuf, Owner)>::new(), problems: Vec::new() };
    for (Document { path, text }, owner) in files {
        match parse(&path, &text) {
            Ok(one) if found.all.iter().any(|(other, ..)| name(other) == name(&one)) => {}
            Ok(one) => found.all.push((one, path, owner)),
            Err(reason) => found.problems.push(format!("ignored {}: {reason}", path.display())),
        }
    }
    found
}

#[cfg(test)]
mod tests;
