//! Live settings: reloaded on request when a file has changed, without a restart and without a file watcher.
//!
//! Invariant: a broken file changes nothing; the last good settings stay in effect, and each version of a file is reported once. Providers,
//! models and keys are reloaded at once; everything else keeps its value from the engine's start.
//!
//! Settings are compared when a turn begins, by three calls of `stat`; no thread watches. The state has a lock, since sessions share it.

use super::load::{self, ReadFile, Stamp};
use super::{Config, Error, Flags};
use pintle_base::ambient::Ambient;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Settings that can be reloaded.
#[derive(Debug)]
pub struct Live {
    ambient: Ambient,
    flags: Flags,
    /// Locked while a few files are checked, never across an await.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    config: Arc<Config>,
    /// The settings at the engine's start.
    start: Arc<Config>,
    /// The files whose changes trigger a reload.
    files: Vec<ReadFile>,
    /// The current problems in these files.
    problems: Vec<Problem>,
    /// Problems that have not been reported.
    untold: Vec<Problem>,
}

/// Problem in the settings files, for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// True if the files cannot be used and the last good settings stay in effect.
    pub is_error: bool,
    /// The problem and its place.
    pub message: String,
    /// The suggested next step.
    pub hint: Option<String>,
}

impl Live {
    /// Starts with settings that were loaded with these flags, whose warnings have been reported.
    pub fn new(ambient: &Ambient, flags: Flags, config: Config) -> Self {
        let problems = config.warnings.iter().cloned().map(warning).collect();
        let files = config.files.clone();
        let config = Arc::new(config);
        let start = Arc::clone(&config);
        let state = State { config, start, files, problems, untold: Vec::new() };
        Self { ambient: ambient.clone(), flags, state: Mutex::new(state) }
    }

    /// Returns the most recently loaded settings.
    pub fn current(&self) -> Arc<Config> {
        Arc::clone(&self.state().config)
    }

    /// Reloads all files if one of them has changed.
    pub fn refresh(&self) {
        let mut state = self.state();
        if state.files.iter().all(|file| Stamp::read(&file.path) == file.stamp) {
            return;
        }
        let (files, config) = load::read(&self.ambient, self.flags.clone());
        state.files = files;
        let problems = match config {
            Ok(config) => {
                let mut problems: Vec<_> = config.warnings.iter().cloned().map(warning).collect();
                problems.extend(kept(&state.start, &config));
                state.config = Arc::new(config);
                problems
            }
            Err(Error { message, hint }) => {
                let hint = hint.unwrap_or_else(|| {
                    "fix the file; the previous settings stay in effect".to_owned()
                });
                vec![Problem { is_error: true, message, hint: Some(hint) }]
            }
        };
        let is_news = |problem: &&Problem| problem.is_error || !state.problems.contains(problem);
        let news: Vec<_> = problems.iter().filter(is_news).cloned().collect();
        state.untold.extend(news);
        state.problems = problems;
    }

    /// Returns the problems found at the last reload.
    pub fn problems(&self) -> Vec<Problem> {
        self.state().problems.clone()
    }

    /// Returns the problems that have not been reported yet.
    pub fn take_untold(&self) -> Vec<Problem> {
        std::mem::take(&mut self.state().untold)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn warning(message: String) -> Problem {
    Problem { is_error: false, message, hint: None }
}

/// Returns a warning if settings changed that a running engine does not reload: those that [`Settings`](super::Settings) serializes.
fn kept(before: &Config, now: &Config) -> Option<Problem> {
    let [before, after] = [before, now].map(|config| serde_json::to_value(&config.settings));
    let (Ok(Value::Object(before)), Ok(Value::Object(after))) = (before, after) else {
        return None;
    };
    let changed = before.iter().filter(|(key, value)| after.get(*key) != Some(value));
    let changed: Vec<&str> = changed.map(|(key, _)| key.as_str()).collect();
    (!changed.is_empty()).then(|| Problem {
        is_error: false,
        message: format!(
            "{}: changes to {} take effect when the engine restarts",
            now.folders.config_file.display(),
            changed.join(", ")
        ),
        hint: Some("restart the engine; providers and models reload automatically".to_owned()),
    })
}
