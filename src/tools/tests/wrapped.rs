//! The tools give the same results behind a prefix as on this machine.
// The helper behind a prefix is a script for `sh`.
#![cfg(unix)]

use crate::{
    ApplyPatch, Bash, Edit, Find, Folders, Grep, Ls, Profile, Read, Tool, ToolContext, Write,
};
use pintle_base::ambient::Ambient;
use pintle_exec::{Dialect, Environment, Local, Wrapped, local};
use pintle_protocol::content::Content;
use pintle_testing::files::{mode, set_mode, symlink};
use pintle_testing::{Sshd, skipped};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Returns a prefix that runs its arguments unchanged.
fn plain() -> Vec<String> {
    ["sh", "-c", "exec \"$@\"", "sh"].map(str::to_owned).to_vec()
}

async fn wrapped(prefix: Vec<String>) -> Wrapped {
    Wrapped::connect(&Ambient::system(), prefix, local::Options::default()).await.unwrap()
}

/// Returns a directory with names and bytes that are prone to break.
fn scene() -> (tempfile::TempDir, PathBuf) {
    let guard = tempfile::tempdir().unwrap();
    let folder = std::fs::canonicalize(guard.path()).unwrap();
    let every_byte: Vec<u8> = (0..=255).collect();
    let lines: Vec<_> = (1..=3000).map(|n| format!("line {n}")).collect();
    let lines = lines.join("\n") + "\n";
    let files: [(&str, &[u8]); 14] = [
        ("a.txt", b"one\ntwo\nthree\n"),
        ("with space/it's \"quoted\".txt", b"quoted needle\n"),
        ("测试/文件.txt", "第一行 needle\n".as_bytes()),
        ("-leading", b"dash needle\n"),
        ("new\nline.txt", b"needle in a strange name\n"),
        ("$HOME `x` \\.txt", b"dollars\n"),
        ("every-byte", &every_byte),
        ("empty", b""),
        ("no-newline", b"last"),
        ("long.txt", lines.as_bytes()),
        ("src/.gitignore", b"*.log\n/build/\n!keep.log\n"),
        ("src/x.log", b"needle ignored\n"),
        ("src/keep.log", b"needle kept\n"),
        ("src/build/out.txt", b"needle ignored\n"),
    ];
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    std::fs::create_dir_all(folder.join(".git/info")).unwrap();
    std::fs::write(folder.join(".git/needle"), "needle\n").unwrap();
    symlink("a.txt", folder.join("link"));
    symlink("not/yet", folder.join("dangling"));
    set_mode(folder.join("a.txt"), 0o640);
    (guard, folder)
}

fn text(content: &[Content]) -> String {
    let texts = content.iter().map(|content| match content {
        Content::Text { text } => text.as_str(),
        Content::Document { .. } => "<document>",
        Content::Image { .. } => "<image>",
    });
    texts.collect()
}

