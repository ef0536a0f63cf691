//! Signature Version 4: headers that authenticate a request. Pure.
//!
//! All signed parts are signed as they are sent, so the URL's path must already be encoded.
//!
//! Source: docs.aws.amazon.com, "Create a signed AWS API request", and the examples published with it, read 2026-11.

use pintle_base::ambient::Secret;
use ring::{digest, hmac};
use std::fmt::Write;

/// An account's keys.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// The public half.
    pub id: String,
    /// The secret half.
    pub secret: Secret,
    /// Token that accompanies temporary keys.
    pub session_token: Option<Secret>,
}

/// The region, service and time for which a signature is valid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) region: &'a str,
    pub(super) service: &'a str,
    /// The time, as `20150830T123600Z`.
    pub(super) time: &'a str,
}

/// Request to sign. Header names are in lower case.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignableRequest<'a> {
    pub(super) method: &'a str,
    pub(super) url: &'a str,
    pub(super) headers: &'a [(&'a str, &'a str)],
    pub(super) body: &'a [u8],
}

/// Returns the headers to send in addition to the request's.
pub(super) fn sign(
    keys: &Keys,
    scope: Scope<'_>,
    sent: SignableRequest<'_>,
) -> Vec<(String, Secret)> {
    let (host, path, query) = parts(sent.url);
    let token = keys.session_token.as_ref().map(Secret::expose);
    let mut headers: Vec<(&str, String)> = sent
        .headers
        .iter()
        .map(|(name, value)| (*name, value.split_whitespace().collect::<Vec<_>>().join(" ")))
        .collect();
    headers.push(("host", host));
    headers.push(("x-amz-date", scope.time.to_owned()));
    headers.extend(token.map(|token| ("x-amz-security-token", token.to_owned())));
    headers.sort_unstable();
    let lines = headers.iter().fold(String::new(), |mut lines, (name, value)| {
        let _ = writeln!(lines, "{name}:{value}");
        lines
    });
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let hash = hex(digest::digest(&digest::SHA256, sent.body).as_ref());
    let canonical = format!("{}\n{path}\n{query}\n{lines}\n{names}\n{hash}", sent.method);

    let date = scope.time.get(..8).unwrap_or_default();
    let place = format!("{date}/{}/{}/aws4_request", scope.region, scope.service);
    let hash = hex(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref());
    let to_sign = format!("AWS4-HMAC-SHA256\n{}\n{place}\n{hash}", scope.time);
    let mut key = format!("AWS4{}", keys.secret.expose()).into_bytes();
    for part in [date, scope.region, scope.service, "aws4_request"] {
        key = mac(&key, part);
    }
    let signature = hex(&mac(&key, &to_sign));
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{place}, SignedHeaders={names}, Signature={signature}",
        keys.id
    );
    let mut signed = vec![
        ("x-amz-date".to_owned(), Secret::new(scope.time)),
        ("authorization".to_owned(), Secret::new(authorization)),
    ];
    signed.extend(token.map(|token| ("x-amz-security-token".to_owned(), Secret::new(token))));
    signed
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns a URL's host, path and query in the form that is signed: the path encoded once more than it is sent, the query in order.
fn parts(url: &str) -> (String, String, String) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let at = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(at).unwrap_or((rest, ""));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    // A default port is not sent.
    let port = if scheme.eq_ignore_ascii_case("http") { ":80" } else { ":443" };
    let host = host.strip_suffix(port).unwrap_or(host).to_ascii_lowercase();
    let path = if path.is_empty() { "/" } else { path };
    let mut pairs: Vec<String> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| if pair.contains('=') { pair.to_owned() } else { format!("{pair}=") })
        .collect();
    pairs.sort_unstable();
    (host, encode(path, b"/"), pairs.join("&"))
}

/// Percent-encodes a segment of a path: all characters except letters, digits, `-._~` and those in `kept`.
pub(crate) fn encode(text: &str, kept: &[u8]) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if is_plain || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first four are the examples that Amazon publishes with the signature's description (get-vanilla,
    /// get-vanilla-query-order-key-case, post-x-www-form-urlencoded, get-unreserved). All were computed again by `SigV4Auth` of
    /// PyPI botocore 1.44.5, as were the two of Bedrock.
    #[test]
    fn signatures_are_those_that_amazon_publishes_and_its_own_client_makes() {
        let body = r#"{"anthropic_version":"bedrock-2023-05-31","max_tokens":16}"#;
        let json: &[(&str, &str)] = &[("content-type", "application/json")];
        let form: &[(&str, &str)] = &[("content-type", " application/x-www-form-urlencoded ")];
        for (method, url, headers, body, scope, token, want) in [
            (
                "GET",
                "https://example.amazonaws.com/",
                &[][..],
                "",
                ("us-east-1", "service"),
                None,
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            (
                "GET",
                "https://Example.amazonaws.com:443?Param2=value2&Param1=value1",
                &[],
                "",
                ("us-east-1", "service"),
                None,
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                "POST",
                "https://example.amazonaws.com/",
                form,
                "Param1=value1",
                ("us-east-1", "service"),
                None,
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
            (
                "GET",
                "https://example.amazonaws.com/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                &[],
                "",
                ("us-east-1", "service"),
                None,
                "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
            ),
            (
                "POST",
                "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream",
                json,
                body,
                ("eu-central-1", "bedrock"),
                Some("TOKEN+/="),
                "51ef95b536f8011867d3f0cec3ab516faf79d84850facabef02c0d51dfbdfa9d",
            ),
            (
                "POST",
                "http://127.0.0.1:8123/model/arn%3Aaws%3Abedrock%3Aus-west-2%3A1234%3Ainference-profile%2Fus.anthropic.claude-x/invoke-with-response-stream",
                json,
                body,
                ("us-west-2", "bedrock"),
                None,
                "5b86adf1e271b76c45a2b8c4db609d8208ee204de4d00960aeaee3793778a8f1",
            ),
        ] {
            let keys = Keys {
                id: "AKIDEXAMPLE".to_owned(),
                secret: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
                session_token: token.map(Secret::new),
            };
            let scope = Scope { region: scope.0, service: scope.1, time: "20150830T123600Z" };
            let sent = SignableRequest { method, url, headers, body: body.as_bytes() };
            let signed = sign(&keys, scope, sent);
            let header = |name: &str| {
                signed.iter().find(|(known, _)| known == name).map(|(_, value)| value.expose())
            };
            let authorization = header("authorization").unwrap();
            assert!(
                authorization.ends_with(&format!(", Signature={want}")),
                "{url}: {authorization}"
            );
            assert_eq!(header("x-amz-security-token"), token);
            assert_eq!(header("x-amz-date"), Some("20150830T123600Z"));
        }
    }
}
