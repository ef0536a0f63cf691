//! What a session's model is told of its project, and what becomes of what a person attaches. After each row the session is opened
//! again from its journal and must send the same bytes, prompt included.

use crate::support::HANG;
use crate::support::program::{Framing, Place, Program};
use crate::support::props::Props;
use crate::support::stage::Stage;
use expect_test::{Expect, expect};
use pintle_protocol::approval::PermissionMode;
use serde_json::json;
use std::process::Command;

/// Plays steps and shows what the model was told: its prompts, each once, and what it read last.
fn check(props: Props<'_>, model: &str, steps: &str, want: Expect) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let data = tempfile::tempdir().unwrap();
    let played = async {
        let mut stage = Stage::with(data.path(), model, PermissionMode::Full, props).await;
        for step in steps.split(" | ") {
            stage.act(step.trim()).await;
        }
        let mut told = stage.told();
        told.dedup();
        let is_kept = |line: &&str| {
            let begins = ["/", "notice", "---", "user ", "result ", "assistant ", "refused"];
            begins.iter().any(|begin| line.starts_with(begin))
                || line.contains("refused")
                || line.contains("Unknown tool")
        };
        let transcript = stage.transcript();
        let rest: Vec<&str> = transcript.lines().filter(is_kept).collect();
        want.assert_eq(&format!("{}\n{}\n", told.join("\n===\n"), rest.join("\n")));
        stage.check_reopening(data.path()).await;
    };
    let played = async { tokio::time::timeout(HANG, played).await };
    assert!(runtime.block_on(played).is_ok(), "the row hangs");
}

fn files<'a>(files: &'a [(&'a str, &'a str)]) -> Props<'a> {
    Props { files, ..Props::default() }
}

