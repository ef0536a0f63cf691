use super::*;
use crate::editor::{EditCall, Owner};
use crate::memory::Memory;
use crate::{After, GrepOutput, Rewrite, Rewrites};
use pintle_base::text::positions;
use pintle_protocol::document::{
    ApplyEditParams, ApplyEditResult, DocumentChange, DocumentChangeParams, DocumentCloseParams,
    DocumentOpenParams, DocumentSaveParams, DocumentVersion,
};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

const EDITOR: Owner = 1;
const PATH: &str = "/w/a";

/// The user's action just before the editor gets an edit.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// Replaces a text by another.
    Type(&'static str, &'static str),
    Close,
    /// The editor refuses the edit.
    Refuse,
    /// The editor confirms the edit without making it.
    Lie,
    /// The editor confirms the edit, and reports a new version with the old text.
    Skip,
    /// The editor is killed.
    Die,
}

/// A machine with two files, and an editor.
struct Desk {
    memory: Arc<Memory>,
    overlay: Overlay,
    documents: Documents,
}

impl Desk {
    /// Both files contain `one` to `six`; `a` is open with this text instead.
    fn new(text: &str, is_dirty: bool) -> Self {
        let lines = "one\ntwo\nthree\nfour\nfive\nsix\n";
        let memory = Arc::new(Memory::new([(PATH, lines), ("/w/b", lines)]));
        let editors = Editors::default();
        let inner: Arc<dyn Environment> = memory.clone();
        let overlay = Overlay::new(inner, &editors);
        let desk = Self { memory, overlay, documents: editors.documents };
        desk.open(PATH, text, is_dirty);
        desk
    }

    fn open(&self, path: &str, text: &str, is_dirty: bool) {
        let (name, text) = (path.to_owned(), text.to_owned());
        let params = DocumentOpenParams { path: name, version: 1, text, is_dirty };
        self.documents.open(EDITOR, path.into(), params).unwrap();
    }

    fn text(&self, path: &str) -> Option<String> {
        self.documents.get(Path::new(path)).map(|document| document.text.to_string())
    }

    /// An editor that accepts edits; the user acts before each one.
    fn editor(&self, acts: &'static [Act]) -> JoinSet<()> {
        let (sender, mut calls) = mpsc::channel::<EditCall>(1);
        self.documents.connect(EDITOR, sender);
        let (documents, memory) = (self.documents.clone(), Arc::clone(&self.memory));
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut acts = acts.iter();
            while let Some(call) = calls.recv().await {
                let EditCall::Make { params, reply, .. } = call else { continue };
                match acts.next() {
                    Some(Act::Type(old, new)) => {
                        let open = documents.get(Path::new(PATH)).unwrap();
                        let text = open.text.replacen(old, new, 1);
                        assert_ne!(text, *open.text, "{old} is not there");
                        set(&documents, PATH, open.version + 1, &text, true);
                    }
                    Some(Act::Close) => {
                        documents.close(EDITOR, &DocumentCloseParams { path: PATH.to_owned() });
                    }
                    Some(Act::Refuse) => {
                        let failure_reason = Some("the text is locked".to_owned());
                        let no = ApplyEditResult {
                            is_applied: false,
                            failure_reason,
                            versions: Vec::new(),
                        };
                        reply.send(Ok(no)).unwrap();
                        continue;
                    }
                    Some(act @ (Act::Lie | Act::Skip)) => {
                        let edit = &params.edits[0];
                        let (path, version) = (edit.path.clone(), edit.version + 1);
                        if matches!(act, Act::Skip) {
                            let text = documents.get(Path::new(&path)).unwrap().text;
                            set(&documents, &path, version, &text, true);
                        }
                        let versions = vec![DocumentVersion { path, version }];
                        let yes =
                            ApplyEditResult { is_applied: true, failure_reason: None, versions };
                        reply.send(Ok(yes)).unwrap();
                        continue;
                    }
                    Some(Act::Die) => {
                        documents.disconnect(EDITOR);
                        return;
                    }
                    None => {}
                }
                reply.send(Ok(apply(&documents, &memory, &params).await)).unwrap();
            }
        });
        task
    }
}

