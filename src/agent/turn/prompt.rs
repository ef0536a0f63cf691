//! Builds the system prompt in a session's first turn, and later reports changes in its source files.
//!
//! Invariant: each change is reported once, as a message.

use crate::host::{TurnHost, uncancelled};
use crate::project::{self, Personal, ProjectFiles};
use crate::turn::context::{TurnContext, TurnState};
use crate::turn::meter::specs;
use crate::turn::system_prompt::{BriefingUpdate, KnownDocument, PromptInputs, SystemPromptState};
use futures_util::future::join_all;
use pintle_base::text::visible::visible_line;
use pintle_exec::{Error, Stat};
use pintle_llm::ToolSpec;
use pintle_os::names;
use pintle_protocol::event::{
    Event, Notice, NoticeLevel, PromptMade, PromptSource, PromptSourceKind,
};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{EngineMessage, ItemBody, ItemStatus};
use pintle_protocol::trust::ProjectFile;
use pintle_session::context::conversation::{engine_message, from_engine};
use pintle_session::context::documents::{self, Document};
use pintle_session::context::prompt::{self, EnvironmentFacts, Layers};
use pintle_session::context::repository::Snapshot;
use pintle_session::context::rules::{self, PathRule, When};
use pintle_session::context::{agents, skills};
use pintle_tools::Builtin;
use pintle_tools::trust::Answers;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The private part of `prompt.made`: the prompt's state, and its parts.
#[derive(Serialize)]
struct Kept<'a> {
    #[serde(flatten)]
    prompt_state: &'a SystemPromptState,
    /// The prompt's sections: each name, with its length in bytes.
    sections: Vec<(&'static str, usize)>,
    /// The tools that the model sees along with the prompt.
    tools: Vec<Value>,
}

/// Builds the prompt if the model has none yet, else reports changes.
pub(crate) async fn begin<H: TurnHost>(host: &mut H, ctx: &mut TurnContext, state: &mut TurnState) {
    state.prompt_state.looked_for.clear();
    // A stopped turn leaves its prompt to be built when the next one starts.
    let cwd = ctx.workspace.folders.cwd.clone();
    let moved_from = state.prompt_state.believed_folder(&cwd).map(Path::to_owned);
    let is_made =
        state.prompt_state.origin == ctx.llm.current().model.origin() && moved_from.is_none();
    if is_made && !has_agreement_changed(host, ctx, state).await {
        tell_additional(host, ctx, state);
        tell_rights(host, ctx, state).await;
        let read = changed_documents(ctx, &state.prompt_state);
        if let Some(Some(changes)) = host.wait(uncancelled(&ctx.cancel, read)).await {
            tell_changed_documents(host, ctx, state, changes);
        }
    } else {
        let made = Box::pin(make(ctx, &state.prompt_state));
        if let Some(made) = host.wait(uncancelled(&ctx.cancel, made)).await {
            record_prompt(host, ctx, state, made);
            if let Some(from) = moved_from {
                let text = from_engine(format_args!(
                    "the project has moved from {} to {}, which is now the working directory. Earlier messages contain old paths.",
                    names::shown(&from),
                    names::shown(&cwd)
                ));
                tell(host, ctx, state, text, BriefingUpdate::default());
            }
        }
    }
    ctx.system = Arc::from(state.prompt_state.system());
}

