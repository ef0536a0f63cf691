//! A subscription's filter, read from params. Pure.

use crate::rpc::{HandlerResult, invalid, nearest};
use pintle_agent::EventSelection;
use pintle_protocol::event::DeltaField;
use pintle_protocol::subscription::{DeltaCapability, EVENT_TYPES, EventFilter};
use std::time::Duration;

/// Maximum time for which deltas may be held back, in milliseconds: anything slower is not streaming.
const MAX_LATENCY_MS: u64 = 10_000;

/// The type of all deltas.
const DELTA: &str = "item.delta";

/// The fields that stream.
const FIELDS: [DeltaField; 4] =
    [DeltaField::Text, DeltaField::Args, DeltaField::Input, DeltaField::Output];

/// Minimum similarity of an event type that is treated as a typing error, from 0 to 1.
const MIN_LIKENESS: f64 = 0.75;

/// Checks the capability of `initialize`.
///
/// # Errors
/// Fails if its latency is out of range.
pub(super) fn check(deltas: Option<&DeltaCapability>) -> HandlerResult<()> {
    let latency_ms = deltas.and_then(|deltas| deltas.coalesce_ms);
    latency("/capabilities/deltas/coalesceMs", latency_ms).map(drop)
}

/// Returns the subscription filter of a client with this capability.
///
/// # Errors
/// Fails if a type is unknown, nothing is left, or the parts contradict each other.
pub(super) fn read(
    wanted: &EventFilter,
    deltas: Option<&DeltaCapability>,
) -> HandlerResult<EventSelection> {
    let EventFilter { include, exclude, max_latency_ms } = wanted;
    let included = include.as_deref().map(|patterns| types("/include", patterns)).transpose()?;
    let excluded = types("/exclude", exclude.as_deref().unwrap_or_default())?;
    let is_taken = |kind: &&str| {
        included.as_ref().is_none_or(|all| all.contains(kind)) && !excluded.contains(kind)
    };
    if !EVENT_TYPES.iter().any(is_taken) {
        let hint = "send `subscribe: false` to receive no events".to_owned();
        let path = if include.is_some() { "/include" } else { "/exclude" };
        return Err(invalid(path, "the filter excludes all events", hint));
    }
    let named =
        |patterns: &Option<Vec<String>>| patterns.iter().flatten().any(|pattern| pattern == DELTA);
    let without_deltas: Vec<DeltaField> = match deltas.and_then(|deltas| deltas.types.as_ref()) {
        Some(types) => FIELDS.into_iter().filter(|field| !types.contains(field)).collect(),
        None => Vec::new(),
    };
    let has_no_deltas = without_deltas.len() == FIELDS.len();
    if named(include) && (has_no_deltas || excluded.contains(&DELTA)) {
        let why = if has_no_deltas {
            "`include` contains `item.delta`, but the client's capability `deltas` has no types"
        } else {
            "`include` and `exclude` both contain `item.delta`"
        };
        return Err(invalid("/include", why, "remove one of them".to_owned()));
    }
    if max_latency_ms.is_some() && (has_no_deltas || !is_taken(&DELTA)) {
        let why = "`maxLatencyMs` applies to deltas, but the filter excludes them";
        return Err(invalid("/maxLatencyMs", why, "remove one of them".to_owned()));
    }
    let latency = match max_latency_ms {
        Some(_) => latency("/maxLatencyMs", *max_latency_ms)?,
        None => latency("/maxLatencyMs", deltas.and_then(|deltas| deltas.coalesce_ms))?,
    };
    Ok(EventSelection {
        without: EVENT_TYPES.into_iter().filter(|kind| !is_taken(kind)).collect(),
        without_deltas: without_deltas.into(),
        max_latency: latency,
    })
}

fn latency(path: &str, latency_ms: Option<u64>) -> HandlerResult<Option<Duration>> {
    match latency_ms {
        Some(ms) if ms > MAX_LATENCY_MS => {
            let hint = format!("send 0 to {MAX_LATENCY_MS}");
            Err(invalid(path, &format!("{ms} is out of range"), hint))
        }
        Some(0) | None => Ok(None),
        Some(ms) => Ok(Some(Duration::from_millis(ms))),
    }
}

/// Returns the types that the patterns match.
fn types(place: &str, patterns: &[String]) -> HandlerResult<Vec<&'static str>> {
    let mut all = Vec::new();
    for (index, pattern) in patterns.iter().enumerate() {
        let found: Vec<&str> = match pattern.strip_suffix('*') {
            Some(beginning) => {
                EVENT_TYPES.into_iter().filter(|kind| kind.starts_with(beginning)).collect()
            }
            None => EVENT_TYPES.into_iter().filter(|kind| kind == pattern).collect(),
        };
        if found.is_empty() {
            return Err(unknown(&format!("{place}/{index}"), pattern));
        }
        all.extend(found);
    }
    Ok(all)
}

