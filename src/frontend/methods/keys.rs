//! Stored texts that the client chooses: its request keys and its id.

use crate::rpc::{HandlerResult, invalid};

/// Maximum length of such a text, in characters: real texts are a fraction of this.
const MAX_CHARS: usize = 200;

/// Refuses a text that is too long.
pub(super) fn check_length(path: &str, text: &str) -> HandlerResult<()> {
    let chars = text.chars().count();
    if chars <= MAX_CHARS {
        return Ok(());
    }
    let hint = format!("send at most {MAX_CHARS}");
    Err(invalid(path, &format!("has {chars} characters"), hint))
}

/// Refuses a key that is empty or too long.
pub(super) fn check_key(key: Option<&str>) -> HandlerResult<()> {
    let Some(key) = key else { return Ok(()) };
    if key.is_empty() {
        let hint = "omit it, or send a text such as a UUID".to_owned();
        return Err(invalid("/key", "the key is empty", hint));
    }
    check_length("/key", key)
}
