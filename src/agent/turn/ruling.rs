//! The decision about a call before the user is asked. Calls that run alone and calls that run in parallel share it.

use crate::turn::approval;
use crate::turn::call::Call;
use crate::turn::context::{TurnContext, TurnState};
use crate::turn::mode;
use crate::turn::permit::Decided;
use pintle_protocol::item::Denial;
use pintle_protocol::plan::WorkMode;
use pintle_tools::permissions;
use pintle_tools::{Access, Prepared, Reader, ResolvedPaths};

/// Decides about a call that runs in parallel with others, and prepares its confinement.
///
/// # Errors
/// The call may change something or is not allowed; the text is for the model.
pub(super) async fn admit(
    ctx: &TurnContext,
    state: &TurnState,
    mode: WorkMode,
    call: &mut Call,
) -> Result<(), String> {
    if let Ok(prepared) = &call.prepared
        && !only_reads(prepared.as_ref())
    {
        return Err(
            "This call may now change something while other calls run. Make it again on its own."
                .to_owned(),
        );
    }
    match rule(ctx, state, mode, call).await {
        Ruling::Invalid => Ok(()),
        Ruling::Refused(reason, _) => Err(reason),
        Ruling::Ask(_, decided) => Err(approval::policy_text(&decided.verdict)),
        Ruling::Allowed(_, verdict) => {
            confine(ctx, state, call, &verdict);
            Ok(())
        }
    }
}

/// Returns true if a call changes nothing.
fn only_reads(prepared: &dyn Prepared) -> bool {
    match prepared.access() {
        Access::Read(_) | Access::Engine | Access::Fetch { .. } => true,
        Access::Execute(command) => permissions::Analysis::parse(&command).is_harmless(),
        Access::Other(_) => prepared.only_reads(),
        Access::Write(_) | Access::Type { .. } => false,
    }
}

/// The decision about a call before the user is asked.
pub(super) enum Ruling {
    /// Its arguments are invalid: it runs only to report that.
    Invalid,
    /// Refused: the text for the model, and what would have allowed the call.
    Refused(String, Option<Denial>),
    /// The user decides.
    Ask(Access, Box<Decided>),
    /// The call may run.
    Allowed(Access, permissions::CallDecision),
}

/// Decides about a call: whether its tool is withheld, then the work mode, then the permissions.
pub(super) async fn rule(
    ctx: &TurnContext,
    state: &TurnState,
    mode: WorkMode,
    call: &mut Call,
) -> Ruling {
    let access = match &call.prepared {
        Ok(prepared) => with_reader(ctx, prepared.access()).await,
        Err(why) if ctx.tools.withheld(&call.tool_name).is_some() => {
            return Ruling::Refused(why.clone(), Some(approval::withheld()));
        }
        Err(_) => return Ruling::Invalid,
    };
    if let Some(reason) = mode::denial(mode, &access) {
        return Ruling::Refused(reason, None);
    }
    let decided = decide(ctx, state, call, &access).await;
    match decided.verdict.decision {
        permissions::Decision::Allow => Ruling::Allowed(access, decided.verdict),
        permissions::Decision::Deny => {
            Ruling::Refused(approval::policy_text(&decided.verdict), decided.denial)
        }
        permissions::Decision::Ask => Ruling::Ask(access, Box::new(decided)),
    }
}

/// Adds the program that reads the typed text.
async fn with_reader(ctx: &TurnContext, mut access: Access) -> Access {
    if let Access::Type { job, reader, .. } = &mut access
        && let Ok(view) = ctx.tools.jobs.look(job).await
    {
        let terminal = view.terminal.as_ref().filter(|_| view.end.is_none());
        *reader = terminal.map(|terminal| Reader {
            // A program that is still being started is unknown.
            foreground: terminal.foreground().unwrap_or_default(),
            is_confined: view.is_confined,
        });
    }
    access
}

/// Confines a call according to its verdict and the answers so far.
pub(super) fn confine(
    ctx: &TurnContext,
    state: &TurnState,
    call: &mut Call,
    verdict: &permissions::CallDecision,
) {
    call.supervision.confinement =
        ctx.permissions.confinement(verdict, &call.tool_name, &state.grants);
    call.supervision.programs = ctx.permissions.denied_programs(verdict);
}

/// Decides about a call, and notes the paths that it acts on if it is allowed.
async fn decide(ctx: &TurnContext, state: &TurnState, call: &mut Call, access: &Access) -> Decided {
    let site = (&ctx.workspace).into();
    let decided = ctx.permissions.decide(site, &state.grants, call.acting_tool(), access).await;
    let resolved: ResolvedPaths = decided.paths.iter().cloned().collect();
    call.resolved = resolved.without(decided.left_out.clone());
    decided
}
