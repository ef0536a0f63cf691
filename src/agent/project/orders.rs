//! The project files that configure the engine, and the user's agreement to their content.

use super::{Owner, Personal, ProjectFiles, SERVERS_FILE};
use pintle_exec::Environment;
use pintle_protocol::trust::{ProjectFile, SeenFile, Standing, TrustResult};
use pintle_session::context::documents::Document;
use pintle_session::context::{agents, rules, skills};
use pintle_tools::permissions;
use pintle_tools::trust::{Agreement, Orders};
use std::path::{Path, PathBuf};

impl ProjectFiles<'_> {
    /// Returns the project files that configure the engine, each with a digest of its current content.
    pub(super) async fn orders(&self) -> Orders {
        let mut paths = Vec::new();
        for place in self.places() {
            paths.extend([permissions::rules::PROJECT_FILE, SERVERS_FILE].map(|at| place.join(at)));
        }
        let of_project = |(_, owner): &(PathBuf, Owner)| *owner == Owner::Project;
        let folders = |names: &[&str]| {
            let all = self.folders(names, "").into_iter();
            all.filter(of_project).collect::<Vec<_>>()
        };
        let skill =
            |name: &str, is_folder: bool| is_folder.then(|| Path::new(name).join(skills::FILE));
        let (alone, rules, skills, agents) = tokio::join!(
            self.texts(paths),
            self.markdown(folders(&rules::FOLDERS)),
            self.files(Vec::new(), folders(&skills::FOLDERS), skill),
            self.markdown(folders(&agents::FOLDERS)),
        );
        let others = rules.into_iter().chain(skills).chain(agents);
        let others = others.map(|(document, _)| document);
        let all = alone.into_iter().chain(others);
        all.filter_map(|Document { path, text }| Some((self.order(&path)?, digest(&text))))
            .collect()
    }

    /// Returns a file's name if it configures the engine: its path below the root. `None` for other files.
    fn order(&self, path: &Path) -> Option<String> {
        // Prompts are not included: the user calls each by its name.
        let kinds = [&rules::FOLDERS[..], &skills::FOLDERS, &agents::FOLDERS];
        let is_order = |place: &Path| {
            let Ok(below) = path.strip_prefix(place) else { return false };
            let files = [permissions::rules::PROJECT_FILE, SERVERS_FILE];
            files.iter().any(|file| below == Path::new(file))
                || kinds.iter().copied().flatten().any(|folder| below.starts_with(folder))
        };
        let is_order = self.places().into_iter().any(is_order);
        let below = path.strip_prefix(&self.root).ok().filter(|_| is_order)?;
        Some(below.to_string_lossy().into_owned())
    }

    /// Returns whether the user agreed to a file's content. A file that does not configure the engine needs no agreement.
    pub(super) fn standing(&self, path: &Path, text: &str) -> Standing {
        let name = self.order(path);
        name.map_or(Standing::Agreed, |name| self.standing_of(&name, &digest(text)))
    }

    fn standing_of(&self, name: &str, digest: &str) -> Standing {
        let Agreement::To(files) = &self.agreement else { return Standing::Agreed };
        match files.get(name) {
            None => Standing::New,
            Some(known) if known == digest => Standing::Agreed,
            Some(_) => Standing::Changed,
        }
    }

    /// Returns true if the user agreed to a file with this path.
    pub(super) fn is_missed(&self, path: &Path) -> bool {
        let Agreement::To(files) = &self.agreement else { return false };
        self.order(path).is_some_and(|name| files.contains_key(&name))
    }

    /// Returns the project files that configure the engine if the user agrees to them, and permissions that are missing.
    async fn all_orders(&self) -> Vec<ProjectFile> {
        let all = Self {
            root: self.root.clone(),
            real_root: self.real_root.clone(),
            agreement: Agreement::Any,
            is_trusted: true,
            ..*self
        };
        let orders = all.orders().await;
        let permissions =
            self.places().into_iter().map(|at| at.join(permissions::rules::PROJECT_FILE));
        let missing: Vec<String> = permissions
            .filter(|path| self.is_missed(path))
            .filter_map(|path| self.order(&path))
            .filter(|name| !orders.contains_key(name))
            .collect();
        let missing = missing.into_iter().map(|path| {
            let standing = Standing::Missing;
            ProjectFile { path, sha256: String::new(), standing }
        });
        let files = orders.into_iter().map(|(path, sha256)| {
            let standing = self.standing_of(&path, &sha256);
            ProjectFile { path, sha256, standing }
        });
        let mut files: Vec<ProjectFile> = files.chain(missing).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files
    }

    /// Returns a digest of the content that the user agreed to.
    pub(crate) fn agreed(&self) -> String {
        digest(&format!("{} {:?}", self.is_trusted, self.agreement))
    }

    /// Returns a trusted project's files that are ignored until the user agrees to their current content.
    pub(crate) async fn not_agreed(&self) -> Vec<ProjectFile> {
        if !self.is_trusted || !matches!(self.agreement, Agreement::To(_)) {
            return Vec::new();
        }
        let files = self.all_orders().await.into_iter();
        files.filter(|file| file.standing != Standing::Agreed).collect()
    }
}

/// Returns the files that configure the engine in the project around a directory, each with a digest of its current content.
pub async fn orders(env: &dyn Environment, folder: &Path) -> Orders {
    let personal = Personal::default();
    ProjectFiles::load(env, &personal, folder).await.orders().await
}

/// Like `orders`, with the user's agreement to each file.
pub(crate) async fn trust(env: &dyn Environment, personal: &Personal, cwd: &Path) -> TrustResult {
    let place = ProjectFiles::load(env, personal, cwd).await;
    let (root, is_trusted) = (place.root.to_string_lossy().into_owned(), place.is_trusted);
    TrustResult { root, is_trusted, files: place.all_orders().await }
}

/// Why project files could not be agreed to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotAgreed {
    #[error("{} is not trusted", .0.display())]
    Untrusted(PathBuf),
    #[error("{0} has changed since it was read")]
    Changed(String),
    #[error("failed to save the decision: {0}")]
    NotSaved(String),
}

/// Agrees to project files as the user saw them.
///
/// # Errors
/// Nothing is agreed to.
pub(crate) async fn agree(
    env: &dyn Environment,
    personal: &Personal,
    cwd: &Path,
    seen: Vec<SeenFile>,
) -> Result<TrustResult, NotAgreed> {
    let place = ProjectFiles::load(env, personal, cwd).await;
    if !place.is_trusted {
        return Err(NotAgreed::Untrusted(place.root));
    }
    let now = place.all_orders().await;
    let is_there = |seen: &SeenFile| {
        now.iter().any(|file| file.path == seen.path && file.sha256 == seen.sha256)
    };
    if let Some(other) = seen.iter().find(|file| !is_there(file)) {
        return Err(NotAgreed::Changed(other.path.clone()));
    }
    let files = seen.into_iter().map(|file| (file.path, file.sha256)).collect();
    let (answers, folder) = (personal.answers.clone(), place.real_root.clone());
    let saved = tokio::task::spawn_blocking(move || answers.agree(&folder, &files)).await;
    let failed = match saved {
        Ok(Ok(())) => return Ok(trust(env, personal, cwd).await),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    Err(NotAgreed::NotSaved(failed))
}

/// Returns a text's SHA-256 in hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    digest.as_ref().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