/// Calls that a model may make, in order: the same table for every environment.
fn calls() -> Vec<(&'static str, Box<dyn Tool>, Value)> {
    let pi = Profile::Pi;
    let tool = |name: &str| -> Box<dyn Tool> {
        match name {
            "read" => Box::new(Read(pi)),
            "write" => Box::new(Write(pi)),
            "edit" => Box::new(Edit(pi)),
            "bash" => Box::new(Bash(pi)),
            "grep" => Box::new(Grep(pi)),
            "find" => Box::new(Find(pi)),
            "glob" => Box::new(Find(Profile::OpenAi)),
            "grep_files" => Box::new(Grep(Profile::OpenAi)),
            "list_dir" => Box::new(Ls(Profile::OpenAi)),
            "apply_patch" => Box::new(ApplyPatch(Profile::OpenAi)),
            _ => Box::new(Ls(pi)),
        }
    };
    let rows = [
        ("read", "read", json!({"path": "a.txt"})),
        ("a given variable", "bash", json!({"command": "printf %s \"$GIVEN\""})),
        ("read a name with quotes", "read", json!({"path": "with space/it's \"quoted\".txt"})),
        ("read a Chinese name", "read", json!({"path": "测试/文件.txt"})),
        ("read a leading dash", "read", json!({"path": "-leading"})),
        ("read a name with a newline", "read", json!({"path": "new\nline.txt"})),
        ("read a name with dollars", "read", json!({"path": "$HOME `x` \\.txt"})),
        ("read binary", "read", json!({"path": "every-byte"})),
        ("read nothing", "read", json!({"path": "empty"})),
        ("read without a newline", "read", json!({"path": "no-newline"})),
        ("read a page", "read", json!({"path": "long.txt", "offset": 1500, "limit": 3})),
        ("read the beginning of much", "read", json!({"path": "long.txt"})),
        ("read beyond the end", "read", json!({"path": "a.txt", "offset": 9})),
        ("read through a link", "read", json!({"path": "link"})),
        ("read a missing file", "read", json!({"path": "gone"})),
        ("read a folder", "read", json!({"path": "src"})),
        ("read a part of a file", "read", json!({"path": "a.txt/x"})),
        ("read a path too long", "read", json!({"path": "x".repeat(5000)})),
        (
            "overwrite",
            "write",
            json!({"path": "new/deep/文 件.txt", "content": "a'b\"c$d\n\\\u{1f600}"}),
        ),
        ("read the written file", "read", json!({"path": "new/deep/文 件.txt"})),
        ("write where dots lead", "write", json!({"path": "gone/../other.txt", "content": "x"})),
        ("write into a folder", "write", json!({"path": "src", "content": "x"})),
        (
            "write through a link to nothing",
            "write",
            json!({"path": "dangling", "content": "there"}),
        ),
        ("edit", "edit", json!({"path": "a.txt", "oldText": "two", "newText": "2"})),
        (
            "edit through a link",
            "edit",
            json!({"path": "link", "oldText": "three", "newText": "3"}),
        ),
        ("edit a missing file", "edit", json!({"path": "gone", "oldText": "x", "newText": "y"})),
        (
            "edit missing text",
            "edit",
            json!({"path": "a.txt", "oldText": "nothing", "newText": "y"}),
        ),
        ("overwrite an unread file", "write", json!({"path": "src/lib.rs", "content": "x"})),
        ("overwrite a read file", "write", json!({"path": "new/deep/文 件.txt", "content": "y"})),
        (
            "a patch",
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Update File: other.txt\n*** Move to: moved.txt\n@@\n-x\n+y\n\
                *** Add File: added.txt\n+new\n*** Delete File: new/deep/文 件.txt\n*** End Patch"}),
        ),
        (
            "a patch of which a part fails",
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Add File: never.txt\n+new\n*** Delete File: gone\n*** End Patch"}),
        ),
        ("the newest first", "glob", json!({"pattern": "moved.txt"})),
        ("two levels", "list_dir", json!({"path": ".", "depth": 2})),
        (
            "only files",
            "grep_files",
            json!({"pattern": "needle", "output_mode": "files_with_matches"}),
        ),
        ("only counts", "grep_files", json!({"pattern": "needle", "output_mode": "count"})),
        ("grep a word", "grep", json!({"pattern": "needle"})),
        ("grep a class", "grep", json!({"pattern": r"^line \d0$"})),
        ("grep a glob", "grep", json!({"pattern": "needle", "glob": "*.txt"})),
        ("grep case", "grep", json!({"pattern": "NEEDLE", "ignoreCase": true, "path": "src"})),
        (
            "grep with a limit and context",
            "grep",
            json!({"pattern": "line 1", "limit": 2, "context": 1}),
        ),
        ("grep a file", "grep", json!({"pattern": "2", "path": "a.txt"})),
        ("grep nothing", "grep", json!({"pattern": "no such text"})),
        ("grep a missing path", "grep", json!({"pattern": "x", "path": "gone"})),
        ("grep a broken pattern", "grep", json!({"pattern": "(x"})),
        ("find", "find", json!({"pattern": "*.txt"})),
        ("find all", "find", json!({"pattern": "**"})),
        ("find with a limit", "find", json!({"pattern": "*", "limit": 2})),
        ("find in a file", "find", json!({"pattern": "*", "path": "a.txt"})),
        ("ls", "ls", json!({})),
        ("ls a file", "ls", json!({"path": "a.txt"})),
        ("ls a missing path", "ls", json!({"path": "gone"})),
        ("bash", "bash", json!({"command": "echo out; echo err >&2; cat a.txt; exit 3"})),
        ("bash with quotes", "bash", json!({"command": "printf '%s\\n' \"it's\" '$x' '测试'"})),
        ("bash reads no input", "bash", json!({"command": "cat; echo none"})),
        (
            "bash has a mark and no colours",
            "bash",
            json!({"command": "echo $TERM $PAGER ${PINTLE_COMMAND:+marked}"}),
        ),
        ("bash fails", "bash", json!({"command": "no-such-command 2>/dev/null"})),
        (
            "bash in the background of itself",
            "bash",
            json!({"command": "sleep 100 & echo started; kill $!"}),
        ),
        ("bash over many lines", "bash", json!({"command": "seq 5000 | tail -n 2100"})),
        (
            "bash exceeds its time limit",
            "bash",
            json!({"command": "echo a; sleep 100", "timeout": 0.5}),
        ),
    ];
    rows.into_iter().map(|(name, kind, arguments)| (name, tool(kind), arguments)).collect()
}

