//! Tool call ids in the form that a wire API accepts, unique within one conversation.
//!
//! The conversation keeps the ids given by the models, which may repeat from turn to turn (`functions.read:0`) or be too long for another
//! provider. The mapping depends only on earlier messages, so the same prefix always encodes to the same bytes and stays in the provider's
//! cache.

use std::collections::BTreeSet;

/// An id format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdForm {
    /// Letters, digits, `_` and `-`, at most this many.
    UpTo(usize),
    /// Exactly nine letters or digits.
    Nine,
}

/// The ids of one conversation while it is encoded, front to back.
#[derive(Debug)]
pub(super) struct CallIdMap {
    form: IdForm,
    used: BTreeSet<String>,
    /// Unanswered calls: the model's id and the wire's.
    open: Vec<(String, String)>,
}

impl CallIdMap {
    pub(super) fn new(form: IdForm) -> Self {
        Self { form, used: BTreeSet::new(), open: Vec::new() }
    }

    /// Begins an assistant message; earlier unanswered calls stay unanswered.
    pub(super) fn begin_turn(&mut self) {
        self.open.clear();
    }

    /// Returns a call's wire id.
    pub(super) fn call(&mut self, id: &str) -> String {
        let wire = (0..=u64::MAX)
            .map(|attempt| self.form.shape(id, attempt))
            .find(|wire| !self.used.contains(wire))
            .unwrap_or_default();
        self.used.insert(wire.clone());
        self.open.push((id.to_owned(), wire.clone()));
        wire
    }

    /// Returns the wire id for a call's result.
    pub(super) fn result(&mut self, id: &str) -> String {
        match self.open.iter().position(|(given, _)| given == id) {
            Some(at) => self.open.remove(at).1,
            None => self.form.shape(id, 0),
        }
    }
}

impl IdForm {
    /// Converts an id to this form; each attempt gives another result.
    fn shape(self, id: &str, attempt: u64) -> String {
        match self {
            Self::UpTo(max) => {
                let suffix = if attempt == 0 { String::new() } else { format!("_{}", attempt + 1) };
                let clean = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
                let mut wire: String =
                    id.chars().map(clean).take(max.saturating_sub(suffix.len())).collect();
                if wire.is_empty() {
                    wire.push_str("call");
                }
                wire + &suffix
            }
            Self::Nine => {
                let fits = id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric());
                if fits && attempt == 0 {
                    return id.to_owned();
                }
                let mut rest = fnv(id, attempt);
                (0..9)
                    .map(|_| {
                        let digit = u32::try_from(rest % 36).unwrap_or(0);
                        rest /= 36;
                        char::from_digit(digit, 36).unwrap_or('0')
                    })
                    .collect()
            }
        }
    }
}

/// FNV-1a: short, and the same in every run, which std's hasher does not promise.
fn fnv(text: &str, salt: u64) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ salt;
    text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_take_the_wires_form_and_stay_apart() {
        let long = "a".repeat(50);
        let alike = format!("{}b", "a".repeat(45));
        for (form, ids, want) in [
            (
                IdForm::UpTo(64),
                vec!["toolu_01A-b", "functions.read:0"],
                vec!["toolu_01A-b", "functions_read_0"],
            ),
            (IdForm::UpTo(64), vec!["0", "0", "0"], vec!["0", "0_2", "0_3"]),
            (IdForm::UpTo(64), vec!["", "ü"], vec!["call", "_"]),
            (IdForm::UpTo(64), vec!["a:b", "a.b"], vec!["a_b", "a_b_2"]),
            (IdForm::UpTo(8), vec![&long, &alike], vec!["aaaaaaaa", "aaaaaa_2"]),
            (IdForm::Nine, vec!["D681PevKs"], vec!["D681PevKs"]),
        ] {
            let mut map = CallIdMap::new(form);
            let got: Vec<_> = ids.iter().map(|id| map.call(id)).collect();
            assert_eq!(got, want);
            let results: Vec<_> = ids.iter().map(|id| map.result(id)).collect();
            assert_eq!(results, got, "results follow their calls");
        }
    }

    #[test]
    fn nine_characters_are_made_of_any_id() {
        let mut map = CallIdMap::new(IdForm::Nine);
        let ids: BTreeSet<_> = ["call_1", "call_1", "toolu_01", ""].map(|id| map.call(id)).into();
        assert_eq!(ids.len(), 4);
        assert!(
            ids.iter().all(|id| id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()))
        );
    }

    #[test]
    fn an_id_that_comes_back_in_a_later_turn_is_another_call() {
        let mut map = CallIdMap::new(IdForm::UpTo(40));
        map.begin_turn();
        assert_eq!((map.call("x:0"), map.result("x:0")), ("x_0".into(), "x_0".into()));
        map.begin_turn();
        assert_eq!((map.call("x:0"), map.result("x:0")), ("x_0_2".into(), "x_0_2".into()));
    }
}