fn set(documents: &Documents, path: &str, version: i64, text: &str, is_dirty: bool) {
    let changes = vec![DocumentChange { range: None, text: text.to_owned() }];
    let params = DocumentChangeParams { path: path.to_owned(), version, changes, is_dirty };
    documents.change(EDITOR, params).unwrap();
}

/// Does what an editor does with an edit.
async fn apply(
    documents: &Documents,
    memory: &Memory,
    params: &ApplyEditParams,
) -> ApplyEditResult {
    let mut result =
        ApplyEditResult { is_applied: false, failure_reason: None, versions: Vec::new() };
    let is_current = params.edits.iter().all(|edit| {
        documents.get(Path::new(&edit.path)).is_some_and(|open| open.version == edit.version)
    });
    if !is_current {
        result.failure_reason = Some("another version".to_owned());
        return result;
    }
    for edit in &params.edits {
        let open = documents.get(Path::new(&edit.path)).unwrap();
        let mut text = open.text.to_string();
        for change in edit.changes.iter().rev() {
            text.replace_range(positions::bytes(&text, change.range), &change.text);
        }
        let (path, version) = (edit.path.clone(), open.version + 1);
        set(documents, &path, version, &text, true);
        if edit.save {
            memory.write(Path::new(&path), text.into_bytes()).await.unwrap();
            documents.save(EDITOR, &DocumentSaveParams { path: path.clone(), version }).unwrap();
        }
        result.versions.push(DocumentVersion { path, version });
    }
    result.is_applied = true;
    result
}

/// Replaces a text in the file's current content.
fn replacing(old: &'static str, new: &'static str) -> Decide {
    Box::new(move |before| {
        let text = String::from_utf8(before.ok_or("no file")?.content).unwrap();
        if !text.contains(old) {
            return Err(format!("{old} is not there"));
        }
        let content = text.replacen(old, new, 1).into_bytes().into();
        Ok(Rewrite { content, change: None })
    })
}

const UNREPORTED: &str = "The editor confirmed the change of /w/a but did not report it, so its text is unchanged as far as known. Read the file again before you decide.";