/// A new prompt, which is not in the journal yet.
struct Made {
    prompt_state: SystemPromptState,
    event: PromptMade,
    /// The prompt's sections: each name, with its length in bytes.
    sections: Vec<(&'static str, usize)>,
    /// Files of the project that make no sense.
    problems: Vec<String>,
    /// Project files that are ignored because the project is not trusted.
    withheld: Vec<PathBuf>,
    /// Files of a trusted project that are ignored because their content has not been approved.
    not_agreed: Vec<ProjectFile>,
}

/// Builds the prompt from the project's current files.
async fn make(ctx: &TurnContext, before: &SystemPromptState) -> Made {
    let PromptInputs { personal, profile, cutoff, is_subagent, role, system_prompt, is_attended } =
        &ctx.prompt;
    let cwd = ctx.workspace.folders.cwd.as_path();
    let place = ProjectFiles::load(ctx.workspace.env.as_ref(), personal, cwd).await;
    let paths = document_paths(personal, &place.root, cwd, profile);
    let git = git_snapshot(ctx, &place);
    let withheld = place.withheld(&paths).await;
    let (agreement, not_agreed) = (place.agreed(), place.not_agreed().await);
    let (documents, rules, skills, agents, git, os) = tokio::join!(
        place.documents(paths),
        place.rules(),
        place.skills(),
        place.agents(),
        git,
        project::read(ctx.workspace.env.as_ref(), Path::new("/etc/os-release")),
    );
    let known = join_all(documents.iter().map(|document| known_now(&place, document))).await;
    let rights = ctx.permissions.rights(ctx.workspace.env.as_ref(), *is_attended).await;
    let tool = |purpose: &str| {
        let does = Builtin::named(purpose)?;
        let found = ctx.tools.list.iter().find(|tool| tool.does() == Some(does));
        found.map(|tool| tool.name().to_owned())
    };
    let platform = ctx.workspace.env.platform();
    let origin = ctx.llm.current().model.origin();
    let os_version = os.ok().and_then(|text| prompt::os_version(&text));
    let root = names::shown(&place.root);
    let surroundings = EnvironmentFacts {
        cwd: &names::shown(cwd),
        additional: &ctx.workspace.additional,
        os: &platform.os,
        os_version: os_version.as_deref(),
        shell: &names::shown(&platform.shell),
        model: &origin,
        cutoff: cutoff.as_deref(),
        profile,
        tool: &tool,
        rights,
        is_subagent: *is_subagent,
        repository: place.is_repository.then_some(&root),
        branch: git.branch.as_deref(),
        now_ms: ctx.ambient.now_ms(),
    };
    let instructions = [&personal.instructions, system_prompt];
    let all_rules: Vec<_> = rules.all.iter().map(|(rule, ..)| rule.clone()).collect();
    let all_skills: Vec<_> = skills.all.iter().map(|(skill, ..)| skill.clone()).collect();
    let all_agents: Vec<_> = agents.all.iter().map(|(agent, ..)| agent.clone()).collect();
    let layers = Layers {
        base: personal.base_prompt.clone(),
        git: git.layer(),
        documents: documents::layer(&documents),
        rules: rules::layer(&all_rules),
        skills: skills::layer(&all_skills),
        agents: agents::layer(&all_agents),
        role: role.as_ref().map(|role| role.instructions.clone()),
        instructions: instructions.into_iter().flatten().cloned().collect(),
    };
    let sections = prompt::sections(&surroundings, &layers);
    let system = prompt::system(&sections);
    let in_prompt = rules.all.iter().filter(|(rule, ..)| !matches!(rule.when, When::Touched(_)));
    let has_agents = ctx.tools.list.iter().any(|tool| tool.does().is_some_and(Builtin::is_agents));
    let listed = agents.all.iter().filter(|_| has_agents);
    let sources = sources(PromptSourceKind::Document, documents.iter().map(|one| &one.path))
        .chain(sources(PromptSourceKind::Rule, in_prompt.map(|(_, path, _)| path)))
        .chain(sources(PromptSourceKind::Skill, skills.all.iter().map(|(_, path, _)| path)))
        .chain(sources(PromptSourceKind::Agent, listed.map(|(_, path, _)| path)))
        .collect();
    let waiting = all_rules.into_iter().filter_map(|rule| match rule.when {
        When::Touched(globs) => Some(PathRule { path: rule.path, globs }),
        When::Always | When::OnRequest => None,
    });
    let prompt_state = SystemPromptState {
        origin,
        system,
        root: place.root.clone(),
        cwd: Some(cwd.to_owned()),
        additional: ctx.workspace.additional.to_vec(),
        agreement: Some(agreement),
        rights: Some(rights.describe()),
        documents: known.into_iter().chain(documents_below(before, &documents)).collect(),
        waiting: waiting.collect(),
        told: before.told.clone(),
        looked_for: BTreeSet::new(),
    };
    Made {
        prompt_state,
        event: PromptMade { sources },
        sections: sections.iter().map(|section| (section.name, section.text.len())).collect(),
        problems: [rules.problems, skills.problems, agents.problems].concat(),
        withheld,
        not_agreed,
    }
}

/// Returns the repository's state, or an empty snapshot outside a repository.
async fn git_snapshot(ctx: &TurnContext, place: &ProjectFiles<'_>) -> Snapshot {
    if !place.is_repository {
        return Snapshot::default();
    }
    let env = ctx.workspace.env.as_ref();
    let confinement = ctx.permissions.confinement_for_reading((&ctx.workspace).into()).await;
    let owner = ctx.session_id.to_string();
    let asking = project::Asking { confinement, owner: &owner, cancel: &ctx.cancel };
    project::repository(env, &place.root, place.is_trusted, asking).await
}

/// Returns the nested documents that the conversation contains and the new prompt does not.
fn documents_below(
    before: &SystemPromptState,
    in_prompt: &[Document],
) -> impl Iterator<Item = KnownDocument> {
    let is_in_prompt = |path: &Path| in_prompt.iter().any(|document| document.path == path);
    let below = before.documents.iter().filter(|known| known.is_below);
    below.filter(move |known| !is_in_prompt(&known.path)).cloned()
}

fn record_prompt<H: TurnHost>(host: &mut H, ctx: &TurnContext, state: &mut TurnState, made: Made) {
    let Made { prompt_state, event, sections, problems, withheld, not_agreed } = made;
    *state.prompt_state = prompt_state;
    let tools = specs(&ctx.tools.list, &ctx.tools.settings).iter().map(declaration).collect();
    let private = to_raw_value(&Kept { prompt_state: &state.prompt_state, sections, tools }).ok();
    host.record_with(Event::PromptMade(event), private);
    for problem in problems {
        host.record(Event::Notice(Notice {
            level: NoticeLevel::Warning,
            code: "projectFile".to_owned(),
            message: problem,
            hint: None,
        }));
    }
    if !withheld.is_empty() {
        let root = state.prompt_state.root.clone();
        host.record(Event::Notice(untrusted(&root, &withheld, &ctx.prompt.personal.answers)));
    }
    tell_unused(host, state, not_agreed);
}

/// Returns true if the user has agreed to more or fewer project files since the prompt was made, which outdates it. If not, records a notice about ignored files that are news.
async fn has_agreement_changed<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
) -> bool {
    let (env, cwd) = (ctx.workspace.env.as_ref(), ctx.workspace.folders.cwd.as_path());
    let SystemPromptState { root, agreement: known, .. } = &*state.prompt_state;
    let read = async {
        let place = ProjectFiles::at(env, &ctx.prompt.personal, cwd, root.clone(), true).await;
        let has_changed = known.as_ref().is_some_and(|known| *known != place.agreed());
        (has_changed, place.not_agreed().await)
    };
    let Some((has_changed, unused)) = host.wait(uncancelled(&ctx.cancel, read)).await else {
        return false;
    };
    if !has_changed {
        tell_unused(host, state, unused);
    }
    has_changed
}

