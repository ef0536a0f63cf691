//! `pi`: few tools with short names, for models without a table. Also the tools that are called the same in several families.
//!
//! Source: Pi's tools, `@earendil-works/pi-coding-agent` 1.5.2; tools that Pi lacks are ours.

use super::{
    ALL, BACKGROUND, COMMAND, CONTENT, CONTEXT_FIELD, EDIT_PATH, FILES, Family, GLOB, IGNORE_CASE,
    IN_FOLDER, INPUT, KEYS, LIMIT, LIST, LISTED, Layout, NEW, Numbers, OFFSET, OLD, OPTIONS, PLAN,
    QUESTION, READ_PATH, RECALL_FIELDS, SEARCHED, SECONDS, SEVERAL, STATUSES, STEP, TASK, TTY, URL,
    WRITE_PATH, about, adapt,
};
use crate::schema::{Builtin, Field, Row, count, flag, number, objects, one_of, text, texts};

pub(crate) const FAMILY: Family = Family {
    rows: &[
        Row::new(
            Builtin::Read,
            "read",
            about!("read"),
            &[
                text("path", "path", READ_PATH).required(),
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
        .adapted(adapt::command),
        JOB,
        Row::new(
            Builtin::Edit,
            "edit",
            about!("edit"),
            &[
                text("path", "path", EDIT_PATH).required(),
                text("oldText", "oldText", OLD),
                text("newText", "newText", NEW),
                objects(
                    "edits",
                    "edits",
                    &[
                        text("oldText", "oldText", OLD).required(),
                        text("newText", "newText", NEW).required(),
                    ],
                    "Several replacements in one call, instead of oldText and newText",
                ),
                flag("replaceAll", "replaceAll", ALL),
            ],
        ),
        Row::new(
            Builtin::Write,
            "write",
            about!("write"),
            &[
                text("path", "path", WRITE_PATH).required(),
                text("content", "content", CONTENT).required(),
            ],
        ),
        Row::new(
            Builtin::Grep,
            "grep",
            about!("grep"),
            &[
                text("pattern", "pattern", "Regular expression, or plain text with literal")
                    .required(),
                text("path", "path", SEARCHED),
                text("glob", "glob", FILES),
                flag("ignoreCase", "ignoreCase", IGNORE_CASE),
                flag("literal", "literal", "Treat the pattern as plain text"),
                CONTEXT_FIELD,
                count("limit", "limit", "Maximum number of matches; default 100"),
            ],
        ),
        Row::new(
            Builtin::Find,
            "find",
            about!("find"),
            &[
                text("pattern", "pattern", GLOB).required(),
                text("path", "path", IN_FOLDER),
                count("limit", "limit", "Maximum number of results; default {results}"),
            ],
        ),
        Row::new(
            Builtin::List,
            "ls",
            about!("list"),
            &[
                text("path", "path", LISTED),
                count("limit", "limit", "Maximum number of entries; default 500"),
            ],
        ),
        Row::new(
            Builtin::Todo,
            "todo_write",
            about!("todo"),
            &[objects(
                "items",
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
            "ask_user",
            about!("ask"),
            &[
                text("question", "question", QUESTION).required(),
                texts("options", "options", OPTIONS),
                flag("multiple", "multiple", SEVERAL),
            ],
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
                text("task", "task", TASK).required(),
                text("working_dir", "cwd", "Its working directory; default: this one"),
                text("model", "model", super::MODEL),
                count("max_turns", "maxTurns", "Maximum number of replies (default 50)"),
                text("agent", "agent", super::AGENT),
            ],
        ),
        Row::new(
            Builtin::SendInput,
            "send_input",
            about!("send_input"),
            &[
                text("agent_id", "id", AGENT_ID).required(),
                text("message", "message", MESSAGE).required(),
            ],
        ),
        Row::new(
            Builtin::WaitAgents,
            "wait",
            about!("wait_agents"),
            &[
                texts("ids", "ids", AGENT_IDS),
                number("timeout", "timeout", "Maximum wait in seconds (default and maximum: 3600)"),
            ],
        ),
        Row::new(
            Builtin::CloseAgent,
            "close_agent",
            about!("close_agent"),
            &[text("agent_id", "id", AGENT_ID).required()],
        ),
        Row::new(Builtin::ReportFinding, "report_finding", about!("report_finding"), FINDING),
    ],
    numbers: Numbers::None,
    layout: Layout::Tail,
    timeout: None,
};

pub(super) const AGENT_ID: &str = "The sub-agent, such as agent-1";
pub(super) const AGENT_IDS: &str =
    "The sub-agents, such as agent-1; default: all working ones and those with unread results";
pub(super) const MESSAGE: &str = "The message";

/// Background jobs, for families whose own agent has no tool for them that fits.
pub(super) const JOB: Row = Row::new(
    Builtin::Job,
    "job",
    about!("job"),
    &[
        one_of(
            "action",
            "action",
            &["read", "write", "list", "stop"],
            "read new output, type into a terminal, list all jobs, or stop one",
        )
        .required(),
        text("id", "id", "The job, such as job-1; not for list"),
        number(
            "wait",
            "wait",
            "For read: wait up to this many seconds (at most 120) for new output. For write: wait this long before the terminal is read (default: until it settles)",
        ),
        text("input", "input", INPUT),
        texts("keys", "keys", KEYS),
    ],
);

/// Earlier results; no other agent has this.
pub(super) const RECALL: Row = Row::new(Builtin::Recall, "recall", about!("recall"), RECALL_FIELDS);

/// A web page.
pub(super) const FETCH: Row =
    Row::new(Builtin::Fetch, "web_fetch", about!("fetch"), &[text("url", "url", URL).required()])
        .ignoring(&["prompt", "format", "timeout"]);

const FINDING: &[Field] = &[
    text("path", "path", "A file in the working directory").required(),
    count("line", "line", "The first line; omit it if the finding is about the whole file"),
    count("endLine", "endLine", "The last line; default: the first"),
    one_of("severity", "severity", &["error", "warning", "note"], "").required(),
    text(
        "rule",
        "rule",
        "A short id for this kind of finding, always the same for one kind: sql-injection",
    )
    .required(),
    text("message", "message", "What is wrong and why, in one to three sentences").required(),
    text("fix", "fix", "The replacement for these lines, if you are sure"),
];