/// The value of a variable that is set for commands.
const GIVEN: &str = "it's $HOME\nand \"more\"";

/// Returns the call results, without the directory name.
async fn answers(env: Arc<dyn Environment>) -> Vec<(String, String)> {
    let (_guard, folder) = scene();
    let artifacts = tempfile::tempdir().unwrap();
    let ctx = ToolContext {
        artifacts: Some(artifacts.path().to_path_buf()),
        owner: "tests".to_owned(),
        variables: [("GIVEN".to_owned(), GIVEN.to_owned())].into(),
        ..ToolContext::new(env, folder.clone())
    };
    let folders = Folders { cwd: folder.clone(), home: None, shell: Dialect::Bourne };
    let mut answers = Vec::new();
    for (name, tool, arguments) in calls() {
        let result = tool.prepare(arguments, &folders).unwrap().run(&ctx).await;
        assert!(name != "a given variable" || text(&result.content) == GIVEN, "{result:?}");
        let mark = if result.is_error { "error: " } else { "" };
        let text = text(&result.content).replace(&folder.display().to_string(), "<dir>");
        if let Some((_, place)) = text.split_once(" Full output: ") {
            assert_eq!(place.starts_with('/'), ctx.env.is_this_machine(), "{name}: {place}");
        }
        let text = text.split(" Full output:").next().unwrap_or_default().to_owned();
        answers.push((name.to_owned(), format!("{mark}{text}")));
    }
    let mode = mode(folder.join("a.txt"));
    answers.push(("the mode is kept".to_owned(), format!("{mode:o}")));
    for name in ["link", "dangling"] {
        let is_link = std::fs::symlink_metadata(folder.join(name)).unwrap().is_symlink();
        answers.push((format!("{name} stays a link"), is_link.to_string()));
    }
    let content = std::fs::read_to_string(folder.join("a.txt")).unwrap();
    answers.push(("the file".to_owned(), content));
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    answers.push(("no temporary file is left".to_owned(), names.join(" ")));
    answers
}

async fn same_as_here(env: Wrapped) {
    let here = answers(Arc::new(Local::new(&Ambient::system(), local::Options::default()))).await;
    let there = answers(Arc::new(env)).await;
    for (here, there) in here.iter().zip(&there) {
        assert_eq!(there, here);
    }
    assert_eq!(here.len(), there.len());
}

#[tokio::test]
async fn behind_a_plain_prefix_the_tools_answer_as_here() {
    same_as_here(wrapped(plain()).await).await;
}

#[tokio::test]
async fn behind_other_shells_the_tools_answer_as_here() {
    for shell in ["bash", "busybox sh"] {
        let script = format!("shift; exec {shell} \"$@\"");
        let program = shell.split(' ').next().unwrap();
        let paths = std::env::var_os("PATH").unwrap();
        if !std::env::split_paths(&paths).any(|folder| folder.join(program).exists()) {
            skipped(&format!("no {program} here"));
            continue;
        }
        let prefix = ["sh", "-c", &script, "sh"].map(str::to_owned);
        same_as_here(wrapped(prefix.to_vec()).await).await;
    }
}

#[tokio::test]
async fn behind_ssh_the_tools_answer_as_here() {
    let Some(server) = Sshd::start() else { return };
    // One shared connection, as frequent ssh users configure it. The test ends with the connection, so that it persists only briefly.
    let control = format!("ControlPath={}", server.folder.path().join("control").display());
    let mut prefix = server.prefix();
    for option in ["ControlMaster=auto", "ControlPersist=3", &control] {
        prefix.splice(1..1, ["-o".to_owned(), option.to_owned()]);
    }
    same_as_here(wrapped(prefix).await).await;
}