#[test]
fn documents_are_told_from_the_root_down_and_instructions_last() {
    let files = [
        ("/w/.git/HEAD", "ref: refs/heads/main\n"),
        ("/w/AGENTS.md", "At the top."),
        ("/w/sub/AGENTS.md", "Further down."),
        ("/w/CLAUDE.md", "For another family."),
        ("/home/user/.config/pintle/AGENTS.md", "For all."),
        ("/AGENTS.md", "Above the root."),
    ];
    let props = Props {
        files: &files,
        cwd: "/w/sub",
        instructions: Some("Speak Swedish."),
        system_prompt: Some("Only this once."),
        ..Props::default()
    };
    check(
        props,
        "say ok",
        "prompt hi | idle",
        expect![[r#"
        git repository: /w, branch main
        <project_documents>
        Instructions from the project and the user for agents. If two of them conflict, the later one applies; messages from the user in the conversation take precedence over all of them.
        <document path="/home/user/.config/pintle/AGENTS.md">
        For all.
        </document>
        <document path="/w/AGENTS.md">
        At the top.
        </document>
        <document path="/w/sub/AGENTS.md">
        Further down.
        </document>
        </project_documents>
        <user_instructions>
        Speak Swedish.
        </user_instructions>
        <user_instructions>
        Only this once.
        </user_instructions>
        --- the model read
        user "hi"
    "#]],
    );
}

#[test]
fn git_is_asked_for_what_is_changed_and_done() {
    let files =
        [("/w/.git/HEAD", "ref: refs/heads/fix\n"), ("/w/.git/config", "[core]\n\tbare = false\n")];
    let status = "git --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null status --porcelain --no-renames --ignore-submodules=all";
    let log =
        "git --no-optional-locks -c core.fsmonitor=false log -5 --format=%s --no-show-signature";
    let commands = [(status, " M a\n?? b\n?? c\n"), (log, "second\nfirst\n")];
    let props = Props { files: &files, commands: &commands, ..Props::default() };
    check(
        props,
        "say ok",
        "prompt hi | idle",
        expect![[r#"
            git repository: /w, branch fix
            <git>
            The repository state when this session began; check again before you rely on it.
            changed files: 1, untracked: 2
            last commits:
            - second
            - first
            </git>
            --- the model read
            user "hi"
        "#]],
    );
    // One that would have git start a program is only read.
    let files = [files[0], ("/w/.git/config", "[filter \"x\"]\n\tclean = ./evil\n"), ("/w/x", "x")];
    let props = Props { files: &files, commands: &commands, ..Props::default() };
    check(
        props,
        "say ok",
        "prompt hi | idle",
        expect![[r#"
        git repository: /w, branch fix
        --- the model read
        user "hi"
    "#]],
    );
}

#[test]
fn a_document_that_changes_is_told_once_and_the_prompt_stays() {
    check(
        files(&[("/w/AGENTS.md", "Use tabs.")]),
        "say one\nsay two\nsay three\nsay four",
        "prompt a | idle | change /w/AGENTS.md Use spaces. | prompt b | idle | prompt c | idle | change /w/AGENTS.md | prompt d | idle",
        expect![[r#"
            git repository: no
            <project_documents>
            Instructions from the project and the user for agents. If two of them conflict, the later one applies; messages from the user in the conversation take precedence over all of them.
            <document path="/w/AGENTS.md">
            Use tabs.
            </document>
            </project_documents>
            --- the model read
            user "a"
            assistant "one"
            user "From the engine, not from the user: the project's instructions for agents have changed. These files now read as follows.\n<document path=\"/w/AGENTS.md\">\nUse spaces.\n</document>"
            user "b"
            assistant "two"
            user "c"
            assistant "three"
            user "From the engine, not from the user: the project's instructions for agents have changed. These files now read as follows.\n/w/AGENTS.md was removed; its instructions no longer apply."
            user "d"
        "#]],
    );
}

#[test]
fn documents_below_are_told_when_a_file_there_is_touched() {
    check(
        files(&[
            ("/w/.git/HEAD", "ref: refs/heads/main\n"),
            ("/w/AGENTS.md", "Use tabs."),
            ("/w/web/AGENTS.md", "Use spaces.\n@rules.md"),
            ("/w/web/rules.md", "No semicolons."),
            ("/w/web/deep/AGENTS.md", "Deep."),
            ("/w/web/a.ts", "x\n"),
            ("/w/web/deep/b.ts", "y\n"),
        ]),
        "call read {\"path\":\"web/a.ts\"}\ncall read {\"path\":\"web/a.ts\"}\nsay one\ncall ls {\"path\":\"web/deep\"}\nsay two\nsay three",
        "prompt a | idle | prompt b | idle | change /w/web/rules.md Semicolons. | prompt c | idle",
        expect![[r#"
            git repository: /w, branch main
            <project_documents>
            Instructions from the project and the user for agents. If two of them conflict, the later one applies; messages from the user in the conversation take precedence over all of them.
            <document path="/w/AGENTS.md">
            Use tabs.
            </document>
            </project_documents>
            --- the model read
            user "a"
            assistant read {"path":"web/a.ts"}
            result of read "x"
            user "From the engine, not from the user: these instructions are for directories that you have just worked in. Each applies to the files in its directory, including changes you have already made there, and takes precedence over those in parent directories.\n<document path=\"/w/web/rules.md\">\nNo semicolons.\n</document>\n<document path=\"/w/web/AGENTS.md\">\nUse spaces.\n@rules.md\n</document>"
            assistant read {"path":"web/a.ts"}
            result of read "x"
            assistant "one"
            user "b"
            assistant ls {"path":"web/deep"}
            result of ls "AGENTS.md\nb.ts"
            user "From the engine, not from the user: these instructions are for directories that you have just worked in. Each applies to the files in its directory, including changes you have already made there, and takes precedence over those in parent directories.\n<document path=\"/w/web/deep/AGENTS.md\">\nDeep.\n</document>"
            assistant "two"
            user "From the engine, not from the user: the project's instructions for agents have changed. These files now read as follows.\n<document path=\"/w/web/rules.md\">\nSemicolons.\n</document>"
            user "c"
        "#]],
    );
}

#[test]
fn files_that_somebody_changed_are_named_once() {
    check(
        files(&[("/w/a.txt", "one\n"), ("/w/b.txt", "one\n"), ("/w/c.txt", "one\n")]),
        "call read {\"path\":\"a.txt\"} + call read {\"path\":\"b.txt\"}\ncall edit {\"path\":\"b.txt\",\"oldText\":\"one\",\"newText\":\"two\"}\nsay one\nsay two\nsay three\nsay four",
        "prompt a | idle | change /w/a.txt new | change /w/c.txt new | prompt b | idle | prompt c | idle | change /w/a.txt newer | change /w/b.txt | prompt d | idle",
        expect![[r#"
            git repository: no
            --- the model read
            user "a"
            assistant read {"path":"a.txt"} read {"path":"b.txt"}
            result of read "one"
            result of read "one"
            assistant edit {"path":"b.txt","oldText":"one","newText":"two"}
            result of edit "Successfully replaced text in b.txt."
            assistant "one"
            user "From the engine, not from the user: these files were changed by the user or another program since you last read or wrote them. Read them again before you rely on their content.\n/w/a.txt"
            user "b"
            assistant "two"
            user "c"
            assistant "three"
            user "From the engine, not from the user: these files were changed by the user or another program since you last read or wrote them. Read them again before you rely on their content.\n/w/a.txt\n/w/b.txt (removed)"
            user "d"
        "#]],
    );
}

#[test]
fn a_mention_that_leads_nowhere_is_reported() {
    check(
        files(&[("/w/app/[id]/(auth)/a.ts", "x\n"), ("/w/src/b.rs", "y\n")]),
        "say one",
        "prompt see @app/[id]/(auth)/a.ts, @src, @src/b.rs(3) and @src/c.rs or @nobody | idle",
        expect![[r#"
            git repository: no
            notice unknownMention: no such file, directory or resource: `@src/c.rs`, `@nobody`
            --- the model read
            user "see @app/[id]/(auth)/a.ts, @src, @src/b.rs(3) and @src/c.rs or @nobody <file path=\"app/[id]/(auth)/a.ts\">\nx\n</file> <file path=\"src/b.rs\">\ny\n</file>"
        "#]],
    );
}

#[test]
fn rules_are_told_always_when_touched_or_by_name() {
    check(
        files(&[
            ("/w/.pintle/rules/all.md", "---\nalwaysApply: true\n---\nBe kind."),
            ("/w/.pintle/rules/text.md", "---\nglobs: *.txt\n---\nEnd with a newline."),
            (
                "/w/.autocoderrules/db.md",
                "---\ndescription: When the schema changes\n---\nMigrate.",
            ),
            ("/w/.pintle/rules/broken.md", "---\nglobs: a[\n---\n"),
        ]),
        "read a.txt\nread b.txt\nsay ok",
        "prompt go | idle",
        expect![[r#"
            git repository: no
            <rules>
            Rules of this project.
            <rule path="/w/.pintle/rules/all.md">
            Be kind.
            </rule>
            Read one of these files before you work on its subject:
            - db (/w/.autocoderrules/db.md): When the schema changes
            </rules>
            notice projectFile: ignored /w/.pintle/rules/broken.md: the glob `a[`: unclosed character class; missing ']'
            --- the model read
            user "go"
            assistant read {"path":"a.txt"}
            result of read "one\ntwo"
            user "From the engine, not from the user: the project has rules for files that you have just touched. Follow them, also for changes you have already made.\n<rule path=\"/w/.pintle/rules/text.md\">\nEnd with a newline.\n</rule>"
            assistant read {"path":"b.txt"}
            result of read "bee"
        "#]],
    );
}

#[test]
fn skills_are_listed_and_a_broken_one_is_a_warning() {
    check(
        files(&[
            ("/w/.pintle/skills/pdf/SKILL.md", "---\ndescription: Makes PDFs\n---\nSteps."),
            (
                "/home/user/.config/pintle/skills/pdf/SKILL.md",
                "---\ndescription: The user's\n---\n",
            ),
            ("/home/user/.config/pintle/skills/own/SKILL.md", "---\ndescription: My way\n---\n"),
            ("/w/.claude/skills/broken/SKILL.md", "no head"),
        ]),
        "say ok",
        "prompt go | idle",
        expect![[r#"
            git repository: no
            <skills>
            Descriptions of how to do certain tasks. If one matches the task, read its file first; paths in it are relative to its directory.
            - pdf (/w/.pintle/skills/pdf/SKILL.md): Makes PDFs
            - own (/home/user/.config/pintle/skills/own/SKILL.md): My way
            </skills>
            notice projectFile: ignored /w/.claude/skills/broken/SKILL.md: it has no `description` in its front matter; begin the file with `---`, `description: …`, `---`
            --- the model read
            user "go"
        "#]],
    );
}

#[test]
fn a_prompt_is_called_by_name_and_the_item_keeps_what_was_typed() {
    check(
        files(&[
            (
                "/w/.pintle/prompts/fix.md",
                "---\ndescription: Fixes\nargument-hint: <file>\n---\nFix $1 with care: ${@:2}",
            ),
            ("/home/user/.config/pintle/prompts/fix.md", "The user's"),
            ("/home/user/.config/pintle/prompts/own.md", "My own: see @a.txt"),
        ]),
        "say ok\nsay ok\nsay ok",
        "commands /w | prompt /fix a.rs now please | idle | prompt /none of these | idle | prompt /own | idle",
        expect![[r#"
            git repository: no
            /fix <file>: Fixes (/w/.pintle/prompts/fix.md)
            /own : My own: see @a.txt (/home/user/.config/pintle/prompts/own.md)
            --- the model read
            user "Fix a.rs with care: now please"
            assistant "ok"
            user "/none of these"
            assistant "ok"
            user "My own: see @a.txt"
        "#]],
    );
}

#[test]
fn what_is_attached_or_mentioned_is_read() {
    check(
        files(&[]),
        "say ok",
        concat!(
            r#"send [{"type":"text","text":"see @a.txt, @none.txt and me@b.txt"},"#,
            r#"{"type":"text","text":"said @b.txt and @nobody","verbatim":true},"#,
            r#"{"type":"file","path":"a.txt","range":{"start":2,"end":2}},{"type":"file","path":"gone.txt"},"#,
            r#"{"type":"selection","path":"b.txt","range":{"start":1,"end":1},"text":"unsaved"},"#,
            r#"{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="},"#,
            r#"{"type":"diagnostics","path":"b.txt","items":[{"line":1,"severity":"error","message":"no"}]}] | idle | change /w/a.txt other"#
        ),
        expect![[r#"
            git repository: no
            notice unknownMention: no such file, directory or resource: `@none.txt`
            --- the model read
            user "see @a.txt, @none.txt and me@b.txt said @b.txt and @nobody <file path=\"a.txt\" lines=\"2\">\ntwo\n</file> <file path=\"gone.txt\">\n[File not found: gone.txt (ENOENT)]\n</file> <selection path=\"b.txt\" lines=\"1\">\nunsaved\n</selection> <image> <diagnostics path=\"b.txt\">\nline 1: error: no\n</diagnostics> <file path=\"a.txt\">\none\ntwo\n</file>"
        "#]],
    );
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    check(
        files(&[]),
        "say ok",
        r#"send [{"type":"image","mimeType":"image/png","data":"AAAA"}] | send [{"type":"file","path":"a","range":{"start":0,"end":1}}] | prompt hi | idle"#,
        expect![[r#"
            git repository: no
            > send [{"type":"image","mimeType":"image/png","data":"AAAA"}]: refused: an image block contains no image in a supported format
            > send [{"type":"file","path":"a","range":{"start":0,"end":1}}]: refused: invalid line range 0 to 1
            --- the model read
            user "hi"
        "#]],
    );
}

#[test]
fn a_named_agent_has_its_instructions_and_its_tools() {
    check(
        files(&[
            (
                "/w/.pintle/agents/critic.md",
                "---\ndescription: Reads with care\ntools: Read, Grep\nmodel: anthropic/claude-sonnet-5\n---\nBe strict.",
            ),
            ("/home/user/.config/pintle/agents/critic.md", "The user's."),
        ]),
        "call spawn_agent {\"task\":\"look at @a.txt\",\"agent\":\"critic\"}\ncall spawn_agent {\"task\":\"x\",\"agent\":\"nobody\"}\ncall wait {}\nsay ok\n@look at: bash make\n@look at: say done",
        "prompt go | idle",
        expect![[r#"
            git repository: no
            <agents>
            Sub-agents with special instructions; pass a name to the tool that starts sub-agents.
            - critic: Reads with care
            </agents>
            ===
            git repository: no
            <instructions>
            Be strict.
            </instructions>
            user "look at @a.txt"
            ===
            git repository: no
            <agents>
            Sub-agents with special instructions; pass a name to the tool that starts sub-agents.
            - critic: Reads with care
            </agents>
            --- agent 1
            completed #2 call bash failed = error "Unknown tool `bash`. Available tools: read, grep."
            --- the model read
            user "go"
            assistant spawn_agent {"task":"look at @a.txt","agent":"critic"}
            result of spawn_agent "agent-1 is working on it. `wait` returns its final message."
            assistant spawn_agent {"task":"x","agent":"nobody"}
            result of spawn_agent error "Unknown agent `nobody`. (Available agents: critic; or omit the name and describe the role in the task)"
            assistant wait {}
            result of wait "agent-1 finished with (turns used: 2):\ndone"
        "#]],
    );
}

/// Rows: the task, a command that the model runs, more options, and whether the folder's document is told.
#[test]
fn the_documents_of_a_folder_are_told_when_a_person_or_a_command_names_a_file_in_it() {
    for (name, task, command, more, is_told) in [
        ("a mention", "look at @web/a.ts", None, &[][..], true),
        ("an attached file", "look", None, &["--file", "web/a.ts"], true),
        ("a command that reads", "go", Some("cat web/a.ts"), &[], true),
        ("a command in the folder", "go", Some("cd web && sed -n 1p a.ts"), &[], true),
        ("a command that writes", "go", Some("echo x > web/new.ts"), &[], true),
        ("another folder", "look at @b.txt", Some("cat b.txt"), &[], false),
    ] {
        let files = [("AGENTS.md", "Top.\n"), ("web/AGENTS.md", "In the web.\n")];
        let place = Place::new(&[&files[..], &[("web/a.ts", "a\n"), ("b.txt", "b\n")]].concat());
        let call =
            |command| json!({"blocks": [{"tool": "bash", "arguments": {"command": command}}]});
        let done = json!({"blocks": [{"text": "done"}]});
        let replies: Vec<_> = command.map(call).into_iter().chain([done]).collect();
        let script = place.script(&json!({"replies": replies}));
        let args = ["run", task, "--script", &script, "--permission", "full", "--quiet"];
        let out = place.command(&[&args, more].concat()).output().unwrap();
        assert!(out.status.success(), "{name}: {out:?}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        let told = journal.matches("In the web.").count();
        assert_eq!(told, usize::from(is_told), "{name}: {journal}");
    }
}

/// In a real repository, by the program: the branch, what is changed, what was done, and what people wrote.
#[test]
fn the_program_tells_of_a_real_repository() {
    let place = Place::new(&[("AGENTS.md", "Be brief.\n"), ("a.txt", "one\n")]);
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"]);
        git.args(args).current_dir(place.project()).env_clear();
        git.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", place.home());
        assert!(git.output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q", "-b", "trunk"]);
    git(&["add", "a.txt"]);
    git(&["commit", "-q", "-m", "First things"]);
    std::fs::write(place.path("a.txt"), "two\n").unwrap();
    let script = place.script(&json!({"replies": [{"blocks": [{"text": "ok"}]}]}));
    let mut program = Program::start(place.engine(&["serve", "--script", &script]), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({"config": {"systemPrompt": "Only today."}}));
    program.ask("turn/start", json!({"input": [{"type": "text", "text": "see @a.txt"}]}));
    program.until_event("turn.completed");
    let folder = place.path(".pintle/prompts");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("fix.md"), "Fix $1").unwrap();
    std::fs::write(folder.join("broken.md"), "---\nx").unwrap();
    let listed = program.ask("prompt/list", json!({}));
    let path = folder.join("fix.md");
    assert_eq!(listed["prompts"], json!([{"name": "fix", "description": "Fix $1", "path": path}]));
    assert!(listed["problems"][0].as_str().unwrap().contains("broken.md: "), "{listed}");
    let id = program.seen.iter().find_map(|line| line["params"]["sessionId"].as_str()).unwrap();
    let open = json!({"sessionId": id, "config": {"systemPrompt": "another"}});
    let error = program.ask("session/open", open);
    assert!(error["message"].as_str().unwrap().contains("cannot be changed"), "{error}");
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    let line = |what: &str| -> serde_json::Value {
        let line = journal.lines().find(|line| line.contains(what)).unwrap();
        serde_json::from_str(line).unwrap()
    };
    let made = line("\"prompt.made\"");
    let system = made["private"]["system"].as_str().unwrap();
    for part in [
        ", branch trunk\n",
        "changed files: 1, untracked: 1\n",
        "last commits:\n- First things\n",
        "Be brief.",
        "Only today.",
    ] {
        assert!(system.contains(part), "{part} is not in:\n{system}");
    }
    let path = place.path("AGENTS.md");
    assert_eq!(made["event"]["sources"], json!([{"kind": "document", "path": path}]));
    let said = line("\"userMessage\"");
    assert_eq!(said["event"]["item"]["content"], json!([{"type": "text", "text": "see @a.txt"}]));
    assert_eq!(said["private"]["read"][1]["text"], "<file path=\"a.txt\">\ntwo\n</file>");
}

#[test]
fn a_rule_is_told_again_once_the_conversation_was_summed_up() {
    check(
        files(&[("/w/.pintle/rules/text.md", "---\nglobs: *.txt\n---\nEnd with a newline.")]),
        "read a.txt\nsay ok\nsay ## Goal read\nread b.txt\nread a.txt\nsay done",
        "prompt first | idle | compact | idle | prompt second | idle",
        expect![[r#"
            git repository: no
            ===

            ===
            git repository: no
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal read\n\n## Files\nRead: a.txt\n\n## The user's messages, verbatim\n> first\n"
            assistant "ok"
            user "second"
            assistant read {"path":"b.txt"}
            result of read "bee"
            user "From the engine, not from the user: the project has rules for files that you have just touched. Follow them, also for changes you have already made.\n<rule path=\"/w/.pintle/rules/text.md\">\nEnd with a newline.\n</rule>"
            assistant read {"path":"a.txt"}
            result of read "one\ntwo"
        "#]],
    );
}
