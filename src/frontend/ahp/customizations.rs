//! The files that a session's prompt contains or names, as clients list them: by directory, each with one kind of file. Pure.

use super::wire;
use ahp_types::state::{
    AgentCustomization, ChildCustomization, Customization, CustomizationLoadState,
    CustomizationLoadedState, CustomizationType, DirectoryCustomization, RuleCustomization,
    SkillCustomization,
};
use pintle_protocol::prompt::{PromptMade, PromptSource, PromptSourceKind};
use std::path::Path;

/// Returns the directories that a prompt's sources are in, ordered by their first files.
pub(super) fn from_prompt(made: &PromptMade) -> Vec<Customization> {
    let mut folders: Vec<DirectoryCustomization> = Vec::new();
    for source in &made.sources {
        let (contents, folder) = place(source);
        let uri = wire::file_uri(&folder.to_string_lossy());
        let known = folders.iter_mut().find(|known| known.uri == uri && known.contents == contents);
        match known {
            Some(known) => known.children.get_or_insert_default().push(child(source)),
            None => folders.push(directory(contents, folder, uri, child(source))),
        }
    }
    folders.into_iter().map(Customization::Directory).collect()
}

/// Returns a source's kind, and the directory in which files of this kind are found.
fn place(source: &PromptSource) -> (CustomizationType, &Path) {
    let path = Path::new(&source.path);
    let folder = path.parent().unwrap_or(path);
    match source.kind {
        PromptSourceKind::Document | PromptSourceKind::Rule => (CustomizationType::Rule, folder),
        PromptSourceKind::Agent => (CustomizationType::Agent, folder),
        // A skill is itself a directory.
        PromptSourceKind::Skill => (CustomizationType::Skill, folder.parent().unwrap_or(folder)),
    }
}

fn directory(
    contents: CustomizationType,
    folder: &Path,
    uri: String,
    first: ChildCustomization,
) -> DirectoryCustomization {
    DirectoryCustomization {
        id: format!("{}:{}", word(&contents), folder.display()),
        uri,
        name: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
        icons: None,
        range: None,
        meta: None,
        client_id: None,
        load: Some(CustomizationLoadState::Loaded(CustomizationLoadedState {})),
        children: Some(vec![first]),
        enabled: true,
        contents,
        // The prompt has already been assembled: files added now count from the next session on.
        writable: false,
    }
}

fn word(contents: &CustomizationType) -> &'static str {
    match contents {
        CustomizationType::Agent => "agents",
        CustomizationType::Skill => "skills",
        _ => "rules",
    }
}

fn child(source: &PromptSource) -> ChildCustomization {
    let PromptSource { kind, path } = source;
    let (id, uri) = (path.clone(), wire::file_uri(path));
    let path = Path::new(path);
    let own =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    match kind {
        PromptSourceKind::Document | PromptSourceKind::Rule => {
            let is_always = *kind == PromptSourceKind::Document;
            ChildCustomization::Rule(RuleCustomization {
                id,
                uri,
                name: own(path.file_name()),
                icons: None,
                range: None,
                meta: None,
                enabled: None,
                description: None,
                always_apply: is_always.then_some(true),
                globs: None,
            })
        }
        PromptSourceKind::Skill => ChildCustomization::Skill(SkillCustomization {
            id,
            uri,
            name: own(path.parent().and_then(Path::file_name)),
            icons: None,
            range: None,
            meta: None,
            enabled: None,
            description: None,
            disable_model_invocation: None,
            disable_user_invocation: None,
        }),
        PromptSourceKind::Agent => ChildCustomization::Agent(AgentCustomization {
            id,
            uri,
            name: own(path.file_stem()),
            icons: None,
            range: None,
            meta: None,
            enabled: None,
            description: None,
            model: None,
            tools: None,
            disable_model_invocation: None,
            disable_user_invocation: None,
        }),
    }
}
