//! Finds credentials in text by their published formats: prefixes such as `ghp_`, JSON web tokens, private keys, HTTP headers.
//!
//! This is for text that leaves the engine: exports, logs, server errors. It is not for text that a model reads or a journal stores: a
//! project may contain such a string on purpose, an edit must match it exactly, and sessions are replayed from their journals. Only the
//! keys of this process are redacted there (`ambient::Secrets`).

use std::borrow::Cow;

/// The text that replaces a credential.
const REDACTED: &str = "***";

/// Compares a secret with a presented value in constant time.
pub fn is_same(one: &str, other: &str) -> bool {
    let differs = one.bytes().zip(other.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    one.len() == other.len() && differs == 0
}

/// A form of credentials: its beginning, and the minimum number of characters behind it.
struct Form {
    prefix: &'static str,
    least: usize,
    /// The characters behind the prefix, besides letters and digits.
    others: &'static str,
}

const fn form(prefix: &'static str, least: usize, others: &'static str) -> Form {
    Form { prefix, least, others }
}

/// Source: the makers' own documentation of their keys, and the rules of gitleaks 8, read 2026-11.
const FORMS: [Form; 22] = [
    form("sk-", 20, "-_"),
    form("sk_live_", 16, ""),
    form("rk_live_", 16, ""),
    form("ghp_", 36, ""),
    form("gho_", 36, ""),
    form("ghu_", 36, ""),
    form("ghs_", 36, ""),
    form("ghr_", 36, ""),
    form("github_pat_", 22, "_"),
    form("glpat-", 20, "-_"),
    form("AKIA", 16, ""),
    form("ASIA", 16, ""),
    form("xoxb-", 10, "-"),
    form("xoxp-", 10, "-"),
    form("xoxa-", 10, "-"),
    form("xoxr-", 10, "-"),
    form("xoxs-", 10, "-"),
    form("AIza", 35, "-_"),
    form("npm_", 36, ""),
    form("hf_", 30, ""),
    form("xai-", 40, "-_"),
    form("gsk_", 40, ""),
];

/// Replaces credentials in a text. The prefix stays, so that a reader knows the kind.
///
/// # Example
///
/// ```
/// use pintle_base::text::credentials::redact;
///
/// let header = "Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345";
/// assert_eq!(redact(header), "Authorization: Bearer ***");
/// assert_eq!(redact("the bearer of good news"), "the bearer of good news");
/// ```
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = next(text, at) {
        out.push_str(text.get(copied..found.keep_until).unwrap_or_default());
        out.push_str(REDACTED);
        copied = found.end;
        at = found.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// A credential in a text, by byte offsets.
struct Found {
    /// Where the visible part ends.
    keep_until: usize,
    /// The end offset.
    end: usize,
}

/// Finds the next credential from an offset on.
fn next(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let begins_word = at == 0 || bytes.get(at - 1).is_none_or(|byte| !is_word(*byte));
        // Only these begin one of the forms, so that other text is passed quickly.
        let first = rest.first().copied().unwrap_or_default();
        if matches!(
            first,
            b's' | b'r' | b'g' | b'A' | b'x' | b'n' | b'h' | b'e' | b'-' | b'B' | b'b'
        ) {
            let found = if first == b'-' {
                private_key(text, at)
            } else if begins_word {
                known_form(bytes, at).or_else(|| web_token(bytes, at)).or_else(|| bearer(text, at))
            } else {
                None
            };
            if found.is_some() {
                return found;
            }
        }
        at += 1;
    }
    None
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The number of bytes from an offset on that are letters, digits or one of these.
fn run(bytes: &[u8], at: usize, others: &str) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || others.as_bytes().contains(byte);
    rest.iter().take_while(belongs).count()
}

fn known_form(bytes: &[u8], at: usize) -> Option<Found> {
    let rest = bytes.get(at..)?;
    FORMS.iter().find_map(|form| {
        rest.starts_with(form.prefix.as_bytes()).then_some(())?;
        let keep_until = at + form.prefix.len();
        let length = run(bytes, keep_until, form.others);
        let body = bytes.get(keep_until..keep_until + length)?;
        // A name in kebab case, such as `sk-toggleable-content-label`, is none.
        let is_random = body.iter().any(u8::is_ascii_digit);
        (length >= form.least && is_random)
            .then_some(Found { keep_until, end: keep_until + length })
    })
}

/// A JSON web token: three parts in base64, of which the first begins with `{"`.
fn web_token(bytes: &[u8], at: usize) -> Option<Found> {
    const LEAST: usize = 10;
    bytes.get(at..)?.starts_with(b"eyJ").then_some(())?;
    let mut end = at;
    for part in 0..3 {
        if part > 0 {
            (bytes.get(end) == Some(&b'.')).then_some(())?;
            end += 1;
        }
        let length = run(bytes, end, "-_");
        (length >= LEAST).then_some(())?;
        end += length;
    }
    Some(Found { keep_until: at + 3, end })
}

/// The credential behind `Bearer`, as a header has it.
fn bearer(text: &str, at: usize) -> Option<Found> {
    const LEAST: usize = 16;
    let word = text.get(at..at + 7)?;
    word.eq_ignore_ascii_case("bearer ").then_some(())?;
    let keep_until = at + 7;
    let length = run(text.as_bytes(), keep_until, "-_.~+/=");
    let body = text.as_bytes().get(keep_until..keep_until + length)?;
    (length >= LEAST && body.iter().any(u8::is_ascii_digit))
        .then_some(Found { keep_until, end: keep_until + length })
}

/// Matches a PEM private key, up to its last line or the text's end.
fn private_key(text: &str, at: usize) -> Option<Found> {
    const LONGEST_HEAD: usize = 80;
    let rest = text.get(at..)?;
    let label = rest.strip_prefix("-----BEGIN ")?;
    let head = label.find("-----").filter(|length| *length < LONGEST_HEAD)?;
    label.get(..head)?.ends_with("PRIVATE KEY").then_some(())?;
    let keep_until = at + "-----BEGIN ".len() + head + "-----".len();
    let body = text.get(keep_until..)?;
    // The base64 is the credential; a header alone, in a guide, is none.
    run(body.trim_start_matches(['\n', '\r', '\\', 'n', ' ']).as_bytes(), 0, "+/=")
        .ge(&16)
        .then_some(())?;
    let end = body.find("-----END").map_or(text.len(), |length| keep_until + length);
    Some(Found { keep_until, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_replaced_and_other_text_is_not() {
        let digits = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
        let n = |count: usize| digits.get(..count).unwrap();
        let (n36, n35, n20, n16) = (n(36), n(35), n(20), n(16));
        for (text, want) in [
            (format!("key sk-{n20}."), "key sk-***.".to_owned()),
            (format!("sk-ant-api03-{n20}-x_y"), "sk-***".to_owned()),
            (format!("\"ghp_{n36}\""), "\"ghp_***\"".to_owned()),
            (format!("github_pat_{n20}_{n20}"), "github_pat_***".to_owned()),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), "AKIA***".to_owned()),
            (format!("xoxb-{n20}-{n20}"), "xoxb-***".to_owned()),
            (format!("glpat-{n20}"), "glpat-***".to_owned()),
            (format!("AIza{n35}"), "AIza***".to_owned()),
            (format!("npm_{n36}"), "npm_***".to_owned()),
            (format!("eyJ{n20}.{n20}.{n20}"), "eyJ***".to_owned()),
            (format!("Authorization: Bearer {n20}"), "Authorization: Bearer ***".to_owned()),
            (format!("authorization: bearer {n16}\\n"), "authorization: bearer ***\\n".to_owned()),
            (
                format!(
                    "-----BEGIN RSA PRIVATE KEY-----\n{n36}\n{n36}\n-----END RSA PRIVATE KEY-----\nx"
                ),
                "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----\nx".to_owned(),
            ),
            (
                format!("\"-----BEGIN PRIVATE KEY-----\\n{n36}"),
                "\"-----BEGIN PRIVATE KEY-----***".to_owned(),
            ),
            (format!("sk-{n20} and ghp_{n36} ü"), "sk-*** and ghp_*** ü".to_owned()),
        ] {
            assert_eq!(redact(&text), want, "{text}");
            assert_eq!(redact(&want), want, "once more");
        }
        for text in [
            "plain",
            "sk-",
            "sk-toggleable-content-label-more",
            "task-1234567890123456789012345",
            "disk-a1B2c3D4e5F6g7H8i9J0k1",
            "ghp_short",
            "AKIA",
            "eyJ.eyJ.eyJ",
            "Bearer of bad news",
            "Bearer token",
            "-----BEGIN PRIVATE KEY-----\n…",
            "-----BEGIN CERTIFICATE-----\nMIIB",
            "npm_config_cache",
            "ü",
            "b",
            "-",
        ] {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text} became {}", redact(text));
        }
    }
}
