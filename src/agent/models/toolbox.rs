//! The tools that a session's model sees, by profile.
//!
//! The profile is configured by the user, or else chosen by the model's family. It decides names and schemas only; the tools behave the
//! same in each.

use super::source::Models;
use globset::GlobSet;
use pintle_llm::{ModelRef, catalog};
use pintle_tools::{PROFILES, Profile, Tool, WebSearch};
use std::sync::Arc;

/// The tools of all sessions.
#[derive(Debug, Clone)]
pub enum Toolbox {
    /// The same tools for every model.
    Fixed(Arc<[Arc<dyn Tool>]>),
    /// The tools from a profile.
    Profiles {
        /// The profile for every model; `None` selects each model's default.
        profile: Option<Profile>,
        /// Enables the tool that fetches from the web.
        web_fetch: bool,
        /// Enables web search by providers that have one.
        web_search: bool,
        /// The facts about models.
        models: Models,
    },
    /// A selection from another toolbox.
    Chosen {
        /// The other toolbox.
        of: Box<Toolbox>,
        /// Globs of the tools to include; all when `None`.
        only: Option<GlobSet>,
        /// The tools to exclude.
        without: GlobSet,
    },
    /// Another toolbox, and more tools.
    Also {
        /// The other toolbox.
        of: Box<Toolbox>,
        /// Additional tools.
        tools: Arc<[Arc<dyn Tool>]>,
    },
}

/// The additional tool groups of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extras {
    /// Includes the tools that interact with the user; a sub-agent has none.
    pub person: bool,
    /// The tools that start sub-agents.
    pub agents: bool,
}

impl From<Vec<Arc<dyn Tool>>> for Toolbox {
    fn from(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self::Fixed(tools.into())
    }
}

impl Toolbox {
    /// Returns the tools that this model sees.
    pub fn tools(&self, model: &ModelRef, extras: Extras) -> Arc<[Arc<dyn Tool>]> {
        match self {
            Self::Fixed(tools) => {
                let is_chosen = |tool: &&Arc<dyn Tool>| {
                    tool.does().is_none_or(|does| {
                        (extras.agents || !does.is_agents()) && (extras.person || !does.is_person())
                    })
                };
                tools.iter().filter(is_chosen).cloned().collect()
            }
            Self::Profiles { web_fetch, web_search, models, .. } => {
                let profile = self.profile(model);
                let mut tools = profile.tools();
                if *web_fetch {
                    tools.push(profile.fetch());
                }
                if *web_search && models.searches_web(model) {
                    tools.push(Arc::new(WebSearch));
                }
                if extras.person {
                    tools.extend(profile.person());
                }
                if extras.agents {
                    tools.extend(profile.agents());
                }
                tools.into()
            }
            Self::Chosen { of, only, without } => {
                let is_chosen = |name: &str| {
                    only.as_ref().is_none_or(|only| only.is_match(name)) && !without.is_match(name)
                };
                let all = of.tools(model, extras);
                all.iter().filter(|tool| is_chosen(tool.name())).cloned().collect()
            }
            Self::Also { of, tools } => {
                of.tools(model, extras).iter().chain(tools.iter()).cloned().collect()
            }
        }
    }

    /// Returns the tools that selections leave out of what [`Self::tools`] would return.
    pub fn withheld(&self, model: &ModelRef, extras: Extras) -> Vec<Arc<dyn Tool>> {
        match self {
            Self::Fixed(_) | Self::Profiles { .. } => Vec::new(),
            Self::Also { of, .. } => of.withheld(model, extras),
            Self::Chosen { of, .. } => {
                let chosen = self.tools(model, extras);
                let is_left_out =
                    |tool: &&Arc<dyn Tool>| !chosen.iter().any(|it| it.name() == tool.name());
                let all = of.tools(model, extras);
                let left_out = all.iter().filter(is_left_out).cloned();
                left_out.chain(of.withheld(model, extras)).collect()
            }
        }
    }

    /// Returns the profile of this model.
    pub fn profile(&self, model: &ModelRef) -> Profile {
        match self {
            Self::Profiles { profile: Some(profile), .. } => *profile,
            Self::Profiles { profile: None, models, .. } => {
                let known = models.model(model).and_then(|known| known.profile);
                profile_of(known.as_deref(), &model.id)
            }
            Self::Fixed(_) => profile_of(None, &model.id),
            Self::Chosen { of, .. } | Self::Also { of, .. } => of.profile(model),
        }
    }
}

