//! A tool whose description and schema state the limits of the settings instead of its profile's own.
//!
//! The limits themselves hold where results are cut; a description that promises others would mislead the model.

use super::{Folders, Prepared, Settings, Tool};
use crate::text::truncate::Guard;
use pintle_protocol::item::ToolKind;
use serde_json::Value;
use std::sync::Arc;

/// The limits in lines that descriptions state.
const LINES: [&str; 2] = ["2,000 lines", "256 lines"];

/// The limits in bytes that descriptions state.
const BYTES: [&str; 4] = ["50 KB", "50,000 bytes", "30,000 bytes", "20,000 bytes"];

/// A tool with another description and schema.
#[derive(Debug)]
struct Adapted {
    tool: Arc<dyn Tool>,
    description: String,
    parameters: Value,
}

/// Returns the tool with a description and a schema that are true under these settings.
pub(super) fn adapted(
    tool: Arc<dyn Tool>,
    parameters: Value,
    settings: &Settings,
) -> Arc<dyn Tool> {
    let description = described(tool.description(), settings);
    if description == tool.description() && parameters == tool.parameters() {
        return tool;
    }
    Arc::new(Adapted { tool, description, parameters })
}

fn described(text: &str, settings: &Settings) -> String {
    let mut text = text.to_owned();
    let mut replace = |stated: &[&str], limit: Option<usize>, unit: &str| {
        let Some(limit) = limit else { return };
        for stated in stated {
            text = text.replace(stated, &format!("{} {unit}", grouped(limit)));
        }
    };
    replace(&LINES, settings.max_output_lines, "lines");
    replace(&BYTES, settings.max_output_bytes, "bytes");
    text
}

/// Returns a number with commas between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Tool for Adapted {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        self.parameters.clone()
    }

    fn kind(&self) -> ToolKind {
        self.tool.kind()
    }

    fn guard(&self) -> Guard {
        self.tool.guard()
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        self.tool.prepare(arguments, folders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{PROFILES, Profile};
    use std::time::Duration;

    #[test]
    fn no_description_states_a_limit_that_the_settings_have_changed() {
        let settings = Settings {
            max_output_lines: Some(1234),
            max_output_bytes: Some(45_678),
            default_command_timeout: Some(Duration::from_secs(77)),
            max_command_timeout: Duration::from_secs(888),
            ..Settings::default()
        };
        for (name, profile) in PROFILES {
            for tool in profile.tools_with(&settings) {
                let told = format!("{} {}", tool.description(), tool.parameters());
                for stated in LINES.iter().chain(&BYTES).chain(&["600", "120000", "10000"]) {
                    assert!(!told.contains(stated), "{name} {}: {stated} in {told}", tool.name());
                }
            }
        }
        let tool = |profile: Profile, name: &str| {
            let tools = profile.tools_with(&settings);
            let tool = tools.into_iter().find(|tool| tool.name() == name).unwrap();
            format!("{} {}", tool.description(), tool.parameters())
        };
        for (profile, name, want) in [
            (Profile::Pi, "bash", "the last 1,234 lines or 45,678 bytes"),
            (Profile::Pi, "bash", "Seconds after which it is stopped, at most 888; 77 by default"),
            (Profile::OpenAi, "shell", "at most 888000; 77000 by default"),
            (Profile::Gemini, "read_many_files", "share 45,678 bytes"),
        ] {
            assert!(tool(profile, name).contains(want), "{want} in {}", tool(profile, name));
        }
        for (_, profile) in PROFILES {
            let usual: Vec<_> = profile.tools().iter().map(|tool| tool.parameters()).collect();
            let same = profile.tools_with(&Settings::default());
            assert_eq!(same.iter().map(|tool| tool.parameters()).collect::<Vec<_>>(), usual);
        }
    }
}