/// Records a notice about the ignored project files, unless an earlier notice named them all.
fn tell_unused<H: TurnHost>(host: &mut H, state: &mut TurnState, unused: Vec<ProjectFile>) {
    if unused.iter().any(|file| !state.told_unused.contains(file)) {
        let root = &state.prompt_state.root;
        let paths: Vec<PathBuf> = unused.iter().map(|file| root.join(&file.path)).collect();
        host.record(Event::Notice(changed(root, &paths)));
    }
    state.told_unused = unused;
}

/// Reports a trusted project's files that are ignored until the user agrees to them again.
fn changed(root: &Path, files: &[PathBuf]) -> Notice {
    let root_shown = names::shown(root);
    let root_shown = visible_line(&root_shown);
    Notice {
        level: NoticeLevel::Warning,
        code: "notAgreed".to_owned(),
        message: format!(
            "these files in {root_shown} were added, changed or removed without your approval, and are ignored: {}",
            names(root, files)
        ),
        hint: Some(format!(
            "review them, then run `pintle trust {root_shown}`; the next turn uses them"
        )),
    }
}

/// Returns the paths below the root, for the user.
fn names(root: &Path, files: &[PathBuf]) -> String {
    let names = files.iter().map(|path| path.strip_prefix(root).unwrap_or(path));
    let names: Vec<String> =
        names.map(|path| visible_line(&names::shown(path)).into_owned()).collect();
    names.join(", ")
}

