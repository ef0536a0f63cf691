//! Login on a browser page on this machine: an authorization code with PKCE (RFC 7636), returned to a listener on the loopback (RFC 8252).

use super::wire::{Answer, Tokens, call, form, query, secret, tokens};
use super::{Flow, Prompt, denied};
use crate::catalog::Returns;
use crate::error::{Error, ErrorKind};
use crate::http::{SmallBody, SmallRequest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pintle_base::ambient::Secret;
use pintle_base::oauth_redirect::Callback;
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;
use std::time::Duration;

/// Time that the user has for the page.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Code challenge method, which ensures that only the initiator of a login can complete it.
const CHALLENGE_METHOD: &str = "S256";

/// Logs in. Cancel-safe: dropping the future closes the listener.
pub(super) async fn log_in(
    flow: &Flow<'_>,
    show: &mut (dyn FnMut(Prompt) + Send),
) -> Result<Tokens, Error> {
    let Flow { login, secrets, .. } = *flow;
    let (authorize_url, token_url) = (login.authorize_url.as_deref(), login.token_url.as_deref());
    let (Some(authorize_url), Some(token_url)) = (authorize_url, token_url) else {
        return Err(flow.incomplete("authorize_url and token_url"));
    };
    let returns = login.returns.unwrap_or_default();
    let (verifier, state) = (random()?, random()?);
    secrets.add(verifier.expose());
    let challenge = digest::digest(&digest::SHA256, verifier.expose().as_bytes());
    let challenge = URL_SAFE_NO_PAD.encode(challenge.as_ref());
    let listening = Callback::listen(0).await;
    let callback = listening.map_err(|error| Error::new(ErrorKind::Network, error.to_string()))?;
    let challenge = [
        ("code_challenge", Some(challenge.as_str())),
        ("code_challenge_method", Some(CHALLENGE_METHOD)),
    ];
    let (redirect, client_id) = match returns {
        Returns::Tokens => (callback.url(), Some(flow.client_id()?)),
        Returns::Key => (callback.url_with_state(&state), None),
    };
    let own = match returns {
        Returns::Tokens => vec![
            ("response_type", Some("code")),
            ("client_id", client_id),
            ("redirect_uri", Some(redirect.as_str())),
            ("scope", login.scope.as_deref()),
            ("state", Some(state.expose())),
        ],
        Returns::Key => vec![("callback_url", Some(redirect.as_str()))],
    };
    let sign = if authorize_url.contains('?') { '&' } else { '?' };
    let url = format!("{authorize_url}{sign}{}", query(&[own, challenge.to_vec()].concat()));
    show(Prompt { url, code: None, expires_in: Some(PATIENCE) });
    let code = match tokio::time::timeout(PATIENCE, callback.outcome(&state)).await {
        Ok(Ok(returned)) => returned.code,
        Ok(Err(refusal)) if refusal == "access_denied" => return Err(denied(flow.name)),
        Ok(Err(refusal)) => return Err(flow.refused(&secrets.redact(&refusal))),
        Err(_) => {
            let message = "the login was not completed in the browser";
            return Err(Error::new(ErrorKind::Auth, message).hint("log in again"));
        }
    };
    secrets.add(code.expose());
    let body = match returns {
        Returns::Tokens => form(&[
            ("grant_type", Some("authorization_code")),
            ("code", Some(code.expose())),
            ("redirect_uri", Some(&redirect)),
            ("client_id", client_id),
            ("code_verifier", Some(verifier.expose())),
        ]),
        Returns::Key => SmallBody::Json(json!({
            "code": code.expose(),
            "code_verifier": verifier.expose(),
            "code_challenge_method": CHALLENGE_METHOD,
        })),
    };
    match call(flow.http, secrets, SmallRequest::post(token_url, body)).await? {
        Answer::Object(body) => match returns {
            Returns::Tokens => tokens(&body, secrets),
            Returns::Key => {
                let access = secret(&body, "key", secrets)?;
                Ok(Tokens { access, refresh: None, expires_in: None })
            }
        },
        Answer::Refused { message, .. } => Err(flow.refused(&message)),
    }
}

/// Returns an unguessable text: 32 random bytes (RFC 7636, section 4.1).
fn random() -> Result<Secret, Error> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| {
        Error::new(ErrorKind::Auth, "no random numbers are available from the system")
    })?;
    Ok(Secret::new(URL_SAFE_NO_PAD.encode(bytes)))
}
