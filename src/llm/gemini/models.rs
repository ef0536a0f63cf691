//! Differences between generations of Gemini models, as data.
//!
//! Source: `@google/genai` 3.1.0 for the fields; docs.cloud.google.com, model pages, for the four levels of the third generation, read
//! 2026-11. The levels of its first model and the budgets of the second generation are general knowledge, in no recording.

use crate::Effort;
use serde_json::{Value, json};

/// Generation in which signatures are required, results may contain images, and effort is a level.
const THIRD: u32 = 3;

/// Generation without the lowest level. Source: docs.cloud.google.com, Gemini 4, and github.com/BerriAI/litellm/discussions/46238.
const FOURTH: u32 = 4;

/// Returns a model's generation; the newest for names without one, such as `gemini-flash-latest`; `None` for models of other families, such
/// as Gemma.
pub(super) fn generation(model: &str) -> Option<(u32, u32)> {
    let name = model.rsplit('/').next().unwrap_or(model).strip_prefix("gemini-")?;
    let version = name.split('-').next().unwrap_or(name);
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some(match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => (major, minor),
        (Ok(major), Err(_)) => (major, 0),
        (Err(_), _) => (THIRD, 0),
    })
}

/// Returns true for a model of the third generation or later.
pub(crate) fn is_third(model: &str) -> bool {
    generation(model).is_some_and(|(major, _)| major >= THIRD)
}

/// Returns the thinking config for an effort; `None` for models that do not think.
pub(super) fn thinking(model: &str, effort: Effort) -> Option<Value> {
    let is_pro = model.contains("pro");
    let shown = effort != Effort::None;
    match generation(model)? {
        (major, minor) if major >= THIRD => {
            let level = match effort {
                Effort::None | Effort::Minimal if is_pro || major >= FOURTH => "LOW",
                Effort::None | Effort::Minimal => "MINIMAL",
                Effort::Low => "LOW",
                // The first model of this generation has two levels.
                Effort::Medium if is_pro && (major, minor) == (THIRD, 0) => "HIGH",
                Effort::Medium => "MEDIUM",
                Effort::High | Effort::Xhigh | Effort::Max => "HIGH",
            };
            Some(json!({ "includeThoughts": shown, "thinkingLevel": level }))
        }
        (2, 5) => {
            let budget = match effort {
                // This model always thinks.
                Effort::None if is_pro => 128,
                Effort::None => 0,
                Effort::Minimal => 512,
                Effort::Low => 4_096,
                Effort::Medium => 10_240,
                Effort::High => 20_480,
                Effort::Xhigh | Effort::Max if is_pro => 32_768,
                Effort::Xhigh | Effort::Max => 24_576,
            };
            Some(json!({ "includeThoughts": shown, "thinkingBudget": budget }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effort_depends_on_the_generation() {
        for (model, effort, want) in [
            ("gemini-2.0-flash", Effort::High, "null"),
            ("gemma-3-27b-it", Effort::High, "null"),
            ("gemini-2.5-flash", Effort::None, r#"{"includeThoughts":false,"thinkingBudget":0}"#),
            ("gemini-2.5-pro", Effort::None, r#"{"includeThoughts":false,"thinkingBudget":128}"#),
            ("gemini-2.5-pro", Effort::Max, r#"{"includeThoughts":true,"thinkingBudget":32768}"#),
            (
                "models/gemini-2.5-flash-lite",
                Effort::Minimal,
                r#"{"includeThoughts":true,"thinkingBudget":512}"#,
            ),
            (
                "gemini-3-pro-preview",
                Effort::Medium,
                r#"{"includeThoughts":true,"thinkingLevel":"HIGH"}"#,
            ),
            (
                "gemini-3.1-pro-preview",
                Effort::Medium,
                r#"{"includeThoughts":true,"thinkingLevel":"MEDIUM"}"#,
            ),
            (
                "gemini-4-hydrogen",
                Effort::None,
                r#"{"includeThoughts":false,"thinkingLevel":"LOW"}"#,
            ),
            (
                "gemini-flash-latest",
                Effort::None,
                r#"{"includeThoughts":false,"thinkingLevel":"MINIMAL"}"#,
            ),
        ] {
            let got = thinking(model, effort).unwrap_or_default().to_string();
            assert_eq!(got, want, "{model} {effort:?}");
        }
    }
}
