//! Google's Gemini models: the tools of gemini-cli.
//!
//! Source: `@google/gemini-cli` 0.61.0 (npm, 2026-11); both of its tool sets have these names and schemas. `exit_plan_mode` takes the plan
//! itself rather than a file containing it; `job` replaces background processes, which are identified by process id there. A search's lines
//! are laid out as in the other families.

use super::pi::{JOB, RECALL};
use super::{
    COMMAND, CONTENT, CONTEXT_FIELD, EDIT_PATH, FILES, FOLDER, Family, GLOB, HEADER, IN_FOLDER,
    LIST, LISTED, Layout, MATCHES, NEW, Numbers, OLD, OPTION_FIELDS, OPTIONS, PATTERN, PLAN,
    PURPOSE, QUESTION, QUESTIONS, READ_PATH, SEARCHED, SEVERAL, STEP, TASK, WRITE_PATH, about,
    adapt,
};
use crate::schema::{Builtin, Row, count, flag, objects, one_of, text, texts, whole};
use std::time::Duration;

pub(crate) const FAMILY: Family = Family {
    rows: &[
        Row::new(
            Builtin::Read,
            "read_file",
            about!("read"),
            &[
                text("file_path", "path", READ_PATH).required(),
                count("start_line", "offset", "First line to read, 1-based"),
                count("end_line", "lastLine", "Last line to read"),
            ],
        )
        .ignoring(&WAIT),
        Row::new(
            Builtin::ReadMany,
            "read_many_files",
            about!("read_many"),
            &[
                texts(
                    "include",
                    "paths",
                    "Files to read, relative or absolute; or globs, such as src/**/*.rs",
                )
                .required(),
                texts("exclude", "exclude", "File globs to exclude"),
            ],
        )
        .ignoring(&WAIT)
        .fixing(&[("recursive", true), ("useDefaultExcludes", true)]),
        Row::new(
            Builtin::Shell,
            "run_shell_command",
            about!("shell"),
            &[
                text("command", "command", COMMAND).required(),
                text("description", "description", PURPOSE),
                text("dir_path", "cwd", FOLDER),
                flag("is_background", "background", super::BACKGROUND),
                flag("tty", "tty", super::TTY),
            ],
        )
        .ignoring(&["delay_ms", "additional_permissions", "wait_for_previous"])
        .adapted(adapt::command),
        JOB,
        Row::new(
            Builtin::Edit,
            "replace",
            about!("edit"),
            &[
                text("file_path", "path", EDIT_PATH).required(),
                text("instruction", "remark", "The purpose of this change, in one sentence"),
                text("old_string", "oldText", OLD).required(),
                text("new_string", "newText", NEW).required(),
                flag("allow_multiple", "replaceAll", super::ALL),
            ],
        )
        .ignoring(&["expected_replacements", "wait_for_previous"]),
        Row::new(
            Builtin::Write,
            "write_file",
            about!("write"),
            &[
                text("file_path", "path", WRITE_PATH).required(),
                text("content", "content", CONTENT).required(),
            ],
        )
        .ignoring(&WAIT),
        Row::new(
            Builtin::Grep,
            "grep_search",
            about!("grep"),
            &[
                text("pattern", "pattern", PATTERN).required(),
                text("dir_path", "path", SEARCHED),
                text("include_pattern", "glob", FILES),
                flag("names_only", "adapted", "Return only the paths of matching files"),
                flag("case_sensitive", "adapted", "Match case (default false)"),
                flag("fixed_strings", "literal", "Treat the pattern as plain text"),
                CONTEXT_FIELD,
                whole("before", "before", "Lines to show before each match"),
                whole("after", "after", "Lines to show after each match"),
                count("total_max_matches", "limit", MATCHES),
            ],
        )
        .ignoring(&WAIT)
        .fixing(&[("no_ignore", false)])
        .adapted(adapt::gemini_search),
        Row::new(
            Builtin::Find,
            "glob",
            about!("find"),
            &[text("pattern", "pattern", GLOB).required(), text("dir_path", "path", IN_FOLDER)],
        )
        .ignoring(&["respect_gemini_ignore", "wait_for_previous"])
        .fixing(&[("case_sensitive", true), ("respect_git_ignore", true)]),
        Row::new(
            Builtin::List,
            "list_directory",
            about!("list"),
            &[
                text("dir_path", "path", LISTED).required(),
                texts("ignore", "ignore", "Globs of names to exclude"),
            ],
        )
        .ignoring(&WAIT),
        Row::new(
            Builtin::Todo,
            "write_todos",
            about!("todo"),
            &[objects(
                "todos",
                "items",
                &[
                    text("description", "content", STEP).required(),
                    one_of(
                        "status",
                        "status",
                        &["pending", "in_progress", "completed", "cancelled", "blocked"],
                        "",
                    )
                    .required(),
                ],
                LIST,
            )
            .required()],
        )
        .ignoring(&WAIT),
        RECALL,
        Row::new(
            Builtin::Fetch,
            "web_fetch",
            about!("fetch"),
            &[text(
                "prompt",
                "adapted",
                "One URL, starting with https:// or http://, and what you are looking for there",
            )
            .required()],
        )
        .ignoring(&["url", "wait_for_previous"])
        .adapted(adapt::address_in_prompt),
        Row::new(
            Builtin::Ask,
            "ask_user",
            about!("ask"),
            &[objects(
                "questions",
                "questions",
                &[
                    text("question", "question", QUESTION).required(),
                    text("header", "remark", HEADER),
                    one_of(
                        "type",
                        "type",
                        &["choice", "text", "yesno"],
                        "yesno offers yes and no (default: choice)",
                    ),
                    objects("options", "options", OPTION_FIELDS, OPTIONS),
                    flag("multiSelect", "multiple", SEVERAL),
                    text("placeholder", "remark", "An example of an answer"),
                ],
                QUESTIONS,
            )
            .required()],
        )
        .ignoring(&WAIT),
        Row::new(
            Builtin::ExitPlan,
            "exit_plan_mode",
            about!("exit_plan"),
            &[text("plan", "plan", PLAN).required()],
        )
        .ignoring(&WAIT),
        Row::new(
            Builtin::RunAgent,
            "invoke_agent",
            about!("run_agent"),
            &[text("agent_name", "agent", super::AGENT), text("prompt", "task", TASK).required()],
        )
        .ignoring(&WAIT),
    ],
    numbers: Numbers::None,
    layout: Layout::Ends,
    // There, the time a command may be silent; here, the total time.
    timeout: Some(Duration::from_secs(300)),
};

/// Independent calls run concurrently here in any case.
const WAIT: [&str; 1] = ["wait_for_previous"];
