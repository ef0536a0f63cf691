//! The system prompt, in layers. Its bytes stay the same for a whole session, so that provider caches hit.

/// The first layer: who the model is here and how it should work.
const BASE: &str = include_str!("prompts/base.md");

/// The facts of the environment layer.
#[derive(Debug, Clone)]
pub struct Surroundings<'a> {
    /// The working directory.
    pub cwd: &'a str,
    /// The operating system.
    pub os: &'a str,
    /// The shell that runs commands.
    pub shell: &'a str,
    /// The model, as `provider/id`.
    pub model: &'a str,
    /// Today, in milliseconds since 1970.
    pub now_ms: u64,
}

/// The system prompt.
pub fn system(around: &Surroundings<'_>) -> String {
    let date = i64::try_from(around.now_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map(|time| time.strftime("%Y-%m-%d").to_string())
        .unwrap_or_default();
    format!(
        "{}\n\n<environment>\nworking directory: {}\nplatform: {}\nshell: {}\ndate: {date}\nmodel: {}\n</environment>\n",
        BASE.trim_end(),
        around.cwd,
        around.os,
        around.shell,
        around.model,
    )
}
