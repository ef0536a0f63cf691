//! Mistral's models: the tools of Mistral Vibe.
//!
//! Source: `mistral-vibe` 3.0.3 (PyPI, 2026-11), whose Python tools its program offers by itself. Its `exit_plan_mode` is that of 2.18; `job` and
//! `glob` are not there.

use super::pi::{FETCH, JOB, RECALL};
use super::{
    ALL, BACKGROUND, COMMAND, CONTENT, EDIT_PATH, Family, GLOB, HEADER, IN_FOLDER, LIMIT, LIST,
    Layout, MATCHES, NEW, Numbers, OFFSET, OLD, OPTION_FIELDS, OPTIONS, PATTERN, PLAN, QUESTION,
    QUESTIONS, READ_PATH, SEARCHED, SECONDS, SEVERAL, STEP, TASK, TTY, WRITE_PATH, about, adapt,
};
use crate::schema::{Builtin, Row, count, flag, number, objects, one_of, text};
use std::time::Duration;

pub(crate) const FAMILY: Family = Family {
    rows: &[
        Row::new(
            Builtin::Read,
            "read_file",
            about!("read"),
            &[
                text("file_path", "path", READ_PATH).required(),
                count("offset", "offset", OFFSET),
                count("limit", "limit", LIMIT),
            ],
        ),
        Row::new(
            Builtin::Shell,
            "bash",
            about!("shell"),
            &[
                text("command", "command", COMMAND).required(),
                number("timeout", "timeout", SECONDS),
                flag("background", "background", BACKGROUND),
                flag("tty", "tty", TTY),
            ],
        )
        .ignoring(&["hard_timeout", "shell"])
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
        ),
        Row::new(
            Builtin::Write,
            "write_file",
            about!("write"),
            &[
                text("file_path", "path", WRITE_PATH).required(),
                text("content", "content", CONTENT).required(),
            ],
        )
        .ignoring(&["overwrite"]),
        Row::new(
            Builtin::Grep,
            "grep",
            about!("grep"),
            &[
                text("pattern", "pattern", PATTERN).required(),
                text("path", "path", SEARCHED),
                count("max_matches", "limit", MATCHES),
            ],
        )
        .fixing(&[("use_default_ignore", true)]),
        Row::new(
            Builtin::Find,
            "glob",
            about!("find"),
            &[text("pattern", "pattern", GLOB).required(), text("path", "path", IN_FOLDER)],
        ),
        Row::new(
            Builtin::Todo,
            "todo",
            about!("todo"),
            &[objects(
                "todos",
                "items",
                &[
                    text("id", "remark", "A name for the step"),
                    text("content", "content", STEP).required(),
                    one_of(
                        "status",
                        "status",
                        &["pending", "in_progress", "completed", "cancelled"],
                        "",
                    )
                    .required(),
                ],
                LIST,
            )
            .required()],
        )
        .ignoring(&["action", "priority"]),
        RECALL,
        FETCH,
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
                    flag("multi_select", "multiple", SEVERAL),
                ],
                QUESTIONS,
            )
            .required()],
        )
        .ignoring(&["hide_other", "footer_note"]),
        Row::new(
            Builtin::ExitPlan,
            "exit_plan_mode",
            about!("exit_plan"),
            &[text("plan", "plan", PLAN).required()],
        ),
        Row::new(
            Builtin::RunAgent,
            "task",
            about!("run_agent"),
            &[text("task", "task", TASK).required(), text("agent", "agent", super::AGENT)],
        ),
    ],
    numbers: Numbers::Tab,
    layout: Layout::Ends,
    timeout: Some(Duration::from_secs(300)),
};