#[tokio::test]
async fn an_edit_and_what_is_typed_meanwhile_are_both_there_or_the_edit_is_not_made() {
    let disk = "one\ntwo\nthree\nfour\nfive\nsix\n";
    let typed = "one\ntwo\nthree\nfour\nfive\nsix typed\n";
    for (name, is_dirty, acts, want, on_screen, on_disk) in [
        (
            "a document that is saved is changed and saved again",
            false,
            &[][..],
            "done",
            "one\nTWO\nthree\nfour\nfive\nsix\n",
            "one\nTWO\nthree\nfour\nfive\nsix\n",
        ),
        (
            "one with unsaved text is changed, and not saved",
            true,
            &[],
            "done",
            "one\nTWO\nthree\nfour\nfive\nsix typed\n",
            disk,
        ),
        (
            "typing elsewhere just then: both",
            true,
            &[Act::Type("five", "five!"), Act::Type("five!", "five!!")],
            "done",
            "one\nTWO\nthree\nfour\nfive!!\nsix typed\n",
            disk,
        ),
        (
            "typing elsewhere in a saved document just then: both, and not saved",
            false,
            &[Act::Type("five", "five!")],
            "done",
            "one\nTWO\nthree\nfour\nfive!\nsix\n",
            disk,
        ),
        (
            "typing in the same line",
            true,
            &[Act::Type("two", "two and a half")],
            "/w/a is being edited by the user: the same lines (2) have changed in the editor. Nothing was changed. \
             Read the file again before you decide.",
            "one\ntwo and a half\nthree\nfour\nfive\nsix typed\n",
            disk,
        ),
        (
            "closed just then",
            true,
            &[Act::Close],
            "/w/a was closed in the editor in the meantime. Read the file and try again.",
            "closed",
            disk,
        ),
        (
            "the editor rejects it",
            true,
            &[Act::Refuse],
            "The editor did not make the change: the text is locked",
            typed,
            disk,
        ),
        ("the editor confirms and does nothing", true, &[Act::Lie], UNREPORTED, typed, disk),
        (
            "the editor confirms and reports the same text",
            true,
            &[Act::Skip],
            UNREPORTED,
            typed,
            disk,
        ),
        (
            "the editor dies",
            true,
            &[Act::Die],
            "The editor did not make the change: the editor disconnected",
            "closed",
            disk,
        ),
    ] {
        let desk = Desk::new(if is_dirty { typed } else { disk }, is_dirty);
        let _editor = desk.editor(acts);
        let cancel = CancellationToken::new();
        let done = desk.overlay.update(Path::new(PATH), replacing("two", "TWO"), &cancel).await;
        let told = match &done {
            Ok(_) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(told, want, "{name}");
        assert_eq!(desk.text(PATH).as_deref().unwrap_or("closed"), on_screen, "{name}");
        assert_eq!(desk.memory.text(PATH).as_deref(), Some(on_disk), "{name}");
        if let (Ok(updated), true) = (done, desk.text(PATH).is_some()) {
            let window = crate::Window { first_line: 1, max_lines: 9, max_bytes: 999 };
            let read = desk.overlay.read_lines(Path::new(PATH), window).await.unwrap();
            assert_eq!(read.version, updated.after, "{name}: who made it knows it");
        }
    }
}

#[tokio::test]
async fn where_no_editor_takes_edits_saved_files_are_written_and_unsaved_text_is_not() {
    let disk = "one\ntwo\nthree\nfour\nfive\nsix\n";
    let refused = "/w/a has unsaved changes in an editor that accepts no edits. Ask the user to save or discard them first.";
    for (name, is_dirty, want, on_disk) in [
        ("saved", false, None, "one\nTWO\nthree\nfour\nfive\nsix\n"),
        ("unsaved", true, Some(refused), disk),
    ] {
        let desk = Desk::new(disk, is_dirty);
        let cancel = CancellationToken::new();
        let done = desk.overlay.update(Path::new(PATH), replacing("two", "TWO"), &cancel).await;
        assert_eq!(done.err().map(|e| e.to_string()).as_deref(), want, "{name}");
        assert_eq!(desk.memory.text(PATH).as_deref(), Some(on_disk), "{name}");
    }
}

#[tokio::test]
async fn a_file_that_an_editor_shows_in_another_form_is_changed_on_the_disk() {
    // The editor has not reloaded another program's changes, or shows an encoding other than UTF-8.
    let desk = Desk::new("something else\n", false);
    let _editor = desk.editor(&[]);
    let cancel = CancellationToken::new();
    desk.overlay.update(Path::new(PATH), replacing("two", "TWO"), &cancel).await.unwrap();
    assert_eq!(desk.text(PATH).as_deref(), Some("something else\n"));
    assert!(desk.memory.text(PATH).unwrap().contains("TWO"));
}

#[tokio::test]
async fn of_several_files_all_are_changed_or_none() {
    let typed = "one\ntwo\nthree\nfour\nfive\nsix typed\n";
    for (name, acts, want) in [
        ("both", &[][..], None),
        ("typing elsewhere", &[Act::Type("five", "five!")], None),
        ("typing in the same line", &[Act::Type("two", "2")], Some("is being edited")),
        ("the editor rejects it", &[Act::Refuse], Some("did not make the change")),
    ] {
        let desk = Desk::new(typed, true);
        let _editor = desk.editor(acts);
        let paths = [PathBuf::from("/w/b"), PathBuf::from(PATH), PathBuf::from("/w/new")];
        let decide: DecideAll = Box::new(|before| {
            let change = |(n, before): (usize, Option<crate::Before>)| match before {
                None => After::Write(b"new\n".to_vec().into()),
                Some(before) => {
                    let text = String::from_utf8(before.content).unwrap();
                    assert_eq!(n == 1, text.contains("typed"), "each in its place");
                    After::Write(text.replacen("two", "TWO", 1).into_bytes().into())
                }
            };
            let after = before.into_iter().enumerate().map(change).collect();
            Ok(Rewrites { after, changes: Vec::new() })
        });
        let done = desk.overlay.update_all(&paths, decide, &CancellationToken::new()).await;
        let is_changed = |text: Option<String>| text.is_some_and(|text| text.contains("TWO"));
        let changed = [
            is_changed(desk.memory.text("/w/b")),
            is_changed(desk.text(PATH)),
            desk.memory.text("/w/new").is_some(),
        ];
        match want {
            None => {
                assert_eq!(changed, [true; 3], "{name}");
                let UpdatedAll { before, after, .. } = done.unwrap();
                let there = |all: &[Option<Version>]| -> Vec<bool> {
                    all.iter().map(Option::is_some).collect()
                };
                assert_eq!(there(&before), [true, true, false], "{name}");
                assert_eq!(there(&after), [true; 3], "{name}");
            }
            Some(want) => {
                let error = done.unwrap_err().to_string();
                assert!(error.contains(want), "{name}: {error}");
                assert_eq!(changed, [false; 3], "{name}");
            }
        }
    }
}

#[tokio::test]
async fn unsaved_text_is_what_is_read_and_searched_and_never_removed() {
    let desk = Desk::new("one\nneedle\n", true);
    let (env, path) = (&desk.overlay, Path::new(PATH));
    assert_eq!(env.read(path).await.unwrap(), b"one\nneedle\n");
    assert_eq!(env.stat(path).await.unwrap().size, 11);
    assert_eq!(env.unsaved(Path::new("/w")), [path]);
    assert!(env.unsaved(Path::new("/elsewhere")).is_empty());
    for (name, pattern, want) in
        [("in the text", "needle", &["a"][..]), ("in the file only", "six", &["b"])]
    {
        let grep = Grep {
            root: "/w".into(),
            named: None,
            left_out: crate::LeftOut::default(),
            pattern: pattern.to_owned(),
            glob: None,
            ignore_case: false,
            is_literal: false,
            before: 0,
            after: 0,
            output: GrepOutput::Files,
            max_matches: 9,
            max_line_chars: 99,
            unsaved: Arc::default(),
        };
        let found = env.grep(grep, &CancellationToken::new()).await.unwrap();
        let files: Vec<_> = found.files.iter().map(|file| file.path.to_str().unwrap()).collect();
        assert_eq!(files, want, "{name}");
    }
    let told =
        "/w/a has unsaved changes in the editor. Ask the user to save or discard them first.";
    let removed = env.remove(path).await.unwrap_err().to_string();
    let moved = env.rename(path, Path::new("/w/c")).await.unwrap_err().to_string();
    let replaced = env.rename(Path::new("/w/b"), path).await.unwrap_err().to_string();
    assert_eq!([removed.as_str(), &moved, &replaced], [told; 3]);
    assert!(desk.memory.text(PATH).is_some());
    // A file that is saved is only a file.
    set(&desk.documents, PATH, 2, "screen", false);
    assert!(env.read(path).await.unwrap().ends_with(b"six\n"));
    env.remove(path).await.unwrap();
}

#[tokio::test]
async fn text_of_an_edit_is_told_apart_from_typed_text() {
    let desk = Desk::new("one\ntwo\n", true);
    let _editor = desk.editor(&[Act::Type("one", "one!")]);
    let (env, path, cancel) = (&desk.overlay, Path::new(PATH), CancellationToken::new());
    env.update(path, replacing("two", "TWO\n2"), &cancel).await.unwrap();
    set(&desk.documents, PATH, 9, "all new", true);
    let keep: Keep = Arc::new(|content: &[u8]| StoredContent {
        sha256: String::from_utf8(content.to_vec()).unwrap(),
        is_lost: false,
    });
    let made = env.transitions(path, Arc::clone(&keep)).await.unwrap();
    let made: Vec<_> = made.iter().map(|t| [t.before.sha256.as_str(), &t.after.sha256]).collect();
    assert_eq!(made, [["one!\ntwo\n", "one!\nTWO\n2\n"]]);
    assert!(env.transitions(path, Arc::clone(&keep)).await.unwrap().is_empty(), "told once");
    let now = env.remember(path, keep, 99).await.unwrap().unwrap();
    assert_eq!(now.sha256, "all new");
}

#[test]
fn nothing_that_the_machine_can_do_is_left_out() {
    let names = |text: &'static str| {
        let lines = text.lines().map(str::trim_start);
        let named = lines.filter_map(|line| {
            line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn "))?.split('(').next()
        });
        named.collect::<std::collections::BTreeSet<_>>()
    };
    let (_, methods) = include_str!("../../lib.rs").split_once("pub trait Environment").unwrap();
    let (methods, _) = methods.split_once("\n}\n").unwrap();
    let (_, here) = include_str!("mod.rs").split_once("impl Environment for Overlay").unwrap();
    let missing: Vec<_> = names(methods).difference(&names(here)).copied().collect();
    assert!(missing.is_empty(), "the overlay does not hand on {missing:?}");
}
