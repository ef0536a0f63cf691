//! The only door to what surrounds the program: clock, random ids, environment variables, home, the folder it was started in, its own
//! file; and the secrets among them.
//!
//! Everything else takes an [`Ambient`], so that a test with [`Ambient::fixed`] always sees the same time
//! and the same ids.
#![expect(
    clippy::disallowed_methods,
    reason = "this file is the one place that reads clock, environment, working directory and program"
)]

mod secrets;

pub use secrets::{MIN_SECRET_BYTES, REDACTED, Redactor, Secrets};

use pintle_os::{System, names};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Clock, ids and environment variables. Cheap to clone. Printing it shows no value of a variable, since some are keys.
#[derive(Clone)]
pub struct Ambient {
    vars: Arc<BTreeMap<String, String>>,
    /// The folder it was started in; that of the process if it is left out.
    current_dir: Option<Arc<Path>>,
    /// The program's file; that of the process if it is left out.
    program: Option<Arc<Path>>,
    source: Source,
    secrets: Secrets,
}

#[derive(Debug, Clone)]
enum Source {
    System,
    /// A counter in place of clock and random numbers.
    Fixed(Arc<AtomicU64>),
    /// A fixed time, with ids from this series if there is one.
    At(u64, Option<Series>),
}

/// Ids that are counted: UUIDv7s that differ from those of other series of the same time.
#[derive(Debug, Clone)]
struct Series {
    prefix: String,
    next: Arc<AtomicU64>,
}

impl fmt::Debug for Ambient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.vars.keys().collect();
        f.debug_struct("Ambient")
            .field("vars", &names)
            .field("current_dir", &self.current_dir)
            .field("program", &self.program)
            .field("source", &self.source)
            .field("secrets", &self.secrets)
            .finish()
    }
}

impl Ambient {
    /// The real thing. Variables whose name or value is not UTF-8 are left out.
    pub fn system() -> Self {
        let vars = std::env::vars_os()
            .filter_map(|(name, value)| {
                Some((names::variable(name.into_string().ok()?), value.into_string().ok()?))
            })
            .collect();
        Self::new(vars, Source::System)
    }

    fn new(vars: BTreeMap<String, String>, source: Source) -> Self {
        Self {
            vars: Arc::new(vars),
            current_dir: None,
            program: None,
            source,
            secrets: Secrets::default(),
        }
    }

    /// Time and ids that are the same in every run; the only variables are those given.
    pub fn fixed(vars: impl IntoIterator<Item = (String, String)>) -> Self {
        Self::new(vars.into_iter().collect(), Source::Fixed(Arc::new(AtomicU64::new(0))))
    }

    /// Returns a copy whose clock stands still at this time, in milliseconds since 1970.
    #[must_use]
    pub fn at(&self, now_ms: u64) -> Self {
        Self { source: Source::At(now_ms, None), ..self.clone() }
    }

    /// Returns a copy that counts its ids, and the beginning that all of them have; `series` is a number below 4,096. The same time and series
    /// give the same ids in every process, so they may not name processes.
    #[must_use]
    pub fn counted(&self, series: u16) -> (Self, String) {
        let now_ms = self.now_ms();
        let (high, low) = (now_ms >> 16, now_ms & 0xffff);
        let prefix = format!("{:08x}-{low:04x}-7{:03x}-", high & 0xffff_ffff, series & 0xfff);
        let series = Series { prefix: prefix.clone(), next: Arc::new(AtomicU64::new(1)) };
        (Self { source: Source::At(now_ms, Some(series)), ..self.clone() }, prefix)
    }

    /// Returns a copy with another value of a variable.
    #[must_use]
    pub fn with_var(&self, name: &str, value: &str) -> Self {
        let mut vars = BTreeMap::clone(&self.vars);
        vars.insert(name.to_owned(), value.to_owned());
        Self { vars: Arc::new(vars), ..self.clone() }
    }

    /// Returns a copy whose only variables are those given.
    #[must_use]
    pub fn with_vars(&self, vars: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { vars: Arc::new(vars.into_iter().collect()), ..self.clone() }
    }

    /// Returns a copy that was started in this folder.
    #[must_use]
    pub fn with_current_dir(&self, folder: &Path) -> Self {
        Self { current_dir: Some(folder.into()), ..self.clone() }
    }

    /// Returns a copy whose program is this file.
    #[must_use]
    pub fn with_program(&self, program: &Path) -> Self {
        Self { program: Some(program.into()), ..self.clone() }
    }

