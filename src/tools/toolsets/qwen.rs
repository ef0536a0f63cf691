//! Alibaba's Qwen models: the tools of Qwen Code.
//!
//! Source: `@qwen-code/qwen-code` 0.24.4 (npm, 2026-11). `job` replaces background tasks, whose output is read from files there.

use super::pi::{JOB, RECALL};
use super::{
    ALL, BACKGROUND, COMMAND, CONTENT, EDIT_PATH, FILES, FOLDER, Family, GLOB, HEADER, IN_FOLDER,
    LIMIT, LIST, LISTED, Layout, MATCHES, MILLISECONDS, NEW, Numbers, OLD, OPTION_FIELDS, OPTIONS,
    PATTERN, PLAN, PURPOSE, QUESTION, QUESTIONS, READ_PATH, SEARCHED, SEVERAL, STATUSES, STEP,
    TASK, TASK_LABEL, TTY, URL, WRITE_PATH, about, adapt,
};
use crate::schema::{Builtin, Row, count, flag, number, objects, one_of, text, texts, whole};
use std::time::Duration;

pub(crate) const FAMILY: Family = Family {
    rows: &[
        Row::new(
            Builtin::Read,
            "read_file",
            about!("read"),
            &[
                text("file_path", "path", READ_PATH).required(),
                whole("offset", "skip", "Lines to skip, so that 0 is the first line"),
                count("limit", "limit", LIMIT),
            ],
        ),
        Row::new(
            Builtin::Shell,
            "run_shell_command",
            about!("shell"),
            &[
                text("command", "command", COMMAND).required(),
                flag("is_background", "background", BACKGROUND),
                flag("tty", "tty", TTY),
                number("timeout", "timeoutMs", MILLISECONDS),
                text("description", "description", PURPOSE),
                text("directory", "cwd", FOLDER),
            ],
        )
        .adapted(adapt::command),
        JOB,
        Row::new(
            Builtin::Edit,
            "edit",
            about!("edit"),
            &[
                text("file_path", "path", EDIT_PATH).required(),
                text("old_string", "oldText", OLD).required(),
                text("new_string", "newText", NEW).required(),
                flag("replace_all", "replaceAll", ALL),
            ],
        )
        .ignoring(&["expected_replacements"]),
        Row::new(
            Builtin::Write,
            "write_file",
            about!("write"),
            &[
                text("file_path", "path", WRITE_PATH).required(),
                text("content", "content", CONTENT).required(),
            ],
        )
        .ignoring(&["record_as_artifact"]),
        Row::new(
            Builtin::Grep,
            "grep_search",
            about!("grep"),
            &[
                text("pattern", "pattern", PATTERN).required(),
                text("glob", "glob", FILES),
                text("path", "path", SEARCHED),
                count("limit", "limit", MATCHES),
            ],
        ),
        Row::new(
            Builtin::Find,
            "glob",
            about!("find"),
            &[text("pattern", "pattern", GLOB).required(), text("path", "path", IN_FOLDER)],
        ),
        Row::new(
            Builtin::List,
            "list_directory",
            about!("list"),
            &[
                text("path", "path", LISTED).required(),
                texts("ignore", "ignore", "Globs of names to exclude"),
            ],
        ),
        Row::new(
            Builtin::Todo,
            "todo_write",
            about!("todo"),
            &[objects(
                "todos",
                "items",
                &[
                    text("content", "content", STEP).required(),
                    one_of("status", "status", STATUSES, "").required(),
                    text("id", "remark", "A name for the step"),
                ],
                LIST,
            )
            .required()],
        )
        .ignoring(&["blockedBy"]),
        RECALL,
        Row::new(
            Builtin::Fetch,
            "web_fetch",
            about!("fetch"),
            &[
                text("url", "url", URL).required(),
                text("prompt", "remark", "What you are looking for there"),
            ],
        )
        .ignoring(&["format"]),
        Row::new(
            Builtin::Ask,
            "ask_user_question",
            about!("ask"),
            &[objects(
                "questions",
                "questions",
                &[
                    text("question", "question", QUESTION).required(),
                    text("header", "remark", HEADER),
                    objects("options", "options", OPTION_FIELDS, OPTIONS),
                    flag("multiSelect", "multiple", SEVERAL),
                ],
                QUESTIONS,
            )
            .required()],
        )
        .ignoring(&["metadata"]),
        Row::new(
            Builtin::ExitPlan,
            "exit_plan_mode",
            about!("exit_plan"),
            &[text("plan", "plan", PLAN).required()],
        )
        .ignoring(&["originalRequest", "researchSummary"]),
        Row::new(
            Builtin::RunAgent,
            "agent",
            about!("run_agent"),
            &[
                text("description", "remark", TASK_LABEL).required(),
                text("prompt", "task", TASK).required(),
                text("subagent_type", "agent", super::AGENT),
                text("working_dir", "cwd", "Its working directory; default: this one"),
            ],
        )
        .ignoring(&["run_in_background", "todo_id"]),
    ],
    numbers: Numbers::None,
    layout: Layout::Ends,
    timeout: Some(Duration::from_secs(120)),
};