/// Reports the project files that are ignored until the user trusts the project.
fn untrusted(root: &Path, withheld: &[PathBuf], answers: &Answers) -> Notice {
    let names = names(root, withheld);
    let root = names::shown(root);
    let root = visible_line(&root);
    Notice {
        level: NoticeLevel::Warning,
        code: "untrusted".to_owned(),
        message: format!("{root} is not trusted, so these files are ignored: {names}"),
        hint: (!answers.is_closed()).then(|| {
            format!("review them, then run `pintle trust {root}`; the next turn uses them")
        }),
    }
}

fn declaration(tool: &ToolSpec) -> Value {
    let ToolSpec { name, description, parameters, .. } = tool;
    json!({ "name": name, "description": description, "parameters": parameters })
}

fn sources<'a>(
    kind: PromptSourceKind,
    paths: impl Iterator<Item = &'a PathBuf>,
) -> impl Iterator<Item = PromptSource> {
    paths.map(move |path| PromptSource { kind, path: path.to_string_lossy().into_owned() })
}

/// Returns a document as currently reported.
async fn known_now(place: &ProjectFiles<'_>, document: &Document) -> KnownDocument {
    let stat = place.env_of(&document.path).0.stat(&document.path).await;
    let (size, modified_ms) = stat.map(|stat| (stat.size, stat.modified_ms)).unwrap_or_default();
    let (path, sum) = (document.path.clone(), sum(&document.text));
    KnownDocument { path, size, modified_ms, sum, is_below: false }
}

/// A document's state since it was last reported to the model.
enum Change {
    Same(KnownDocument),
    /// New, or changed.
    Says(KnownDocument, Document),
    Gone(PathBuf),
}

/// Returns the possible document paths.
fn document_paths(personal: &Personal, root: &Path, cwd: &Path, profile: &str) -> Vec<PathBuf> {
    if personal.sources.no_documents {
        return Vec::new();
    }
    let own = personal.folder.as_ref().map(|(_, folder)| folder.as_path());
    documents::paths(own, root, cwd, profile)
}

/// Reports the additional directories, if they have changed.
fn tell_additional<H: TurnHost>(host: &mut H, ctx: &TurnContext, state: &mut TurnState) {
    if *ctx.workspace.additional == *state.prompt_state.additional {
        return;
    }
    let listed: Vec<String> =
        ctx.workspace.additional.iter().map(|folder| names::shown(folder).into_owned()).collect();
    let text = if listed.is_empty() {
        from_engine("the workspace is now only the working directory.")
    } else {
        from_engine(format_args!(
            "besides the working directory, the workspace now includes these directories.\n{}",
            listed.join("\n")
        ))
    };
    let additional = Some(ctx.workspace.additional.to_vec());
    tell(host, ctx, state, text, BriefingUpdate { additional, ..BriefingUpdate::default() });
}

/// Reports the session's rights, if they have changed.
async fn tell_rights<H: TurnHost>(host: &mut H, ctx: &TurnContext, state: &mut TurnState) {
    let rights = ctx.permissions.rights(ctx.workspace.env.as_ref(), ctx.prompt.is_attended);
    let rights = host.wait(rights).await.describe();
    match &state.prompt_state.rights {
        Some(known) if *known == rights => {}
        // The prompt is from a version that did not report rights.
        None => {}
        Some(_) => {
            let text = from_engine(format_args!("your permissions have changed.\n{rights}"));
            let update = BriefingUpdate { rights: Some(rights), ..BriefingUpdate::default() };
            tell(host, ctx, state, text, update);
        }
    }
}