/// Returns a model's profile: the configured one, else its family's.
fn profile_of(said: Option<&str>, id: &str) -> Profile {
    let name = profile_name(said, id);
    let found = PROFILES.iter().find(|(known, _)| name == *known);
    found.map_or(Profile::Pi, |(_, profile)| *profile)
}

/// Returns its name.
pub(super) fn profile_name<'a>(said: Option<&'a str>, id: &str) -> &'a str {
    said.or_else(|| catalog::profile(id)).unwrap_or("pi")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::ModelSource;
    use pintle_llm::catalog::Model;
    use pintle_llm::{Error, ErrorKind, Provider};

    /// Returns a model source in which one model has another profile than its family.
    fn models() -> Models {
        struct Known;
        impl ModelSource for Known {
            fn provider(&self, _: &ModelRef) -> Result<Arc<dyn Provider>, Error> {
                Err(Error::new(ErrorKind::Replay, "no model answers here"))
            }

            fn model(&self, model: &ModelRef) -> Option<Model> {
                let mut row = catalog::model("openai", "gpt-5.4").cloned()?;
                row.profile = (model.provider == "own").then(|| "gemini".to_owned());
                Some(row)
            }

            fn searches_web(&self, model: &ModelRef) -> bool {
                model.provider == "able"
            }
        }
        Models::new(Known)
    }

    #[test]
    fn the_setting_wins_over_the_model() {
        const EVERY: Extras = Extras { person: true, agents: true };
        let by = |profile, is_on| Toolbox::Profiles {
            profile,
            web_fetch: is_on,
            web_search: is_on,
            models: models(),
        };
        let (by_model, with_web) = (by(None, false), by(None, true));
        let set = by(Some(Profile::Gemini), false);
        let fixed = Toolbox::from(Profile::Pi.tools());
        let globs = |names: &str| {
            let names: Vec<String> =
                names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            crate::globs_of(&names).unwrap()
        };
        let chosen = |only: Option<&str>, without: &str| Toolbox::Chosen {
            of: Box::new(Toolbox::from(Profile::Pi.tools())),
            only: only.map(globs),
            without: globs(without),
        };
        for (name, toolbox, model, tool, is_there) in [
            ("openai changes by patches", &by_model, "openai/gpt-5.4", "apply_patch", true),
            (
                "so it does behind a gateway",
                &by_model,
                "openrouter/openai/gpt-5.4",
                "apply_patch",
                true,
            ),
            ("anthropic edits", &by_model, "anthropic/claude-sonnet-5", "Edit", true),
            ("google reads many", &by_model, "google/gemini-3-pro", "read_many_files", true),
            ("any other has short names", &by_model, "x/unheard-of", "edit", true),
            ("glm knows Anthropic's", &by_model, "x/glm-5.3", "Edit", true),
            ("what is said of a model", &by_model, "own/gpt-5.4", "read_many_files", true),
            ("the web is off", &by_model, "openai/gpt-5.4", "web_fetch", false),
            ("and on", &with_web, "openai/gpt-5.4", "web_fetch", true),
            ("a provider may search", &by_model, "able/gpt-5.4", "web_search", false),
            ("and it is wanted", &with_web, "able/gpt-5.4", "web_search", true),
            ("a provider that cannot search", &with_web, "x/gpt-5.4", "web_search", false),
            ("a setting holds for every model", &set, "openai/gpt-5.4", "read_many_files", true),
            ("and for every other", &set, "x/y", "apply_patch", false),
            ("tools that are given stay", &fixed, "openai/gpt-5.4", "apply_patch", false),
            ("only some", &chosen(Some("gr*,ls"), ""), "x/y", "grep", true),
            ("and no other", &chosen(Some("gr*,ls"), ""), "x/y", "bash", false),
            ("all but some", &chosen(None, "bash"), "x/y", "bash", false),
            ("and those stay", &chosen(None, "bash"), "x/y", "grep", true),
            ("none at all", &chosen(Some(""), ""), "x/y", "grep", false),
        ] {
            let tools = toolbox.tools(&model.parse().unwrap(), EVERY);
            assert_eq!(tools.iter().any(|known| known.name() == tool), is_there, "{name}");
        }
    }

    #[test]
    fn a_settings_file_may_name_every_profile() {
        for (name, profile) in PROFILES {
            assert_eq!(profile_of(Some(name), "x"), profile);
        }
        let names = PROFILES.map(|(name, _)| name);
        assert_eq!(crate::config::PROFILE_NAMES, names);
    }
}
