//! OpenAI's models: the tools of codex.
//!
//! Source: `@openai/codex` 0.169.0 (npm, 2026-11): `exec_command`, `write_stdin`, `apply_patch`, `update_plan`, `view_image`,
//! `request_user_input`, `spawn_agent`, `send_input`, `wait_agent`, `close_agent`. Three more are tools that codex had in 2025 and that its
//! models were trained with: `read_file`, `list_dir`, `grep_files`. They are here because a command does not see an editor's unsaved text,
//! and because reading needs no permission. Results have no `Chunk ID`, since no tool accepts one, and no `Wall time`: the loop guard and
//! replays of recordings need the same result from a command that does the same again.

use super::pi::{AGENT_ID, AGENT_IDS, FETCH, MESSAGE, RECALL};
use super::{
    COMMAND, FILES, FOLDER, Family, HEADER, LIMIT, LIST, LISTED, Layout, MATCHES, Numbers, OFFSET,
    OPTION_FIELDS, OPTIONS, PATTERN, PLAN, QUESTION, QUESTIONS, READ_PATH, SEARCHED, STATUSES,
    STEP, TASK, about, adapt,
};
use crate::schema::{Builtin, Row, count, flag, number, objects, one_of, text, texts};

/// The limit on a result.
const TOKENS: &str = "Maximum length of the output in tokens (default and at most 10000)";

pub(crate) const FAMILY: Family = Family {
    rows: &[
        Row::new(
            Builtin::Shell,
            "exec_command",
            about!("exec_command"),
            &[
                text("cmd", "command", COMMAND).required(),
                text("workdir", "cwd", FOLDER),
                flag("tty", "tty", "Run it in a terminal, for a program that needs one or asks for input"),
                number("yield_time_ms", "yieldMs", "Milliseconds to wait for its end (250 to 30000, default 10000)"),
                count("max_output_tokens", "maxTokens", TOKENS),
            ],
        )
        .ignoring(&[
            "login",
            "shell",
            "sandbox_permissions",
            "prefix_rule",
            "with_escalated_permissions",
        ])
        .adapted(adapt::command),
        Row::new(
            Builtin::JobWrite,
            "write_stdin",
            about!("write_stdin"),
            &[
                count("session_id", "id", "The session ID from the command's result").required(),
                text("chars", "input", "Text to type; \\n presses Enter, \\u0003 is Ctrl-C. Empty to wait only"),
                number("yield_time_ms", "waitMs", "Milliseconds to wait for the command's end: with chars 250 to 30000 (default: until the terminal settles), without 5000 to 300000 (default 5000)"),
                count("max_output_tokens", "maxTokens", TOKENS),
            ],
        )
        .adapted(adapt::session),
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
    layout: Layout::Session,
    timeout: None,
};
