//! Trace that requests belong to, in W3C Trace Context format. The client provides it; this module never creates one.
//!
//! Source: <https://www.w3.org/TR/trace-context/>.

use std::sync::Arc;

/// The maximum length of a forwarded `tracestate` in bytes, which the standard requires every system to accept.
const MAX_STATE_BYTES: usize = 512;

/// A trace; none by default. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace(Option<Arc<(String, Option<String>)>>);

impl Trace {
    /// Creates a trace from a `traceparent` and a `tracestate`. A malformed parent gives no trace, and a state
    /// without a parent is ignored.
    pub fn new(parent: Option<&str>, state: Option<&str>) -> Self {
        let parent = parent.filter(|parent| is_parent(parent));
        let is_sent = |state: &&str| {
            state.len() <= MAX_STATE_BYTES && state.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        };
        let state = state.filter(is_sent).map(str::to_owned);
        Self(parent.map(|parent| Arc::new((parent.to_owned(), state))))
    }

    /// Returns the headers for a request in this trace.
    pub fn headers(&self) -> Vec<(String, String)> {
        let Some((parent, state)) = self.0.as_deref() else { return Vec::new() };
        let parent = ("traceparent".to_owned(), parent.clone());
        let state = state.iter().map(|state| ("tracestate".to_owned(), state.clone()));
        [parent].into_iter().chain(state).collect()
    }
}

/// Returns true for version, trace, span and flags in lower-case hexadecimal; a later version may append more.
fn is_parent(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut is_hex = |length: usize| {
        let part = parts.next().unwrap_or_default();
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_all = |wanted: &str| part == wanted.repeat(length / 2);
        (part.len() == length && part.bytes().all(is_hex), is_all("00"), is_all("ff"))
    };
    let (version, trace, span, flags) = (is_hex(2), is_hex(32), is_hex(16), is_hex(2));
    let is_known = version.1;
    let is_well_formed = version.0 && trace.0 && span.0 && flags.0;
    is_well_formed
        && !version.2
        && !trace.1
        && !span.1
        && text.len() < 256
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && (!is_known || parts.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_well_formed_trace_is_sent_on() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let upper = good.to_uppercase();
        let later = format!("01{}-more", good.trim_start_matches("00"));
        let long = format!("{good}-more");
        let state = "a=1,b=2";
        let rows = [
            (Some(good), None, vec![("traceparent", good)]),
            (Some(good), Some(state), vec![("traceparent", good), ("tracestate", state)]),
            (Some(good), Some("a=\n"), vec![("traceparent", good)]),
            (Some(later.as_str()), None, vec![("traceparent", later.as_str())]),
            (Some(long.as_str()), None, vec![]),
            (Some(upper.as_str()), None, vec![]),
            (Some("00-00000000000000000000000000000000-b7ad6b7169203331-01"), None, vec![]),
            (Some("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"), None, vec![]),
            (Some("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), None, vec![]),
            (Some("nonsense"), Some(state), vec![]),
            (None, Some(state), vec![]),
        ];
        for (parent, given, want) in rows {
            let want: Vec<(String, String)> =
                want.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            assert_eq!(Trace::new(parent, given).headers(), want, "{parent:?} {given:?}");
        }
    }
}
