//! OpenAI's models: the tools of codex.
//!
//! Source: `@openai/codex` 0.169.0 (npm, 2026-11): `shell_command`, `apply_patch`, `update_plan`, `view_image`, `request_user_input`,
//! `spawn_agent`, `send_input`, `wait_agent`, `close_agent`. Three more are tools that codex had in 2025 and that its models were trained
//! with: `read_file`, `list_dir`, `grep_files`. They are here because a command does not see an editor's unsaved text, and because reading
//! needs no permission. `shell_command` and `job` replace `exec_command` and its sessions: a call's changes are known when it ends.

use super::pi::{AGENT_ID, AGENT_IDS, FETCH, JOB, MESSAGE, RECALL};
use super::{
    COMMAND, FILES, FOLDER, Family, HEADER, LIMIT, LIST, LISTED, Layout, MATCHES, MILLISECONDS,
    Numbers, OFFSET, OPTION_FIELDS, OPTIONS, PATTERN, PLAN, QUESTION, QUESTIONS, READ_PATH,
    SEARCHED, STATUSES, STEP, TASK, about, adapt,
};
use crate::schema::{Builtin, Row, count, flag, number, objects, one_of, text, texts};
use std::time::Duration;

pub(crate) const FAMILY: Family = Family {
    rows: &[
        Row::new(
            Builtin::Shell,
            "shell_command",
            about!("shell"),
            &[
                text("command", "command", COMMAND).required(),
                text("workdir", "cwd", FOLDER),
                number("timeout_ms", "timeoutMs", MILLISECONDS),
                flag("background", "background", super::BACKGROUND),
                flag("tty", "tty", super::TTY),
            ],
        )
        .ignoring(&[
            "login",
            "shell",
            "yield_time_ms",
            "max_output_tokens",
            "sandbox_permissions",
            "prefix_rule",
            "with_escalated_permissions",
        ])
        .adapted(adapt::command),
        JOB,
        Row::new(
            Builtin::Patch,
            "apply_patch",
            about!("apply_patch"),
            &[text("input", "patch", "The patch, from *** Begin Patch to *** End Patch").required()],
        ),
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
            Builtin::ViewImage,
            "view_image",
            about!("view_image"),
            &[text("path", "path", super::IMAGE_PATH).required()],
        )
        .ignoring(&["detail"]),
        Row::new(
            Builtin::Grep,
            "grep_files",
            about!("grep"),
            &[
                text("pattern", "pattern", PATTERN).required(),
                text("include", "glob", FILES),
                text("path", "path", SEARCHED),
                count("limit", "limit", MATCHES),
                one_of("output_mode", "mode", super::MODES, "Matching lines, paths of matching files, or match counts per file; default: files_with_matches"),
            ],
        )
        .adapted(adapt::files_by_default),
        Row::new(
            Builtin::List,
            "list_dir",
            about!("list"),
            &[
                text("dir_path", "path", LISTED),
                count("depth", "depth", "Directory levels to list; default 1"),
                count("limit", "limit", "Maximum number of entries; default 500"),
            ],
        ),
        Row::new(
            Builtin::Todo,
            "update_plan",
            about!("todo"),
            &[
                text("explanation", "remark", "Why the plan changed, if it did"),
                objects(
                    "plan",
                    "items",
                    &[
                        text("step", "content", STEP).required(),
                        one_of("status", "status", STATUSES, "").required(),
                    ],
                    LIST,
                )
                .required(),
            ],
        ),
        RECALL,
        FETCH,
        Row::new(
            Builtin::Ask,
            "request_user_input",
            about!("ask"),
            &[objects(
                "questions",
                "questions",
                &[
                    text("id", "remark", "A name for the question, such as test_framework"),
                    text("header", "remark", HEADER),
                    text("question", "question", QUESTION).required(),
                    objects("options", "options", OPTION_FIELDS, OPTIONS),
                ],
                QUESTIONS,
            )
            .required()],
        ),
        Row::new(
            Builtin::ExitPlan,
            "exit_plan",
            about!("exit_plan"),
            &[text("plan", "plan", PLAN).required()],
        ),
        Row::new(
            Builtin::SpawnAgent,
            "spawn_agent",
            about!("spawn_agent"),
            &[
                text("message", "task", TASK).required(),
                text("agent_type", "agent", super::AGENT),
                text("model", "model", super::MODEL),
            ],
        )
        .ignoring(&["task_name", "reasoning_effort", "service_tier"])
        .fixing(&[("fork_context", false)]),
        Row::new(
            Builtin::SendInput,
            "send_input",
            about!("send_input"),
            &[text("target", "id", AGENT_ID).required(), text("message", "message", MESSAGE).required()],
        )
        .ignoring(&["interrupt"]),
        Row::new(
            Builtin::WaitAgents,
            "wait_agent",
            about!("wait_agents"),
            &[
                texts("targets", "ids", AGENT_IDS),
                number("timeout_ms", "timeoutMs", "Maximum wait in milliseconds (default and maximum: 3600000)"),
            ],
        ),
        Row::new(
            Builtin::CloseAgent,
            "close_agent",
            about!("close_agent"),
            &[text("target", "id", AGENT_ID).required()],
        ),
    ],
    numbers: Numbers::Letter,
    layout: Layout::CodeFirst,
    timeout: Some(Duration::from_secs(10)),
};
