//! Calls as the models of each family make them, with their usual slips: what each becomes.

use crate::schema::Builtin;
use crate::tests::{Scene, text};
use crate::{Folders, PROFILES, Profile, Tool};
use expect_test::expect;
use pintle_exec::Dialect;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

/// A family's calls, one after the other in the same directory: the tool's name and its arguments.
type Calls = Vec<(&'static str, Value)>;

/// Plays calls of a profile; the title and the result of each, and the files in the end.
async fn played(profile: Profile, calls: Calls) -> String {
    let scene = Scene::with(&[
        ("src/a.rs", b"fn one() {}\nfn two() {}\nfn one_more() {}\n"),
        ("notes.txt", b"first\nsecond\nthird\n"),
    ]);
    let tools = profile.all();
    let mut played = String::new();
    for (name, arguments) in calls {
        let tool: &Arc<dyn Tool> = tools
            .iter()
            .find(|tool| tool.name() == name)
            .unwrap_or_else(|| panic!("{profile:?} has no {name}"));
        let cwd = pintle_os::names::shown(&scene.ctx.cwd).into_owned();
        let arguments: Value =
            serde_json::from_str(&arguments.to_string().replace("CWD", &cwd)).unwrap();
        if let Err(why) = tool.check(&arguments) {
            writeln!(played, "{name}: unknown: {why}").unwrap();
            continue;
        }
        match tool.prepare(arguments, &scene.folders()) {
            Err(why) => writeln!(played, "{name}: {why}").unwrap(),
            Ok(call) => {
                let title = call.title();
                let shown = text(&call.run(&scene.ctx).await).replace('\n', " | ");
                let told = format!("{title} => {shown}").replace(&cwd, "CWD");
                writeln!(played, "{}", told.trim_end()).unwrap();
            }
        }
    }
    for file in ["src/a.rs", "notes.txt", "new.txt"] {
        if let Ok(content) = scene.ctx.env.read(&scene.path(file)).await {
            let content = String::from_utf8_lossy(&content).replace('\n', " | ");
            writeln!(played, "{file}: {}", content.trim_end()).unwrap();
        }
    }
    played
}

/// Claude's shapes, which GLM's models know too.
fn claude() -> Calls {
    vec![
        ("Read", json!({"file_path": "CWD/src/a.rs", "offset": 2, "limit": 1})),
        ("Read", json!({"path": "notes.txt", "limit": "1"})),
        ("Grep", json!({"pattern": "fn one", "output_mode": "content", "-n": true, "-i": true})),
        ("Grep", json!({"pattern": "ONE", "-i": true})),
        ("Grep", json!({"pattern": "fn two", "output_mode": "content", "-A": 1, "type": "rust"})),
        ("Grep", json!({"pattern": "two.*more", "multiline": true, "output_mode": "count"})),
        ("Grep", json!({"pattern": "x", "type": "klingon"})),
        ("Grep", json!({"pattern": "fn two", "output_mode": "content", "-B": 1})),
        ("Grep", json!({"pattern": "fn two", "output_mode": "content", "context": 1})),
        ("Grep", json!({"pattern": "fn two", "-o": true})),
        ("Edit", json!({"file_path": "made/", "old_string": "", "new_string": "x"})),
        ("Agent", json!({"description": "d", "prompt": "p", "isolation": "worktree"})),
        ("Glob", json!({"pattern": "**/*.rs"})),
        ("Edit", json!({"file_path": "src/a.rs", "old_string": "two", "new_string": "zwei"})),
        ("Edit", json!({"file_path": "src/a.rs", "old_string": "fn one", "new_string": "fn eins"})),
        (
            "Edit",
            json!({"file_path": "src/a.rs", "old_string": "one", "new_string": "uno", "replace_all": "true"}),
        ),
        ("Edit", json!({"file_path": "new.txt", "old_string": "", "new_string": "made\n"})),
        ("Edit", json!({"file_path": "notes.txt", "old_string": "first"})),
        ("Write", json!({"file_path": "notes.txt", "content": "all new\n"})),
        ("Bash", json!({"command": "cat new.txt", "description": "Show it", "timeout": 5000})),
        ("Bash", json!({"command": ["bash", "-lc", "echo a && false"]})),
        ("Bash", json!({"command": "true", "timeout_seconds": 1})),
        ("TaskOutput", json!({"task_id": "job-1", "block": false})),
        (
            "TodoWrite",
            json!({"todos": [{"content": "a", "status": "in_progress", "activeForm": "doing a"}]}),
        ),
        (
            "AskUserQuestion",
            json!({"questions": [{"question": "Which?", "header": "H", "options": [{"label": "A", "description": "b"}], "multiSelect": false}]}),
        ),
        ("ExitPlanMode", json!({"plan": "Do it."})),
        ("Agent", json!({"description": "d", "prompt": "p", "subagent_type": "general-purpose"})),
        ("WebFetch", json!({"url": "ftp://x", "prompt": "p"})),
    ]
}

#[tokio::test]
async fn claude_and_glm_call_their_own_tools() {
    let want = expect![[r#"
        Read: CWD/src/a.rs =>      2	fn two() {} |  | [1 more lines in file. Use offset=3 to continue.]
        Read: notes.txt =>      1	first |  | [2 more lines in file. Use offset=2 to continue.]
        Grep: fn one in . => src/a.rs:1: fn one() {} | src/a.rs:3: fn one_more() {}
        Grep: ONE in . => src/a.rs
        Grep: fn two in . => src/a.rs:2: fn two() {} | src/a.rs-3- fn one_more() {}
        Grep: two.*more in . => src/a.rs:2
        Grep: `type` is "klingon", which is not a known file type: use a glob such as *.klingon
        Grep: fn two in . => src/a.rs-1- fn one() {} | src/a.rs:2: fn two() {}
        Grep: fn two in . => src/a.rs-1- fn one() {} | src/a.rs:2: fn two() {} | src/a.rs-3- fn one_more() {}
        Grep: unknown: `-o` can only be false here: omit it
        Edit: made/ => error: `file_path` must be a file, but made/ is a directory. Directories are created along with the files written into them.
        Agent: unknown: unknown argument `isolation`; expected one of `description`, `prompt`, `subagent_type`, `model`
        Glob: **/*.rs in . => src/a.rs
        Edit: src/a.rs => Successfully replaced text in src/a.rs.
        Edit: src/a.rs => error: Found 2 occurrences of the text in src/a.rs. The text must be unique. Please provide more context to make it unique. (lines 1, 3)
        Edit: src/a.rs => Successfully replaced 2 occurrences in src/a.rs.
        Edit: new.txt => Created new.txt.
        Edit: `new_string` is missing: it must be a string
        Write: notes.txt => Successfully wrote 8 bytes to notes.txt
        Bash: cat new.txt (Show it) => made |
        Bash: echo a && false => error: a |  | Command exited with code 1
        Bash: unknown: unknown argument `timeout_seconds`; expected one of `command`, `timeout`, `description`, `run_in_background`, `tty`
        TaskOutput: job-1 => error: Background jobs are not available here. Run the command in the foreground.
        TodoWrite: 0 of 1 done, a => error: No user is available to answer: decide yourself, and state your decision.
        AskUserQuestion: Which? => error: No user is available to answer: decide yourself, and state your decision.
        ExitPlanMode: Do it. => error: No user is available to answer: decide yourself, and state your decision.
        Agent: p => error: Sub-agents are not available here. Do the work yourself.
        WebFetch: `url` must start with https:// or http://, not ftp:
        src/a.rs: fn uno() {} | fn zwei() {} | fn uno_more() {} |
        notes.txt: all new |
        new.txt: made |
    "#]];
    let told = played(Profile::Anthropic, claude()).await;
    want.assert_eq(&told);
    assert_eq!(played(Profile::Glm, claude()).await, told);
}

#[tokio::test]
async fn gpt_calls_its_own_tools() {
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-fn two() {}\n+fn zwei() {}\n*** Add File: new.txt\n+made\n*** End Patch";
    let calls = vec![
        ("exec_command", json!({"cmd": "head -1 a.rs", "workdir": "src", "yield_time_ms": 9000})),
        ("exec_command", json!({"command": ["bash", "-lc", "exit 3"], "workdir": "CWD"})),
        ("exec_command", json!({"cmd": "echo hi", "timeout_ms": 1000, "justification": "x"})),
        ("exec_command", json!({"cmd": ["echo", "a b", "c"]})),
        ("exec_command", json!({"cmd": "echo up; sleep 60", "yield_time_ms": 1})),
        ("write_stdin", json!({"session_id": 1, "chars": ""})),
        ("apply_patch", json!({"input": patch})),
        (
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Update File: src/a.rs\n-three\n+3\n*** End Patch"}),
        ),
        (
            "exec_command",
            json!({"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: new.txt\n*** End Patch\nEOF"}),
        ),
        (
            "exec_command",
            json!({"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.rs\n-fn one() {}\n+fn eins() {}\n*** End Patch\nEOF", "workdir": "src"}),
        ),
        ("read_file", json!({"file_path": "CWD/src/a.rs", "limit": 1})),
        ("view_image", json!({"path": "notes.txt", "detail": "high"})),
        ("view_image", json!({"path": "none.png"})),
        ("grep_files", json!({"pattern": "one", "include": "*.rs"})),
        ("grep_files", json!({"pattern": "zwei", "output_mode": "content"})),
        ("list_dir", json!({"dir_path": "CWD", "depth": 2})),
        (
            "update_plan",
            json!({"explanation": "why", "plan": [{"step": "a", "status": "completed"}]}),
        ),
        ("update_plan", json!({"plan": [{"step": "a", "status": "later"}]})),
        (
            "request_user_input",
            json!({"questions": [{"id": "q", "header": "H", "question": "Which?", "options": [{"label": "A", "description": "b"}]}]}),
        ),
        ("spawn_agent", json!({"message": "do", "agent_type": "worker", "fork_context": false})),
        ("send_input", json!({"target": "agent-1", "message": "more", "interrupt": true})),
        ("wait_agent", json!({"targets": ["agent-1"], "timeout_ms": 10000})),
        ("close_agent", json!({"target": "agent-1"})),
    ];
    expect![[r"
        exec_command: cd src && head -1 a.rs => Process exited with code 0 | Original token count: 3 | Output: | fn one() {} |
        exec_command: exit 3 => error: Process exited with code 3 | Original token count: 0 | Output: | (no output)
        exec_command: echo hi => Process exited with code 0 | Original token count: 1 | Output: | hi |
        exec_command: echo 'a b' c => Process exited with code 0 | Original token count: 2 | Output: | a b c |
        exec_command: echo up; sleep 60 => error: Background jobs are not available here. Run the command in the foreground. The command was stopped.
        write_stdin: 1 => error: No command has the session ID 1. It may have ended with an earlier session.
        apply_patch: 2 files => Applied the patch: | M src/a.rs | A new.txt
        apply_patch: src/a.rs => error: Cannot apply hunk 1 to src/a.rs: these lines were not found: | three | Nothing was changed.
        apply_patch: new.txt => Applied the patch: | D new.txt
        apply_patch: a.rs => Applied the patch: | M a.rs
        read_file: CWD/src/a.rs => L1: fn eins() {} |  | [2 more lines in file. Use offset=2 to continue.]
        view_image: notes.txt => L1: first | L2: second | L3: third
        view_image: none.png => error: File not found: none.png (ENOENT)
        grep_files: one in . => src/a.rs
        grep_files: zwei in . => src/a.rs:2: fn zwei() {}
        list_dir: CWD => notes.txt | src/ | src/a.rs
        update_plan: 1 of 1 done => error: No user is available to answer: decide yourself, and state your decision.
        update_plan: `plan[0].status` is `later`: it must be pending, in_progress or completed
        request_user_input: Which? => error: No user is available to answer: decide yourself, and state your decision.
        spawn_agent: do => error: Sub-agents are not available here. Do the work yourself.
        send_input: agent-1: more => error: Sub-agents are not available here. Do the work yourself.
        wait_agent: agent-1 => error: Sub-agents are not available here. Do the work yourself.
        close_agent: agent-1 => error: Sub-agents are not available here. Do the work yourself.
        src/a.rs: fn eins() {} | fn zwei() {} | fn one_more() {} |
        notes.txt: first | second | third |
    "]].assert_eq(&played(Profile::OpenAi, calls).await);
}

#[tokio::test]
async fn gemini_calls_its_own_tools() {
    let calls = vec![
        ("read_file", json!({"file_path": "src/a.rs", "start_line": 2, "end_line": 2})),
        ("read_file", json!({"absolute_path": "CWD/notes.txt"})),
        ("read_file", json!({"file_path": "src/a.rs", "start_line": 3, "end_line": 2})),
        ("read_many_files", json!({"include": ["*.txt"], "exclude": ["new*"], "recursive": true})),
        ("grep_search", json!({"pattern": "FN TWO", "include_pattern": "*.rs"})),
        ("grep_search", json!({"pattern": "FN TWO", "case_sensitive": true})),
        ("grep_search", json!({"pattern": "x", "no_ignore": true})),
        ("grep_search", json!({"pattern": "one()", "fixed_strings": true, "names_only": true})),
        ("glob", json!({"pattern": "*.rs", "dir_path": "src", "case_sensitive": false})),
        ("list_directory", json!({"dir_path": "CWD", "ignore": ["*.txt"]})),
        (
            "replace",
            json!({"file_path": "src/a.rs", "instruction": "rename", "old_string": "two", "new_string": "zwei"}),
        ),
        (
            "replace",
            json!({"file_path": "src/a.rs", "old_string": "one", "new_string": "uno", "expected_replacements": 2, "allow_multiple": true}),
        ),
        (
            "replace",
            json!({"file_path": "new.txt", "instruction": "make", "old_string": "", "new_string": "made\n"}),
        ),
        (
            "replace",
            json!({"file_path": "notes.txt", "instruction": "x", "old_string": "", "new_string": "y"}),
        ),
        ("write_file", json!({"file_path": "notes.txt", "content": "all new\n"})),
        ("run_shell_command", json!({"command": "ls", "description": "List", "dir_path": "src"})),
        (
            "write_todos",
            json!({"todos": [{"description": "a", "status": "cancelled"}, {"description": "b", "status": "blocked"}]}),
        ),
        ("ask_user", json!({"questions": [{"question": "Go?", "header": "H", "type": "yesno"}]})),
        ("exit_plan_mode", json!({"plan": "Do it."})),
        ("invoke_agent", json!({"agent_name": "generalist", "prompt": "p"})),
        ("web_fetch", json!({"prompt": "What is at ftp://x?"})),
    ];
    expect![[r"
        read_file: src/a.rs => fn two() {} |  | [1 more lines in file. Use start_line=3 to continue.]
        read_file: CWD/notes.txt => first | second | third
        read_file: `end_line` is 2, before the first line 3
        read_many_files: *.txt => ==> notes.txt <== | first | second | third |  |
        grep_search: FN TWO in . => src/a.rs:2: fn two() {}
        grep_search: FN TWO in . => No matches found
        grep_search: unknown: `no_ignore` can only be false here: omit it
        grep_search: one() in . => src/a.rs
        glob: unknown: `case_sensitive` can only be true here: omit it
        list_directory: CWD => src/
        replace: src/a.rs => Successfully replaced text in src/a.rs.
        replace: src/a.rs => Successfully replaced 2 occurrences in src/a.rs.
        replace: new.txt => Created new.txt.
        replace: notes.txt => error: The old text must not be empty. Use write_file to create a file or to replace its whole content.
        write_file: notes.txt => Successfully wrote 8 bytes to notes.txt
        run_shell_command: cd src && ls (List) => a.rs |
        write_todos: 0 of 1 done => error: No user is available to answer: decide yourself, and state your decision.
        ask_user: Go? => error: No user is available to answer: decide yourself, and state your decision.
        exit_plan_mode: Do it. => error: No user is available to answer: decide yourself, and state your decision.
        invoke_agent: p => error: Sub-agents are not available here. Do the work yourself.
        web_fetch: `prompt` must contain a URL that starts with https:// or http://
        src/a.rs: fn uno() {} | fn zwei() {} | fn uno_more() {} |
        notes.txt: all new |
        new.txt: made |
    "]].assert_eq(&played(Profile::Gemini, calls).await);
}

#[tokio::test]
async fn qwen_calls_its_own_tools() {
    let calls = vec![
        ("read_file", json!({"file_path": "CWD/src/a.rs", "offset": 1, "limit": 1})),
        ("read_file", json!({"absolute_path": "CWD/src/a.rs", "offset": null, "pages": null})),
        ("grep_search", json!({"pattern": "fn two", "glob": "*.rs", "limit": 5})),
        ("glob", json!({"pattern": "*.rs"})),
        ("list_directory", json!({"path": "CWD"})),
        ("edit", json!({"file_path": "CWD/src/a.rs", "old_string": "two", "new_string": "zwei"})),
        ("edit", json!({"file_path": "new.txt", "old_string": "", "new_string": "made\n"})),
        ("write_file", json!({"file_path": "CWD/notes.txt", "content": "x\n"})),
        (
            "run_shell_command",
            json!({"command": "ls", "is_background": false, "directory": "CWD/src", "timeout": 1000}),
        ),
        ("todo_write", json!({"todos": [{"id": "1", "content": "a", "status": "pending"}]})),
        (
            "ask_user_question",
            json!({"questions": [{"question": "Which?", "header": "H", "options": [{"label": "A", "description": "b"}]}]}),
        ),
        ("exit_plan_mode", json!({"plan": "Do it."})),
        ("agent", json!({"description": "d", "prompt": "p", "subagent_type": "x"})),
    ];
    expect![[r"
        read_file: CWD/src/a.rs => fn two() {} |  | [1 more lines in file. Use offset=2 to continue.]
        read_file: CWD/src/a.rs => fn one() {} | fn two() {} | fn one_more() {}
        grep_search: fn two in . => src/a.rs:2: fn two() {}
        glob: *.rs in . => src/a.rs
        list_directory: CWD => notes.txt | src/
        edit: CWD/src/a.rs => Successfully replaced text in CWD/src/a.rs.
        edit: new.txt => Created new.txt.
        write_file: CWD/notes.txt => error: CWD/notes.txt exists and has not been read in this session. Read it first.
        run_shell_command: cd CWD/src && ls => a.rs |
        todo_write: 0 of 1 done => error: No user is available to answer: decide yourself, and state your decision.
        ask_user_question: Which? => error: No user is available to answer: decide yourself, and state your decision.
        exit_plan_mode: Do it. => error: No user is available to answer: decide yourself, and state your decision.
        agent: p => error: Sub-agents are not available here. Do the work yourself.
        src/a.rs: fn one() {} | fn zwei() {} | fn one_more() {} |
        notes.txt: first | second | third |
        new.txt: made |
    "]].assert_eq(&played(Profile::Qwen, calls).await);
}

#[tokio::test]
async fn kimi_calls_its_own_tools() {
    let calls = vec![
        ("Read", json!({"path": "src/a.rs", "line_offset": 2, "n_lines": 1})),
        ("Grep", json!({"pattern": "one", "output_mode": "count_matches", "path": "src"})),
        ("Grep", json!({"pattern": "two", "-C": 1, "output_mode": "content"})),
        ("Glob", json!({"pattern": "*.rs", "head_limit": 0})),
        ("Edit", json!({"path": "src/a.rs", "old_string": "two", "new_string": "zwei"})),
        ("Write", json!({"path": "notes.txt", "content": "fourth\n", "mode": "append"})),
        ("Write", json!({"path": "notes.txt", "content": "x", "mode": "prepend"})),
        ("Bash", json!({"command": "ls", "cwd": "src", "timeout": 5})),
        ("TodoList", json!({"todos": [{"title": "a", "status": "done"}]})),
        (
            "AskUserQuestion",
            json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]}),
        ),
        ("ExitPlanMode", json!({"plan": "Do it."})),
        ("Agent", json!({"prompt": "p", "description": "d", "subagent_type": "coder"})),
        ("TaskStop", json!({"task_id": "job-1"})),
    ];
    expect![[r#"
        Read: src/a.rs =>      2	fn two() {} |  | [1 more lines in file. Use line_offset=3 to continue.]
        Grep: one in src => a.rs:2
        Grep: two in . => src/a.rs-1- fn one() {} | src/a.rs:2: fn two() {} | src/a.rs-3- fn one_more() {}
        Glob: *.rs in . => src/a.rs
        Edit: src/a.rs => Successfully replaced text in src/a.rs.
        Write: notes.txt => Successfully wrote 7 bytes to notes.txt
        Write: `mode` must be overwrite or append, not "prepend"
        Bash: cd src && ls => a.rs |
        TodoList: 1 of 1 done => error: No user is available to answer: decide yourself, and state your decision.
        AskUserQuestion: Which? => error: No user is available to answer: decide yourself, and state your decision.
        ExitPlanMode: Do it. => error: No user is available to answer: decide yourself, and state your decision.
        Agent: p => error: Sub-agents are not available here. Do the work yourself.
        TaskStop: job-1 => error: Background jobs are not available here. Run the command in the foreground.
        src/a.rs: fn one() {} | fn zwei() {} | fn one_more() {} |
        notes.txt: first | second | third | fourth |
    "#]].assert_eq(&played(Profile::Kimi, calls).await);
}

#[tokio::test]
async fn deepseek_calls_its_own_tools() {
    let calls = vec![
        ("read", json!({"file_path": "src/a.rs", "offset": 2})),
        ("grep", json!({"pattern": "two", "include": "*.rs"})),
        ("glob", json!({"pattern": "*.rs"})),
        ("edit", json!({"file_path": "src/a.rs", "old_string": "two", "new_string": "zwei"})),
        ("write", json!({"file_path": "new.txt", "content": "made\n"})),
        (
            "bash",
            json!({"command": "cat new.txt", "description": "Show it", "timeoutMs": 5000, "workdir": "."}),
        ),
        ("todo_write", json!({"todos": [{"content": "a", "status": "pending"}]})),
        (
            "ask_user_question",
            json!({"questions": [{"id": "q", "question": "Which?", "options": [{"label": "A"}]}]}),
        ),
        ("job_output", json!({"job_id": "job-1", "wait": true, "timeout_ms": 5})),
        ("job_kill", json!({"job_id": "job-1", "reason": "done"})),
        ("exit_plan_mode", json!({"plan": "Do it."})),
        ("subagent", json!({"description": "d", "prompt": "p", "run_in_background": false})),
    ];
    expect![[r"
        read: src/a.rs => 2: fn two() {} | 3: fn one_more() {}
        grep: two in . => src/a.rs:2: fn two() {}
        glob: *.rs in . => src/a.rs
        edit: src/a.rs => Successfully replaced text in src/a.rs.
        write: new.txt => Successfully wrote 5 bytes to new.txt
        bash: cat new.txt (Show it) => made |
        todo_write: 0 of 1 done => error: No user is available to answer: decide yourself, and state your decision.
        ask_user_question: Which? => error: No user is available to answer: decide yourself, and state your decision.
        job_output: job-1 => error: Background jobs are not available here. Run the command in the foreground.
        job_kill: job-1 => error: Background jobs are not available here. Run the command in the foreground.
        exit_plan_mode: Do it. => error: No user is available to answer: decide yourself, and state your decision.
        subagent: p => error: Sub-agents are not available here. Do the work yourself.
        src/a.rs: fn one() {} | fn zwei() {} | fn one_more() {} |
        notes.txt: first | second | third |
        new.txt: made |
    "]].assert_eq(&played(Profile::DeepSeek, calls).await);
}

#[tokio::test]
async fn mistral_calls_its_own_tools() {
    let calls = vec![
        ("read_file", json!({"file_path": "src/a.rs", "offset": 2, "limit": 1})),
        ("grep", json!({"pattern": "two", "max_matches": 5, "use_default_ignore": true})),
        ("edit", json!({"file_path": "src/a.rs", "old_string": "two", "new_string": "zwei"})),
        ("edit", json!({"file_path": "src/a.rs", "content": "x"})),
        ("write_file", json!({"path": "new.txt", "content": "made\n", "overwrite": true})),
        ("bash", json!({"command": "cat new.txt", "timeout": null})),
        (
            "todo",
            json!({"action": "write", "todos": [{"id": "1", "content": "a", "status": "cancelled", "priority": "low"}]}),
        ),
        (
            "ask_user_question",
            json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}], "multi_select": true}]}),
        ),
        ("exit_plan_mode", json!({"plan": "Do it."})),
        ("task", json!({"task": "p", "agent": "explore"})),
    ];
    expect![[r"
        read_file: src/a.rs =>      2	fn two() {} |  | [1 more lines in file. Use offset=3 to continue.]
        grep: two in . => src/a.rs:2: fn two() {}
        edit: src/a.rs => Successfully replaced text in src/a.rs.
        edit: unknown: unknown argument `content`; expected one of `file_path`, `old_string`, `new_string`, `replace_all`
        write_file: new.txt => Successfully wrote 5 bytes to new.txt
        bash: cat new.txt => made |
        todo: 0 of 0 done => error: No user is available to answer: decide yourself, and state your decision.
        ask_user_question: Which? => error: No user is available to answer: decide yourself, and state your decision.
        exit_plan_mode: Do it. => error: No user is available to answer: decide yourself, and state your decision.
        task: p => error: Sub-agents are not available here. Do the work yourself.
        src/a.rs: fn one() {} | fn zwei() {} | fn one_more() {} |
        notes.txt: first | second | third |
        new.txt: made |
    "]].assert_eq(&played(Profile::Mistral, calls).await);
}

#[test]
fn every_family_can_do_the_same() {
    let all = PROFILES.map(|(_, profile)| profile);
    for profile in all {
        let has = |does: &[Builtin]| does.iter().any(|does| profile.named(*does).is_some());
        for purposes in [
            &[Builtin::Read][..],
            &[Builtin::Shell],
            &[Builtin::Edit, Builtin::Patch],
            &[Builtin::Write, Builtin::Patch],
            &[Builtin::Grep],
            &[Builtin::Find, Builtin::List],
            &[Builtin::Job, Builtin::JobRead, Builtin::JobWrite],
            &[Builtin::Todo],
            &[Builtin::Recall],
            &[Builtin::Fetch],
            &[Builtin::Ask],
            &[Builtin::ExitPlan],
            &[Builtin::RunAgent, Builtin::SpawnAgent],
        ] {
            assert!(has(purposes), "{profile:?} lacks {purposes:?}");
        }
    }
}

#[test]
fn arguments_are_understood_by_the_names_of_other_families() {
    let folders = Folders { cwd: "/w".into(), home: None, shell: Dialect::Bourne };
    for (profile, does, arguments) in [
        (
            Profile::Pi,
            Builtin::Shell,
            json!({"command": "ls", "timeout_ms": 100, "run_in_background": false, "workdir": "sub"}),
        ),
        (
            Profile::Anthropic,
            Builtin::Shell,
            json!({"cmd": "ls", "is_background": false, "cwd": "sub"}),
        ),
        (Profile::Gemini, Builtin::Read, json!({"path": "a", "offset": 2, "limit": 1})),
        (Profile::Anthropic, Builtin::Read, json!({"path": "a", "start_line": 2, "end_line": 3})),
        (
            Profile::Kimi,
            Builtin::Grep,
            json!({"pattern": "x", "include": "*.rs", "head_limit": 3, "-n": true}),
        ),
        (
            Profile::Pi,
            Builtin::Grep,
            json!({"pattern": "x", "output_mode": "count", "-i": true, "-C": 1}),
        ),
        (
            Profile::Anthropic,
            Builtin::RunAgent,
            json!({"description": "d", "task": "t", "agent_name": "explore", "run_in_background": false}),
        ),
        (Profile::Pi, Builtin::SpawnAgent, json!({"message": "t", "agent_type": "explorer"})),
        (
            Profile::Pi,
            Builtin::SpawnAgent,
            json!({"description": "d", "prompt": "t", "subagent_type": "Explore", "run_in_background": true}),
        ),
        (Profile::OpenAi, Builtin::SpawnAgent, json!({"prompt": "t", "subagent_type": "Plan"})),
        (Profile::Anthropic, Builtin::RunAgent, json!({"message": "t", "agent_type": "explorer"})),
        (Profile::Gemini, Builtin::RunAgent, json!({"prompt": "t", "subagent_type": "Explore"})),
        (Profile::Pi, Builtin::Shell, json!({"command": ["bash", "-lc", "ls"]})),
        (Profile::Pi, Builtin::Shell, json!({"cmd": ["ls", "a b"]})),
    ] {
        let row = profile.row(does);
        assert_eq!(row.unknown(&arguments), None, "{profile:?} {does:?} {arguments}");
        let tools = profile.all();
        let tool = tools.iter().find(|tool| tool.does() == Some(does)).unwrap();
        let prepared = tool.prepare(arguments.clone(), &folders);
        assert!(prepared.is_ok(), "{profile:?} {does:?} {arguments}: {:?}", prepared.err());
    }
    for (profile, does, arguments) in [
        (Profile::Pi, Builtin::Read, json!({"path": "a", "colour": 1})),
        (Profile::Anthropic, Builtin::Edit, json!({"file_path": "a", "content": "x"})),
        (Profile::Anthropic, Builtin::Grep, json!({"pattern": "x", "-n": false})),
    ] {
        assert!(
            profile.row(does).unknown(&arguments).is_some(),
            "{profile:?} {does:?} {arguments}"
        );
    }
}
