//! Lint after edit: a configured command checks the files changed by a batch of calls, and the model reads its output.
//!
//! It runs once per batch, on the machine where tools run. Pure code here decides which output to report: failures always, anything else
//! only if it is new.

use crate::host::TurnHost;
use crate::turn::check_settings::Lint;
use crate::turn::context::TurnContext;
use crate::turn::permit::CheckRun;
use pintle_base::text::truncate::{self, Guard, Keep};
use pintle_exec::{Command, End};
use pintle_protocol::diff::FileChange;
use pintle_protocol::event::{Event, Notice, NoticeLevel};
use pintle_session::context::conversation::from_engine;

/// The limits on output sent to the model.
const GUARD: Guard = Guard { max_chars: 10_000, max_lines: Some(200), keep: Keep::HeadAndTail };

/// Returns the message for the model, if any.
fn message_for_model(code: i32, said: &str, before: &str) -> Option<String> {
    let said = said.trim();
    if code == 0 && (said.is_empty() || said == before) {
        return None;
    }
    let cut = truncate::guard(said, GUARD, "run the check to see the full output");
    let said = cut.as_deref().unwrap_or(said);
    let how = if code == 0 { "says".to_owned() } else { format!("failed with exit code {code}") };
    Some(from_engine(format_args!(
        "after your changes, the project's check {how}. Its output:\n\n{said}"
    )))
}

/// Checks a batch's changes. `before` is the previous output.
pub(crate) async fn run<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    lint: &Lint,
    changes: &[FileChange],
    before: &mut String,
) -> Option<String> {
    let (workspace, owner, cancel) = (&ctx.workspace, &ctx.session_id, &ctx.cancel);
    let cwd = &workspace.folders.cwd;
    let files = lint.files(cwd, changes);
    if files.is_empty() || cancel.is_cancelled() {
        return None;
    }
    let confinement = match ctx.permissions.check_run() {
        CheckRun::Free => None,
        CheckRun::Confined(confinement) => Some(confinement),
        CheckRun::Withheld => {
            host.record(Event::Notice(Notice {
                level: NoticeLevel::Warning,
                code: "lintWithheld".to_owned(),
                message: format!(
                    "`{}` did not run: it may execute code that the model wrote, and there is no sandbox",
                    lint.command
                ),
                hint: Some("run it yourself, or use `ask` mode".to_owned()),
            }));
            return None;
        }
    };
    let command = Command {
        timeout: Some(lint.timeout),
        confinement,
        ..Command::new(lint.line(&files), cwd.clone(), owner.as_str())
    };
    let ran = host.wait(workspace.env.exec(command, cancel, &mut |_| {})).await;
    let what = match ran {
        Ok(ran) => match ran.end {
            End::Exited(code) => {
                let text = message_for_model(code, &ran.tail, before);
                ran.tail.trim().clone_into(before);
                return text;
            }
            End::Cancelled => return None,
            End::TimedOut => format!("took longer than {} s", lint.timeout.as_secs_f64()),
            End::Signalled(signal) => format!("was killed by {signal}"),
        },
        Err(error) => format!("could not be run: {error}"),
    };
    let notice = Notice {
        level: NoticeLevel::Warning,
        code: "lintFailed".to_owned(),
        message: format!("`{}` {what}", lint.command),
        hint: Some("correct `[lint]` in the config file; the turn continues without it".to_owned()),
    };
    host.record(Event::Notice(notice));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_always_told_and_anything_else_when_it_is_new() {
        for (name, code, said, before, is_told) in [
            ("well and silent", 0, "\n", "", false),
            ("a warning", 0, "unused\n", "", true),
            ("the same warning", 0, "unused\n", "unused", false),
            ("another warning", 0, "too long", "unused", true),
            ("a failure", 1, "broken", "", true),
            ("the same failure", 1, "broken", "broken", true),
            ("a silent failure", 2, "", "", true),
        ] {
            assert_eq!(message_for_model(code, said, before).is_some(), is_told, "{name}");
        }
    }
}
