//! Tokens for a server from an organization's identity provider (enterprise-managed authorization), without a login page.
//!
//! The SDK exchanges the user's identity token for an assertion about this server and client (ID-JAG), and the assertion for an access
//! token of the server.

use super::{
    Agreement, ClientSecrets, IdentityProvider, IdentityToken, McpClientError, Nobody, OAuthClient,
    ServerLogins, Store, Unwritten, agreement_of,
};
use oauth2::{ClientSecret, RefreshToken};
use rmcp::transport::auth::enterprise::{
    EmaAccessToken, EmaAuthorizationServer, EmaClientAuthentication, EmaError, EmaExchangeRequest,
    EmaExchangeStage,
};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, CredentialStore, OAuthHttpClient,
    StoredCredentials,
};
use serde_json::json;
use std::sync::Arc;

/// Exchanges an identity token for a server's token.
pub(super) struct Exchange<'a> {
    /// The server's address.
    pub(super) url: &'a str,
    /// The client id, as registered with the server.
    pub(super) id: &'a str,
    pub(super) client: &'a OAuthClient,
    pub(super) identity: &'a IdentityProvider,
    pub(super) secrets: &'a ClientSecrets,
}

impl Exchange<'_> {
    /// Exchanges the token. Sends nothing to the server before the identity provider has agreed.
    async fn run(
        &self,
        metadata: &AuthorizationMetadata,
        http: &dyn OAuthHttpClient,
    ) -> Result<EmaAccessToken, McpClientError> {
        let Self { url, id, client, identity, secrets } = *self;
        let issuer = metadata.issuer.as_deref().ok_or_else(|| {
            let message =
                "its login metadata lacks an issuer, which the grant `enterprise` requires";
            McpClientError::Failed(message.to_owned())
        })?;
        let provider =
            EmaAuthorizationServer::new(&identity.issuer, &identity.token_url, &identity.client_id)
                .with_client_authentication(authentication(
                    secrets.identity_client.as_deref(),
                    false,
                ));
        let server = EmaAuthorizationServer::new(issuer, &metadata.token_endpoint, id)
            .with_client_authentication(authentication(
                secrets.client.as_deref(),
                takes_only_post(metadata),
            ));
        let token = secrets.identity_token.as_deref().unwrap_or_default();
        let refresh = RefreshToken::new(token.to_owned());
        let request = match identity.token_type {
            IdentityToken::IdToken => {
                EmaExchangeRequest::new_with_id_token(provider, server, url, token)
            }
            IdentityToken::RefreshToken => EmaExchangeRequest::new(provider, server, url, &refresh),
        };
        let exchanged = request.with_scopes(client.scopes.clone()).exchange(http, http).await;
        exchanged.map_err(|error| McpClientError::Failed(explained(&error)))
    }
}

impl ServerLogins {
    /// Gets a token from the organization's identity provider, and returns a client that sends it.
    pub(super) async fn with_identity(
        &self,
        exchange: &Exchange<'_>,
    ) -> Result<AuthorizationManager, McpClientError> {
        let Exchange { url, id, client, identity, .. } = *exchange;
        let agreement: Arc<dyn Agreement> = agreement_of(client, Arc::new(Nobody));
        // The user's settings specify the identity provider.
        let known = [identity.issuer.clone(), identity.token_url.clone()];
        let mut manager =
            self.manager(url, Unwritten::Kept, Arc::clone(&agreement), &known).await?;
        let found = manager.resolve_metadata_from_challenge(None).await;
        let metadata = found.map_err(|error| self.failed(&error))?.metadata;
        let http = self.guarded(url, agreement, &known)?;
        let token = exchange.run(&metadata, &http).await?;
        let credentials = credentials(id, &metadata, &token);
        let store = Store { logins: self.clone(), url: url.to_owned(), unwritten: Unwritten::Kept };
        let stored = async {
            store.save(credentials?).await?;
            manager.initialize_from_store().await
        };
        stored.await.map_err(|error| self.failed(&error))?;
        Ok(manager)
    }
}

/// Returns how a client proves its identity to a token endpoint.
fn authentication(secret: Option<&str>, is_in_body: bool) -> EmaClientAuthentication {
    match secret.map(str::to_owned).map(ClientSecret::new) {
        None => EmaClientAuthentication::None,
        Some(secret) if is_in_body => EmaClientAuthentication::ClientSecretPost(secret),
        Some(secret) => EmaClientAuthentication::ClientSecretBasic(secret),
    }
}

/// Returns true if the server takes client secrets only in request bodies.
fn takes_only_post(metadata: &AuthorizationMetadata) -> bool {
    let methods = metadata.additional_fields.get("token_endpoint_auth_methods_supported");
    let methods = methods.and_then(|methods| methods.as_array());
    let has = |name: &str| methods.is_some_and(|methods| methods.iter().any(|one| one == name));
    has("client_secret_post") && !has("client_secret_basic")
}

/// Returns the token as a stored login.
fn credentials(
    id: &str,
    metadata: &AuthorizationMetadata,
    token: &EmaAccessToken,
) -> Result<StoredCredentials, AuthError> {
    let scopes: Vec<String> = token.scopes.iter().cloned().collect();
    let response = json!({
        "access_token": token.access_token.secret(),
        "token_type": "bearer",
        "scope": scopes.join(" "),
    });
    let response = serde_json::from_value(response);
    let response = response.map_err(|error| AuthError::InternalError(error.to_string()))?;
    // Without a time, the token is used until the server refuses it: there is nothing to renew it with.
    let credentials = StoredCredentials::new(id.to_owned(), Some(response), scopes, None);
    Ok(credentials.with_issuer(metadata.issuer.clone()))
}

/// Describes a failed exchange for the user, with the next step.
fn explained(error: &EmaError) -> String {
    let who = |stage: &EmaExchangeStage| match stage {
        EmaExchangeStage::IdentityProvider => "the identity provider",
        _ => "the server's authorization server",
    };
    match error {
        EmaError::InvalidRequest(reason) => format!("`oauth` in its settings is invalid: {reason}"),
        EmaError::InvalidResponse { stage, message } => {
            format!("{} returned an invalid response: {message}", who(stage))
        }
        EmaError::RequestFailed(stage) => format!("{} could not be reached", who(stage)),
        EmaError::InvalidGrant(stage @ EmaExchangeStage::IdentityProvider) => format!(
            "{} rejected the token of `oauth.identity`, which may have expired: sign in there again",
            who(stage)
        ),
        EmaError::InvalidGrant(stage) => {
            format!("{} rejected the identity provider's assertion", who(stage))
        }
        EmaError::InsufficientUserAuthentication(stage) => {
            format!("{} requires a new sign-in, such as with a second factor", who(stage))
        }
        EmaError::OAuthRejected { stage, status, code } => {
            format!("{} refused with status {status}: {code}", who(stage))
        }
        other => other.to_string(),
    }
}