/// Returns the error for a type that does not exist, with the nearest one.
fn unknown(path: &str, pattern: &str) -> jsonrpsee::types::ErrorObjectOwned {
    let name = pattern.trim_end_matches('*');
    let message = match nearest(name, EVENT_TYPES.into_iter(), MIN_LIKENESS) {
        Some(nearest) => {
            format!("unknown event type `{pattern}`; did you mean `{nearest}`?")
        }
        None => format!("unknown event type `{pattern}`"),
    };
    let hint = "send event types, such as `item.completed`, or prefixes, such as `turn.*`";
    invalid(path, &message, hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn shown(params: Value, capability: Value) -> String {
        let wanted = serde_json::from_value(params).unwrap();
        let capability: Option<DeltaCapability> = serde_json::from_value(capability).unwrap();
        match read(&wanted, capability.as_ref()) {
            Ok(EventSelection { without, without_deltas, max_latency }) => {
                let kept = EVENT_TYPES.into_iter().filter(|kind| !without.contains(kind));
                let kept: Vec<&str> = kept.collect();
                let kept =
                    if kept.len() > 5 { format!("{} types", kept.len()) } else { kept.join(" ") };
                format!("{kept}, without {without_deltas:?}, {max_latency:?}")
            }
            Err(error) => {
                let data: Value = serde_json::from_str(error.data().unwrap().get()).unwrap();
                format!("{}: {}", data["path"].as_str().unwrap(), error.message())
            }
        }
    }

    #[test]
    fn filters_mean_what_they_say_or_are_refused_in_words() {
        let none = Value::Null;
        for (params, capability, want) in [
            (json!({}), none.clone(), "33 types, without [], None"),
            (
                json!({"include": ["turn.*"]}),
                none.clone(),
                "turn.started turn.completed, without [], None",
            ),
            (
                json!({"include": ["item.*", "session.notice"], "exclude": ["item.delta", "item.updated"]}),
                none.clone(),
                "item.started item.completed session.notice, without [], None",
            ),
            (json!({"exclude": ["item.delta"]}), none.clone(), "32 types, without [], None"),
            (
                json!({"include": ["*"], "maxLatencyMs": 50}),
                none.clone(),
                "33 types, without [], Some(50ms)",
            ),
            (json!({"maxLatencyMs": 0}), json!({"coalesceMs": 20}), "33 types, without [], None"),
            (json!({}), json!({"coalesceMs": 20}), "33 types, without [], Some(20ms)"),
            (json!({}), json!({}), "33 types, without [], None"),
            (
                json!({}),
                json!({"types": ["text"]}),
                "33 types, without [Args, Input, Output], None",
            ),
            (
                json!({}),
                json!({"types": []}),
                "33 types, without [Text, Args, Input, Output], None",
            ),
            (
                json!({"include": ["turn.start"]}),
                none.clone(),
                "/include/0: unknown event type `turn.start`; did you mean `turn.started`?",
            ),
            (
                json!({"exclude": ["session.state", "items.*"]}),
                none.clone(),
                "/exclude/1: unknown event type `items.*`; did you mean `item.delta`?",
            ),
            (json!({"include": ["zzz"]}), none.clone(), "/include/0: unknown event type `zzz`"),
            (
                json!({"include": ["turn.*.x"]}),
                none.clone(),
                "/include/0: unknown event type `turn.*.x`",
            ),
            (json!({"include": []}), none.clone(), "/include: the filter excludes all events"),
            (json!({"exclude": ["*"]}), none.clone(), "/exclude: the filter excludes all events"),
            (
                json!({"include": ["turn.started"], "exclude": ["turn.*"]}),
                none.clone(),
                "/include: the filter excludes all events",
            ),
            (
                json!({"include": ["item.delta", "session.state"], "exclude": ["item.*"]}),
                none.clone(),
                "/include: `include` and `exclude` both contain `item.delta`",
            ),
            (
                json!({"include": ["item.delta"]}),
                json!({"types": []}),
                "/include: `include` contains `item.delta`, but the client's capability `deltas` has no types",
            ),
            (
                json!({"exclude": ["item.*"], "maxLatencyMs": 5}),
                none.clone(),
                "/maxLatencyMs: `maxLatencyMs` applies to deltas, but the filter excludes them",
            ),
            (json!({"maxLatencyMs": 10_001}), none, "/maxLatencyMs: 10001 is out of range"),
        ] {
            assert_eq!(shown(params.clone(), capability), want, "{params}");
        }
    }
}