/// Checks the documents for changes; `None` if there are none.
async fn changed_documents(
    ctx: &TurnContext,
    prompt_state: &SystemPromptState,
) -> Option<Vec<Change>> {
    let PromptInputs { personal, profile, .. } = &ctx.prompt;
    let (cwd, root) = (ctx.workspace.folders.cwd.as_path(), prompt_state.root.clone());
    let mut paths = document_paths(personal, &root, cwd, profile);
    let known = &prompt_state.documents;
    // Those that documents import, and those below.
    let others = known.iter().map(|known| &known.path).filter(|path| !paths.contains(path));
    let others: Vec<PathBuf> = others.cloned().collect();
    paths.extend(others);
    let stats = project::stat_all(ctx.workspace.env.as_ref(), personal, &paths).await;
    let stats: Vec<_> = paths.iter().zip(stats).collect();
    let is_same = |(path, stat): &(&PathBuf, Result<Stat, Error>)| {
        let known = known.iter().find(|known| known.path == **path);
        match (known, stat) {
            (Some(known), Ok(stat)) => {
                (known.size, known.modified_ms) == (stat.size, stat.modified_ms)
            }
            (None, Ok(_)) | (Some(_), Err(Error::NotFound(_))) => false,
            // What cannot be looked at now has not changed as far as anyone knows.
            (_, Err(_)) => true,
        }
    };
    if stats.iter().all(is_same) {
        return None;
    }
    let place = ProjectFiles::at(ctx.workspace.env.as_ref(), personal, cwd, root, true).await;
    let mut changes = Vec::new();
    for (path, stat) in &stats {
        let known = known.iter().find(|known| known.path == **path);
        changes.extend(change(&place, path, stat, known).await);
    }
    let mut seen: BTreeSet<PathBuf> = paths.iter().cloned().collect();
    let mut imported = Vec::new();
    for change in &changes {
        if let Change::Says(importing, document) = change {
            for document in place.imports(document, &mut seen).await {
                let is_below = importing.is_below;
                let known = KnownDocument { is_below, ..known_now(&place, &document).await };
                imported.push(Change::Says(known, document));
            }
        }
    }
    changes.extend(imported);
    Some(changes)
}

/// Reports the changed documents.
fn tell_changed_documents<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    changes: Vec<Change>,
) {
    let mut documents = Vec::new();
    let mut parts = Vec::new();
    for change in changes {
        match change {
            Change::Same(known) => documents.push(known),
            Change::Says(known, document) => {
                parts.push(documents::part(&document, documents::MAX_BYTES));
                documents.push(known);
            }
            Change::Gone(path) => {
                parts.push(format!(
                    "{} was removed; its instructions no longer apply.",
                    names::shown(&path)
                ));
            }
        }
    }
    if parts.is_empty() {
        state.prompt_state.documents = documents;
        return;
    }
    let text = from_engine(format_args!(
        "the project's instructions for agents have changed. These files now read as follows.\n{}",
        parts.join("\n")
    ));
    tell(
        host,
        ctx,
        state,
        text,
        BriefingUpdate { documents: Some(documents), ..BriefingUpdate::default() },
    );
}

async fn change(
    place: &ProjectFiles<'_>,
    path: &Path,
    stat: &Result<Stat, Error>,
    before: Option<&KnownDocument>,
) -> Option<Change> {
    match (stat, before) {
        (Ok(stat), before) => match place.text(path).await {
            Some(text) => {
                let (size, modified_ms, sum) = (stat.size, stat.modified_ms, sum(&text));
                let is_below = before.is_some_and(|before| before.is_below);
                let now = KnownDocument { path: path.to_owned(), size, modified_ms, sum, is_below };
                Some(match before {
                    Some(before) if before.sum == sum => Change::Same(now),
                    Some(_) | None => Change::Says(now, Document { path: path.to_owned(), text }),
                })
            }
            None => before.cloned().map(Change::Same),
        },
        (Err(Error::NotFound(_)), Some(before)) => Some(Change::Gone(before.path.clone())),
        (Err(_), before) => before.cloned().map(Change::Same),
    }
}