    /// The secrets that are known in this run. Copies share them.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// An environment variable; an empty one counts as not set.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All environment variables, sorted by name.
    pub fn vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Milliseconds since 1970. A fixed clock stands still.
    pub fn now_ms(&self) -> u64 {
        match &self.source {
            Source::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)),
            Source::Fixed(_) => 1_700_000_000_000,
            Source::At(now_ms, _) => *now_ms,
        }
    }

    /// A new id: a UUIDv7, which sorts by the time it was made; `id-1`, `id-2` … when fixed.
    pub fn new_id(&self) -> String {
        match &self.source {
            Source::System | Source::At(_, None) => uuid::Uuid::now_v7().to_string(),
            Source::At(_, Some(Series { prefix, next })) => {
                let number = next.fetch_add(1, Ordering::Relaxed);
                format!("{prefix}8000-{:012x}", number & 0xffff_ffff_ffff)
            }
            Source::Fixed(counter) => format!("id-{}", counter.fetch_add(1, Ordering::Relaxed) + 1),
        }
    }

    /// A number from 0 to below 1 by chance; 0 when fixed.
    pub fn chance(&self) -> f64 {
        match &self.source {
            Source::System | Source::At(_, None) => {
                // The second half of such an id is random but for its first two bits.
                let (_, random) = uuid::Uuid::now_v7().as_u64_pair();
                let bits = u32::try_from(random & u64::from(u32::MAX)).unwrap_or(0);
                f64::from(bits) / (f64::from(u32::MAX) + 1.0)
            }
            Source::Fixed(_) | Source::At(_, Some(_)) => 0.0,
        }
    }

    /// The user's home folder, from `HOME`; on Windows from `USERPROFILE`, if `HOME` is not a path of Windows.
    pub fn home(&self) -> Option<PathBuf> {
        let home = || self.var("HOME").map(PathBuf::from);
        match System::CURRENT {
            System::Linux | System::MacOs => home(),
            System::Windows => home()
                .filter(|home| home.is_absolute())
                .or_else(|| self.var("USERPROFILE").map(PathBuf::from)),
        }
    }

    /// The folder for temporary files.
    pub fn temporary(&self) -> PathBuf {
        let (names, usual): (&[&str], _) = match System::CURRENT {
            System::Linux | System::MacOs => (&["TMPDIR"], "/tmp"),
            System::Windows => (&["TMP", "TEMP"], r"C:\Windows\Temp"),
        };
        names.iter().find_map(|name| self.var(name)).unwrap_or(usual).into()
    }

    /// The folder the program was started in.
    ///
    /// # Errors
    /// The directory was deleted or is not readable.
    pub fn current_dir(&self) -> std::io::Result<PathBuf> {
        match &self.current_dir {
            Some(folder) => Ok(folder.to_path_buf()),
            None => std::env::current_dir().map_err(|error| {
                let name = self.var("PWD").map(|path| format!(" {path}")).unwrap_or_default();
                let why = if error.kind() == std::io::ErrorKind::NotFound {
                    "no longer exists".to_owned()
                } else {
                    format!("cannot be used: {error}")
                };
                std::io::Error::new(
                    error.kind(),
                    format!("the working directory{name} {why}; change to another one"),
                )
            }),
        }
    }

    /// The directory the program was started in, even if it was deleted: then the path that the shell left in `PWD`.
    ///
    /// # Errors
    /// The directory is not readable, or it was deleted and its path is unknown.
    pub fn start_dir(&self) -> std::io::Result<PathBuf> {
        let error = match self.current_dir() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => error,
            found => return found,
        };
        let former = self.var("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
        former.ok_or(error)
    }

    /// The directory that relative paths on the command line start from: the one the program was started in. If that was deleted, it is the
    /// absolute one named on the command line.
    ///
    /// # Errors
    /// The directory was deleted or is not readable, and no absolute one is named.
    pub fn base_dir(&self, named: Option<&Path>) -> std::io::Result<PathBuf> {
        match (self.current_dir(), named) {
            (Err(_), Some(named)) if named.is_absolute() => Ok(named.to_owned()),
            (here, _) => here,
        }
    }

    /// Returns a path from the command line as an absolute one.
    ///
    /// # Errors
    /// The path is relative, and the working directory was deleted or is not readable.
    pub fn absolute(&self, path: impl AsRef<Path>) -> std::io::Result<PathBuf> {
        let path = path.as_ref();
        Ok(self.base_dir(Some(path))?.join(path))
    }

    /// The program's path, for starting it again. On Linux the path stays valid after an update replaces the file.
    ///
    /// # Errors
    /// The system cannot determine the path.
    pub fn program(&self) -> std::io::Result<PathBuf> {
        match &self.program {
            Some(program) => Ok(program.to_path_buf()),
            None => pintle_os::process::this_program(),
        }
    }
}

/// Text that never prints: a key or a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_ids_are_uuids_in_order_that_differ_by_series() {
        let at = Ambient::fixed([]).at(1_764_060_000_123);
        let ((first, prefix), (second, _)) = (at.counted(0), at.counted(1));
        let ids = [first.new_id(), first.new_id(), second.new_id()];
        assert_eq!(
            ids,
            [
                "019aba2b-6f7b-7000-8000-000000000001",
                "019aba2b-6f7b-7000-8000-000000000002",
                "019aba2b-6f7b-7001-8000-000000000001",
            ]
        );
        assert!(ids[0].starts_with(&prefix) && !ids[2].starts_with(&prefix));
        assert!(ids.iter().all(|id| uuid::Uuid::parse_str(id).is_ok()));
    }

    #[test]
    fn no_value_of_a_variable_prints() {
        let vars = [("SOME_KEY".to_owned(), "very-secret".to_owned())];
        let printed = format!("{:?}", Ambient::fixed(vars));
        assert!(printed.contains("SOME_KEY") && !printed.contains("very-secret"), "{printed}");
    }
}
