//! A hook's decision, derived from its answer or its failure. Pure.

use pintle_protocol::hook::{HookAnswer, HookDecision, HookPoint, HookRun, OnFailure};

/// The combined decision of the hooks at a point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ruling {
    /// The first denial's reason, if any.
    pub(crate) denied: Option<String>,
    /// Set if a hook has handled the message itself; a text for the user.
    pub(crate) handled: Option<String>,
    /// Text that the model reads in addition.
    pub(crate) context: Vec<String>,
}

/// Returns true for points at which a denial stops something.
pub(crate) fn is_gate(point: HookPoint) -> bool {
    match point {
        HookPoint::InputReceived
        | HookPoint::BeforeAgent
        | HookPoint::BeforeModelRequest
        | HookPoint::BeforeToolCall
        | HookPoint::SessionCompact
        | HookPoint::SessionFork
        | HookPoint::SessionSwitch => true,
        HookPoint::ContextBuilt
        | HookPoint::AfterModelResponse
        | HookPoint::AfterToolCall
        | HookPoint::SessionStart
        | HookPoint::SessionEnd => false,
    }
}

/// Parses a hook's output. Empty output is a valid answer.
pub(crate) fn read(printed: &[u8]) -> Result<HookAnswer, String> {
    if printed.trim_ascii().is_empty() {
        return Ok(HookAnswer::default());
    }
    serde_json::from_slice(printed)
        .map_err(|error| format!("did not print a JSON document with an answer: {error}"))
}

/// Takes an answer: the next hook sees what this one changed.
pub(crate) fn take(
    run: &mut HookRun,
    answer: HookAnswer,
    ruling: &mut Ruling,
) -> Result<(), String> {
    let HookAnswer { decision, reason, input, system, conversation, arguments, result, context } =
        answer;
    let point = run.point;
    let no = |what: &str| Err(format!("returned `{what}`, which is not valid at this hook point"));
    if decision == Some(HookDecision::Deny) {
        if !is_gate(point) {
            return no("decision");
        }
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        ruling.denied = Some(reason.unwrap_or_else(|| "denied by a hook".to_owned()));
        return Ok(());
    }
    if decision == Some(HookDecision::Handled) {
        if point != HookPoint::InputReceived {
            return no("decision");
        }
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        ruling.handled = Some(reason.unwrap_or_else(|| "a hook handled the message".to_owned()));
        return Ok(());
    }
    if input.is_some() && !matches!(point, HookPoint::InputReceived | HookPoint::BeforeAgent) {
        return no("input");
    }
    if system.is_some() && point != HookPoint::BeforeAgent {
        return no("system");
    }
    if conversation.is_some() && point != HookPoint::ContextBuilt {
        return no("conversation");
    }
    if arguments.is_some() && point != HookPoint::BeforeToolCall {
        return no("arguments");
    }
    if result.is_some() && point != HookPoint::AfterToolCall {
        return no("result");
    }
    if context.is_some() && !matches!(point, HookPoint::BeforeAgent | HookPoint::ContextBuilt) {
        return no("context");
    }
    if input.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err("returned an empty `input`; deny the message instead".to_owned());
    }
    if arguments.as_ref().is_some_and(|arguments| !arguments.is_object()) {
        return Err("returned `arguments` that are not an object".to_owned());
    }
    run.input = input.or(run.input.take());
    run.system = system.or(run.system.take());
    run.conversation = conversation.or(run.conversation.take());
    if let (Some(call), Some(arguments)) = (&mut run.call, arguments) {
        call.arguments = arguments;
    }
    run.result = result.or(run.result.take());
    ruling.context.extend(context.filter(|text| !text.trim().is_empty()));
    Ok(())
}