/// Sends the rules for paths that calls have just touched, each once per conversation.
pub(crate) async fn tell_rules<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    touched: &[PathBuf],
) {
    let root = &state.prompt_state.root;
    let relative: Vec<&Path> =
        touched.iter().filter_map(|path| path.strip_prefix(root).ok()).collect();
    let told = &state.prompt_state.told;
    let is_due = |rule: &&PathRule| {
        !told.contains(&rule.path) && relative.iter().any(|path| rule.is_about(path))
    };
    let due: Vec<PathBuf> =
        state.prompt_state.waiting.iter().filter(is_due).map(|rule| rule.path.clone()).collect();
    if due.is_empty() {
        return;
    }
    let read = async {
        let (env, cwd) = (ctx.workspace.env.as_ref(), ctx.workspace.folders.cwd.as_path());
        let place = ProjectFiles::at(env, &ctx.prompt.personal, cwd, root.clone(), true).await;
        let mut said = Vec::new();
        for path in &due {
            if let Some(text) = place.text(path).await {
                said.push((path.clone(), text));
            }
        }
        said
    };
    let said = host.wait(read).await;
    let told = BriefingUpdate { rules: due, ..BriefingUpdate::default() };
    if said.is_empty() {
        state.prompt_state.apply(told);
        return;
    }
    tell(host, ctx, state, rules::message(&said), told);
}

/// Sends the documents of directories below the root in which calls have just touched files, each once per conversation.
pub(crate) async fn tell_documents_below<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    touched: &[PathBuf],
) {
    let PromptInputs { personal, profile, .. } = &ctx.prompt;
    if personal.sources.no_documents {
        return;
    }
    let cwd = ctx.workspace.folders.cwd.as_path();
    let SystemPromptState { root, documents: known, looked_for, .. } = state.prompt_state.as_mut();
    let below = |path: &PathBuf| documents::paths_below(root, cwd, path, profile);
    let mut paths: Vec<PathBuf> = touched.iter().flat_map(below).collect();
    paths.retain(|path| {
        looked_for.insert(path.clone()) && known.iter().all(|known| known.path != *path)
    });
    if paths.is_empty() {
        return;
    }
    let (root, known) = (root.clone(), known.clone());
    let read = async {
        let env = ctx.workspace.env.as_ref();
        let place = ProjectFiles::at(env, personal, cwd, root, true).await;
        let documents = place.documents(paths).await.into_iter();
        let mut new = Vec::new();
        for document in documents {
            let now = KnownDocument { is_below: true, ..known_now(&place, &document).await };
            if known.iter().all(|known| known.path != now.path) {
                new.push((document, now));
            }
        }
        new
    };
    let Some(new) = host.wait(uncancelled(&ctx.cancel, read)).await else { return };
    let is_told = |now: &KnownDocument| known.iter().any(|known| known.sum == now.sum);
    let is_said = |document: &Document| !document.text.trim().is_empty();
    let mut said: Vec<Document> = Vec::new();
    for (document, now) in &new {
        let is_repeated = said.iter().any(|other| other.text.trim() == document.text.trim());
        if is_said(document) && !is_told(now) && !is_repeated {
            said.push(document.clone());
        }
    }
    let documents = known.iter().cloned().chain(new.into_iter().map(|(_, now)| now)).collect();
    let told = BriefingUpdate { documents: Some(documents), ..BriefingUpdate::default() };
    if said.is_empty() {
        state.prompt_state.apply(told);
    } else {
        tell(host, ctx, state, documents::message(&said), told);
    }
}

/// Sends the model a message, and stores its updated knowledge.
fn tell<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    text: String,
    told: BriefingUpdate,
) {
    let message = EngineMessage { text, ..EngineMessage::default() };
    state.conversation.push(engine_message(&message));
    let private: Option<Box<RawValue>> = to_raw_value(&told).ok();
    state.prompt_state.apply(told);
    let id = ItemId::new(ctx.ambient.new_id());
    let mut item = ctx.item(id, None, ItemStatus::Completed, ItemBody::EngineMessage(message));
    item.end(ItemStatus::Completed, ctx.ambient.now_ms());
    host.record_with(Event::ItemCompleted { item }, private);
}

/// FNV-1a: the same in every version of the program, since the journal keeps it.
fn sum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
