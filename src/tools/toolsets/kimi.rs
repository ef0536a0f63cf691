//! Moonshot's Kimi models: the tools of Kimi Code.
//!
//! Source: `@moonshot-ai/kimi-code` 2.1.0 (npm, 2026-11). `ExitPlanMode` takes the plan itself rather than a file containing it.

use super::pi::RECALL;
use super::{
    ALL, BACKGROUND, COMMAND, CONTENT, EDIT_PATH, FOLDER, Family, GLOB, HEADER, IN_FOLDER, LIMIT,
    LIST, Layout, NEW, Numbers, OFFSET, OLD, OPTION_FIELDS, OPTIONS, PLAN, PURPOSE, QUESTION,
    QUESTIONS, READ_PATH, SECONDS, SEVERAL, STEP, TASK, TASK_LABEL, TTY, URL, WRITE_PATH, about,
    adapt, claude,
};
use crate::schema::{Builtin, Row, count, flag, number, objects, one_of, text};
use std::time::Duration;

pub(crate) const FAMILY: Family = Family {
    rows: &[
        Row::new(
            Builtin::Read,
            "Read",
            about!("read"),
            &[
                text("path", "path", READ_PATH).required(),
                count("line_offset", "offset", OFFSET),
                count("n_lines", "limit", LIMIT),
            ],
        )
        .ignoring(&["max_chars"]),
        Row::new(
            Builtin::ViewImage,
            "ReadMediaFile",
            about!("view_image"),
            &[text("path", "path", super::IMAGE_PATH).required()],
        )
        .fixing(&[("full_resolution", false)]),
        Row::new(
            Builtin::Shell,
            "Bash",
            about!("shell"),
            &[
                text("command", "command", COMMAND).required(),
                text("cwd", "cwd", FOLDER),
                number("timeout", "timeout", SECONDS),
                text("description", "description", PURPOSE),
                flag("run_in_background", "background", BACKGROUND),
                flag("tty", "tty", TTY),
            ],
        )
        .ignoring(&["disable_timeout"])
        .adapted(adapt::command),
        claude::TASK_OUTPUT,
        claude::TASK_STOP,
        claude::TASK_INPUT,
        Row::new(
            Builtin::Edit,
            "Edit",
            about!("edit"),
            &[
                text("path", "path", EDIT_PATH).required(),
                text("old_string", "oldText", OLD).required(),
                text("new_string", "newText", NEW).required(),
                flag("replace_all", "replaceAll", ALL),
            ],
        ),
        Row::new(
            Builtin::Write,
            "Write",
            about!("write"),
            &[
                text("path", "path", WRITE_PATH).required(),
                text("content", "content", CONTENT).required(),
                one_of(
                    "mode",
                    "mode",
                    &["overwrite", "append"],
                    "append adds to the existing content (default: overwrite)",
                ),
            ],
        ),
        Row::new(Builtin::Grep, "Grep", about!("grep"), claude::GREP)
            .fixing(claude::SEARCH_FLAGS)
            .adapted(adapt::files_by_default),
        Row::new(
            Builtin::Find,
            "Glob",
            about!("find"),
            &[
                text("pattern", "pattern", GLOB).required(),
                text("path", "path", IN_FOLDER),
                count("head_limit", "limit", "Maximum number of results; default {results}"),
            ],
        )
        .ignoring(&["include_dirs"])
        .fixing(&[("include_ignored", false)]),
        Row::new(
            Builtin::Todo,
            "TodoList",
            about!("todo"),
            &[objects(
                "todos",
                "items",
                &[
                    text("title", "content", STEP).required(),
                    one_of("status", "status", &["pending", "in_progress", "done"], "").required(),
                ],
                LIST,
            )
            .required()],
        ),
        RECALL,
        Row::new(
            Builtin::Fetch,
            "FetchURL",
            about!("fetch"),
            &[text("url", "url", URL).required()],
        ),
        Row::new(
            Builtin::Ask,
            "AskUserQuestion",
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
        .ignoring(&["background"]),
        Row::new(
            Builtin::ExitPlan,
            "ExitPlanMode",
            about!("exit_plan"),
            &[text("plan", "plan", PLAN).required()],
        )
        .ignoring(&["options"]),
        Row::new(
            Builtin::RunAgent,
            "Agent",
            about!("run_agent"),
            &[
                text("prompt", "task", TASK).required(),
                text("description", "remark", TASK_LABEL).required(),
                text("subagent_type", "agent", super::AGENT),
                text("model", "model", super::MODEL),
            ],
        )
        .ignoring(&["run_in_background"])
        .fixing(&[("fork", false)]),
    ],
    numbers: Numbers::Tab,
    layout: Layout::Ends,
    timeout: Some(Duration::from_secs(60)),
};
