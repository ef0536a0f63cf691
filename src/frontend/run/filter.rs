//! The events that a task prints, by globs on their kinds. Pure.

use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;

/// The patterns of `--events`: an event is printed if a pattern includes its kind, or there are no including patterns, and none excludes
/// it.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    include: GlobSet,
    exclude: GlobSet,
}

impl EventFilter {
    /// Reads patterns; one that begins with `!` excludes.
    ///
    /// # Errors
    /// Fails if a pattern is not a valid glob.
    pub fn new(patterns: &[String]) -> Result<Self, globset::Error> {
        let mut include = GlobSetBuilder::new();
        let mut exclude = GlobSetBuilder::new();
        for pattern in patterns {
            match pattern.strip_prefix('!') {
                Some(pattern) => exclude.add(Glob::new(pattern)?),
                None => include.add(Glob::new(pattern)?),
            };
        }
        Ok(Self { include: include.build()?, exclude: exclude.build()? })
    }

    /// Returns true if a record, as JSON text, is printed. A record without a kind is printed.
    ///
    /// # Example
    ///
    /// ```
    /// use pintle_frontend::run::EventFilter;
    ///
    /// let patterns = ["item.*", "!item.updated"].map(str::to_owned);
    /// let filter = EventFilter::new(&patterns).unwrap();
    /// assert!(filter.lets_through(r#"{"seq":1,"event":{"type":"item.completed"}}"#));
    /// assert!(!filter.lets_through(r#"{"seq":2,"event":{"type":"item.updated"}}"#));
    /// assert!(!filter.lets_through(r#"{"seq":3,"event":{"type":"turn.completed"}}"#));
    /// ```
    pub fn lets_through(&self, json: &str) -> bool {
        #[derive(Deserialize)]
        struct Record {
            event: Kind,
        }
        #[derive(Deserialize)]
        struct Kind {
            r#type: String,
        }
        if self.include.is_empty() && self.exclude.is_empty() {
            return true;
        }
        let Ok(Record { event: Kind { r#type: kind } }) = serde_json::from_str(json) else {
            return true;
        };
        (self.include.is_empty() || self.include.is_match(&kind)) && !self.exclude.is_match(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::EventFilter;

    #[test]
    fn an_event_is_printed_as_the_patterns_say() {
        for (patterns, kind, want) in [
            (&[][..], "item.started", true),
            (&["item.*"], "item.started", true),
            (&["item.*"], "turn.completed", false),
            (&["item.*", "turn.completed"], "turn.completed", true),
            (&["!item.*"], "item.started", false),
            (&["!item.*"], "session.notice", true),
            (&["!item.updated", "item.*"], "item.updated", false),
            (&["*.{started,completed}"], "turn.completed", true),
        ] {
            let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
            let filter = EventFilter::new(&patterns).unwrap();
            let json = format!(r#"{{"seq":1,"event":{{"type":"{kind}"}}}}"#);
            assert_eq!(filter.lets_through(&json), want, "{patterns:?} {kind}");
        }
        assert!(EventFilter::new(&["item.[".to_owned()]).is_err());
    }
}
