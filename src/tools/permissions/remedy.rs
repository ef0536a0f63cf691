//! The least that would have allowed a call which does not run: a wider mode, rules, or both. Pure; each proposal is decided about as
//! the call was, so that none is named that would not do.

use super::propose::{leaving, needs_to_leave, propose, with_rules};
use super::{Action, Call, Context, Decision, Kind, Rule, decide};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::item::Denial;

/// Returns who decided about a call, and the least that would have allowed it: the mode that lets changes and confined commands run, else
/// rules, else both, else the widest mode. Nothing is proposed for secrets, nor against a rule that denies or asks, and nothing that keeps a
/// command in the sandbox if it does not work there.
pub fn denial(call: &Call, ctx: &Context<'_>) -> Denial {
    let decided_by = decide(call, ctx).by;
    let edits = (ctx.mode < PermissionMode::AutoEdit).then_some(PermissionMode::AutoEdit);
    let full = (ctx.mode < PermissionMode::Full).then_some(PermissionMode::Full);
    let in_mode = |mode: Option<PermissionMode>| Context { mode: mode.unwrap_or(ctx.mode), ..*ctx };
    let needs_to_leave = needs_to_leave(call, ctx);
    let allows = |ctx: &Context<'_>| {
        let verdict = decide(call, ctx);
        verdict.decision == Decision::Allow && !(needs_to_leave && verdict.is_confined())
    };
    let by_rules = |mode| {
        let ctx = in_mode(mode);
        let rules = rules(call, &ctx)?;
        with_rules(&rules, &ctx, allows).then_some((mode, rules))
    };
    let by_mode =
        |mode: PermissionMode| allows(&in_mode(Some(mode))).then(|| (Some(mode), Vec::new()));
    let found = edits
        .and_then(by_mode)
        .or_else(|| by_rules(None))
        .or_else(|| edits.and_then(|mode| by_rules(Some(mode))))
        .or_else(|| full.and_then(by_mode));
    let (mode, rules) = found.unwrap_or_default();
    Denial { decided_by, mode, rules: rules.iter().map(Rule::to_string).collect() }
}

/// Returns the rules to try: those that an approval request would propose, else one for each file that would be changed.
fn rules(call: &Call, ctx: &Context<'_>) -> Option<Vec<Rule>> {
    let proposed = if needs_to_leave(call, ctx) {
        leaving(call, ctx)
    } else {
        propose(call, &decide(call, ctx), ctx)
    };
    if !proposed.is_empty() {
        return Some(proposed);
    }
    let Action::Write(paths) = &call.action else { return None };
    let rule = |path: &super::CheckedPath| Rule {
        kind: Some(Kind::Write),
        path: Some(globset::escape(&path.resolved.to_string_lossy())),
        ..Rule::new(Decision::Allow)
    };
    Some(paths.iter().map(rule).collect())
}
