//! Anthropic's models: the tools of Claude Code. Z.ai documents its GLM models with this agent first, and publishes no separate tools.
//!
//! Source: `sdk-tools.d.ts` of `@anthropic-ai/claude-agent-sdk` 0.3.332 (npm, 2026-11). `ExitPlanMode` takes the plan itself rather than a
//! file containing it; `TaskOutput` is that of 2.1.83, since a job's output is not a file here; `Glob`, `Grep` and `TodoWrite` are offered
//! to every model, including those that have only the shell there: they need no permission, and they see an editor's unsaved text.

use super::pi::RECALL;
use super::{
    ALL, AROUND, BACKGROUND, COMMAND, CONTENT, EDIT_PATH, FILES, Family, GLOB, HEADER, IGNORE_CASE,
    IN_FOLDER, INPUT, KEYS, LIMIT, LIST, Layout, MATCHES, MILLISECONDS, MODES, NEW, Numbers,
    OFFSET, OLD, OPTION_FIELDS, OPTIONS, PATTERN, PLAN, PURPOSE, QUESTION, QUESTIONS, READ_PATH,
    SEARCHED, SEVERAL, STATUSES, STEP, TASK, TASK_LABEL, TTY, URL, WRITE_PATH, WRITE_WAIT, about,
    adapt,
};
use crate::schema::{
    Builtin, Field, Row, count, flag, number, objects, one_of, text, texts, whole,
};
use std::time::Duration;

pub(crate) const FAMILY: Family = Family {
    rows: ROWS,
    numbers: Numbers::Tab,
    layout: Layout::Ends,
    timeout: Some(Duration::from_secs(120)),
};

/// GLM.
pub(crate) const GLM: Family = Family { rows: ROWS, ..FAMILY };

const ROWS: &[Row] = &[
    Row::new(
        Builtin::Read,
        "Read",
        about!("read"),
        &[
            text("file_path", "path", READ_PATH).required(),
            count("offset", "offset", OFFSET),
            count("limit", "limit", LIMIT),
        ],
    ),
    Row::new(
        Builtin::Shell,
        "Bash",
        about!("shell"),
        &[
            text("command", "command", COMMAND).required(),
            number("timeout", "timeoutMs", MILLISECONDS),
            text("description", "description", PURPOSE),
            flag("run_in_background", "background", BACKGROUND),
            flag("tty", "tty", TTY),
        ],
    )
    .ignoring(&["dangerouslyDisableSandbox"])
    .adapted(adapt::command),
    TASK_OUTPUT,
    TASK_STOP,
    TASK_INPUT,
    Row::new(
        Builtin::Edit,
        "Edit",
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
        "Write",
        about!("write"),
        &[
            text("file_path", "path", WRITE_PATH).required(),
            text("content", "content", CONTENT).required(),
        ],
    ),
    Row::new(Builtin::Grep, "Grep", about!("grep"), GREP)
        .fixing(SEARCH_FLAGS)
        .adapted(adapt::files_by_default),
    Row::new(
        Builtin::Find,
        "Glob",
        about!("find"),
        &[text("pattern", "pattern", GLOB).required(), text("path", "path", IN_FOLDER)],
    ),
    Row::new(
        Builtin::Todo,
        "TodoWrite",
        about!("todo"),
        &[objects(
            "todos",
            "items",
            &[
                text("content", "content", STEP).required(),
                one_of("status", "status", STATUSES, "").required(),
                text("activeForm", "remark", "The same in progressive form: Running the tests"),
            ],
            LIST,
        )
        .required()],
    ),
    RECALL,
    Row::new(
        Builtin::Fetch,
        "WebFetch",
        about!("fetch"),
        &[
            text("url", "url", URL).required(),
            text("prompt", "remark", "What you are looking for there"),
        ],
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
                flag("multiSelect", "multiple", SEVERAL),
            ],
            QUESTIONS,
        )
        .required()],
    )
    .ignoring(&["answers", "annotations", "metadata", "preview"]),
    Row::new(
        Builtin::ExitPlan,
        "ExitPlanMode",
        about!("exit_plan"),
        &[text("plan", "plan", PLAN).required()],
    )
    .ignoring(&["allowedPrompts", "pushToRemote"]),
    Row::new(
        Builtin::RunAgent,
        "Agent",
        about!("run_agent"),
        &[
            text("description", "remark", TASK_LABEL).required(),
            text("prompt", "task", TASK).required(),
            text("subagent_type", "agent", super::AGENT),
            text("model", "model", super::MODEL),
        ],
    )
    .ignoring(&["run_in_background", "name", "mode"]),
];

/// Reads a background job's output.
pub(super) const TASK_OUTPUT: Row = Row::new(
    Builtin::JobRead,
    "TaskOutput",
    about!("job_read"),
    &[
        text("task_id", "id", "The job, such as job-1").required(),
        flag("block", "block", "Wait for new output (default true)"),
        number("timeout", "waitMs", "Maximum wait in milliseconds (default 30000, at most 120000)"),
    ],
)
.ignoring(&["bash_id", "filter"])
.adapted(adapt::read_job);

/// Ends a background job.
pub(super) const TASK_STOP: Row = Row::new(
    Builtin::JobStop,
    "TaskStop",
    about!("job_stop"),
    &[text("task_id", "id", "The job, such as job-1").required()],
)
.ignoring(&["shell_id"])
.adapted(adapt::stop_job);

/// Types into a background job's terminal. Claude Code has no such tool.
pub(super) const TASK_INPUT: Row = Row::new(
    Builtin::JobWrite,
    "TaskInput",
    about!("job_write"),
    &[
        text("task_id", "id", "The job, such as job-1").required(),
        text("input", "input", INPUT),
        texts("keys", "keys", KEYS),
        number("timeout", "waitMs", WRITE_WAIT),
    ],
)
.adapted(adapt::write_job);

/// The search arguments, which Kimi's models know too.
pub(super) const GREP: &[Field] = &[
    text("pattern", "pattern", PATTERN).required(),
    text("path", "path", SEARCHED),
    text("glob", "glob", FILES),
    text("type", "type", "Only files of this type, such as rust, py, js, ts, go, java"),
    one_of(
        "output_mode",
        "mode",
        MODES,
        "Matching lines, paths of matching files (default), or match counts per file",
    ),
    whole("-A", "after", "Lines to show after each match"),
    whole("-B", "before", "Lines to show before each match"),
    whole("-C", "context", AROUND),
    flag("-i", "ignoreCase", IGNORE_CASE),
    count("head_limit", "limit", MATCHES),
    flag("multiline", "multiline", "Matches may span lines, and `.` matches line endings"),
];

/// Lines have their numbers in any case and are shown whole, and ignored files are not searched.
pub(super) const SEARCH_FLAGS: &[(&str, bool)] =
    &[("-n", true), ("-o", false), ("include_ignored", false)];
