//! DeepSeek's models: the tools of DeepSeek's agent, `dsh`.
//!
//! Source: `deepseek-ai/deepseek-harness` at b150a551 (2026-08), its default tools. Its documentation also mentions Claude Code, whose
//! tools these resemble.

use super::pi::{FETCH, RECALL};
use super::{
    ALL, BACKGROUND, COMMAND, CONTENT, EDIT_PATH, FILES, FOLDER, Family, GLOB, HEADER, IN_FOLDER,
    INPUT, KEYS, LIMIT, LIST, Layout, MILLISECONDS, NEW, Numbers, OFFSET, OLD, OPTION_FIELDS,
    OPTIONS, PATTERN, PLAN, PURPOSE, QUESTION, QUESTIONS, READ_PATH, SEARCHED, SEVERAL, STATUSES,
    STEP, TASK, TASK_LABEL, TTY, WRITE_PATH, WRITE_WAIT, about, adapt,
};
use crate::schema::{Builtin, Row, count, flag, number, objects, one_of, text, texts};
use std::time::Duration;

pub(crate) const FAMILY: Family = Family {
    rows: &[
        Row::new(
            Builtin::Read,
            "read",
            about!("read"),
            &[
                text("file_path", "path", READ_PATH).required(),
                count("offset", "offset", OFFSET),
                count("limit", "limit", LIMIT),
            ],
        ),
        Row::new(
            Builtin::ViewImage,
            "read_image",
            about!("view_image"),
            &[text("file_path", "path", super::IMAGE_PATH).required()],
        ),
        Row::new(
            Builtin::Shell,
            "bash",
            about!("shell"),
            &[
                text("command", "command", COMMAND).required(),
                text("description", "description", PURPOSE),
                number("timeoutMs", "timeoutMs", MILLISECONDS),
                text("workdir", "cwd", FOLDER),
                flag("run_in_background", "background", BACKGROUND),
                flag("tty", "tty", TTY),
            ],
        )
        .ignoring(&["sandbox_permissions"])
        .adapted(adapt::command),
        Row::new(
            Builtin::JobRead,
            "job_output",
            about!("job_read"),
            &[
                text("job_id", "id", "The job, such as job-1").required(),
                flag("wait", "block", "Wait for new output (default true)"),
                number(
                    "timeout_ms",
                    "waitMs",
                    "Maximum wait in milliseconds (default 30000, at most 120000)",
                ),
            ],
        )
        .adapted(adapt::read_job),
        Row::new(
            Builtin::JobStop,
            "job_kill",
            about!("job_stop"),
            &[text("job_id", "id", "The job, such as job-1").required()],
        )
        .adapted(adapt::stop_job),
        Row::new(
            Builtin::JobWrite,
            "job_input",
            about!("job_write"),
            &[
                text("job_id", "id", "The job, such as job-1").required(),
                text("input", "input", INPUT),
                texts("keys", "keys", KEYS),
                number("timeout_ms", "waitMs", WRITE_WAIT),
            ],
        )
        .adapted(adapt::write_job),
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
        .ignoring(&["sandbox_permissions"]),
        Row::new(
            Builtin::Write,
            "write",
            about!("write"),
            &[
                text("file_path", "path", WRITE_PATH).required(),
                text("content", "content", CONTENT).required(),
            ],
        )
        .ignoring(&["sandbox_permissions"]),
        Row::new(
            Builtin::Grep,
            "grep",
            about!("grep"),
            &[
                text("pattern", "pattern", PATTERN).required(),
                text("path", "path", SEARCHED),
                text("include", "glob", FILES),
            ],
        ),
        Row::new(
            Builtin::Find,
            "glob",
            about!("find"),
            &[text("pattern", "pattern", GLOB).required(), text("path", "path", IN_FOLDER)],
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
                ],
                LIST,
            )
            .required()],
        ),
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
                    text("id", "remark", "A name for the question, such as test_framework"),
                    text("question", "question", QUESTION).required(),
                    text("header", "remark", HEADER),
                    objects("options", "options", OPTION_FIELDS, OPTIONS),
                    flag("multi_select", "multiple", SEVERAL),
                ],
                QUESTIONS,
            )
            .required()],
        ),
        Row::new(
            Builtin::ExitPlan,
            "exit_plan_mode",
            about!("exit_plan"),
            &[text("plan", "plan", PLAN).required()],
        ),
        Row::new(
            Builtin::RunAgent,
            "subagent",
            about!("run_agent"),
            &[
                text("description", "remark", TASK_LABEL).required(),
                text("prompt", "task", TASK).required(),
                text("agent", "agent", super::AGENT),
            ],
        )
        .ignoring(&["run_in_background"]),
    ],
    numbers: Numbers::Plain,
    layout: Layout::Ends,
    timeout: Some(Duration::from_secs(120)),
};