/// Applies a hook's failure.
pub(crate) fn fail(name: &str, what: &str, point: HookPoint, on: OnFailure, ruling: &mut Ruling) {
    match on {
        OnFailure::Closed if is_gate(point) => {
            ruling.denied = Some(format!("the hook `{name}` {what}, and the hook must succeed"));
        }
        OnFailure::Closed | OnFailure::Open => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::hook::{HookCall, HookResult};
    use pintle_protocol::ids::{ItemId, SessionId};
    use pintle_protocol::item::ToolKind;
    use serde_json::json;

    fn run(point: HookPoint) -> HookRun {
        let call = HookCall {
            item_id: ItemId::new("i"),
            tool_name: "bash".to_owned(),
            kind: ToolKind::Execute,
            title: String::new(),
            arguments: json!({"command": "ls"}),
            locations: Vec::new(),
        };
        HookRun {
            point,
            session_id: SessionId::new("s"),
            turn_id: None,
            cwd: "/w".to_owned(),
            input: (point == HookPoint::InputReceived).then(|| "hi".to_owned()),
            images: Vec::new(),
            system: None,
            conversation: None,
            to_seq: None,
            call: Some(call),
            result: Some(HookResult { text: "a".to_owned(), is_error: false }),
            response: None,
            messages: None,
            open_todos: None,
        }
    }

    #[test]
    fn an_answer_means_what_its_point_allows() {
        use HookPoint::{AfterToolCall, BeforeAgent, BeforeToolCall, InputReceived};
        let rows = [
            ("nothing", BeforeToolCall, ""),
            ("an empty answer", BeforeToolCall, "{}"),
            ("yes", BeforeToolCall, r#"{"decision":"allow"}"#),
            ("no", BeforeToolCall, r#"{"decision":"deny","reason":"not here"}"#),
            ("no without a reason", InputReceived, r#"{"decision":"deny"}"#),
            ("handled", InputReceived, r#"{"decision":"handled","reason":"/deploy was run"}"#),
            ("handled where there is no message", BeforeToolCall, r#"{"decision":"handled"}"#),
            ("another system prompt", BeforeAgent, r#"{"system":"be brief"}"#),
            ("other messages in the wrong place", BeforeAgent, r#"{"conversation":[]}"#),
            ("other arguments", BeforeToolCall, r#"{"arguments":{"command":"ls -l"}}"#),
            ("arguments that are none", BeforeToolCall, r#"{"arguments":"ls"}"#),
            ("another text", InputReceived, r#"{"input":"hello"}"#),
            ("an empty text", InputReceived, r#"{"input":" "}"#),
            ("another result", AfterToolCall, r#"{"result":{"text":"b","failed":true}}"#),
            ("context", BeforeAgent, r#"{"context":"it rains"}"#),
            ("context where there is none", AfterToolCall, r#"{"context":"it rains"}"#),
            ("a denial of what has happened", AfterToolCall, r#"{"decision":"deny"}"#),
            ("an unknown field", BeforeToolCall, r#"{"verdict":"no"}"#),
            ("an unknown decision", BeforeToolCall, r#"{"decision":"maybe"}"#),
            ("no JSON", BeforeToolCall, "ok"),
            ("two documents", BeforeToolCall, "{}{}"),
        ];
        let told = rows.map(|(name, point, printed)| {
            let (mut run, mut ruling) = (run(point), Ruling::default());
            let taken =
                read(printed.as_bytes()).and_then(|answer| take(&mut run, answer, &mut ruling));
            let arguments = run.call.map(|call| call.arguments.to_string()).unwrap_or_default();
            let result = run.result.map(|result| result.text).unwrap_or_default();
            match taken {
                Err(error) => format!("{name}: it {error}"),
                Ok(()) => format!("{name}: {ruling:?} {:?} {arguments} {result}", run.input),
            }
        });
        expect_test::expect![[r#"
            nothing: Ruling { denied: None, handled: None, context: [] } None {"command":"ls"} a
            an empty answer: Ruling { denied: None, handled: None, context: [] } None {"command":"ls"} a
            yes: Ruling { denied: None, handled: None, context: [] } None {"command":"ls"} a
            no: Ruling { denied: Some("not here"), handled: None, context: [] } None {"command":"ls"} a
            no without a reason: Ruling { denied: Some("denied by a hook"), handled: None, context: [] } Some("hi") {"command":"ls"} a
            handled: Ruling { denied: None, handled: Some("/deploy was run"), context: [] } Some("hi") {"command":"ls"} a
            handled where there is no message: it returned `decision`, which is not valid at this hook point
            another system prompt: Ruling { denied: None, handled: None, context: [] } None {"command":"ls"} a
            other messages in the wrong place: it returned `conversation`, which is not valid at this hook point
            other arguments: Ruling { denied: None, handled: None, context: [] } None {"command":"ls -l"} a
            arguments that are none: it returned `arguments` that are not an object
            another text: Ruling { denied: None, handled: None, context: [] } Some("hello") {"command":"ls"} a
            an empty text: it returned an empty `input`; deny the message instead
            another result: Ruling { denied: None, handled: None, context: [] } None {"command":"ls"} b
            context: Ruling { denied: None, handled: None, context: ["it rains"] } None {"command":"ls"} a
            context where there is none: it returned `context`, which is not valid at this hook point
            a denial of what has happened: it returned `decision`, which is not valid at this hook point
            an unknown field: it did not print a JSON document with an answer: unknown field `verdict`, expected one of `decision`, `reason`, `input`, `system`, `conversation`, `arguments`, `result`, `context` at line 1 column 10
            an unknown decision: it did not print a JSON document with an answer: unknown variant `maybe`, expected one of `allow`, `deny`, `handled` at line 1 column 19
            no JSON: it did not print a JSON document with an answer: expected value at line 1 column 1
            two documents: it did not print a JSON document with an answer: trailing characters at line 1 column 3"#]].assert_eq(&told.join("\n"));
    }

    #[test]
    fn a_failure_closes_a_gate_unless_it_is_set_to_stay_open() {
        for (name, point, on, is_denied) in [
            ("a gate", HookPoint::BeforeToolCall, OnFailure::Closed, true),
            ("an open gate", HookPoint::BeforeToolCall, OnFailure::Open, false),
            ("no gate", HookPoint::AfterToolCall, OnFailure::Closed, false),
        ] {
            let mut ruling = Ruling::default();
            fail("check", "took too long", point, on, &mut ruling);
            assert_eq!(ruling.denied.is_some(), is_denied, "{name}");
        }
    }
}
