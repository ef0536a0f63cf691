//! Provider logins: with a device code, in a browser, or with a key that the user types.

use crate::models::KeyState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AuthMethod {
    /// A code that the user enters on a page, with any device.
    Device,
    /// A browser page on the engine's machine.
    Browser,
    /// A key that the user types.
    Key,
}

impl AuthMethod {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Browser => "browser",
            Self::Key => "key",
        }
    }
}

/// Result of `auth/status`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthStatusResult {
    /// Providers that support login.
    pub providers: Vec<ProviderAuth>,
    /// Reason why the stored logins cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Provider that supports login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderAuth {
    /// Provider name.
    pub provider: String,
    /// Ways to log in, the preferred one first.
    pub methods: Vec<AuthMethod>,
    /// Method of the stored login; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<AuthMethod>,
    /// Source of the key in use: settings and variables take precedence over a stored login.
    pub key: KeyState,
    /// Environment variable in use, or to set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_var: Option<String>,
}

/// Params of `auth/login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthLoginParams {
    /// Provider.
    pub provider: String,
    /// Way to log in; default the first one of `auth/status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<AuthMethod>,
    /// Key that the user typed, for the method `key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Result of `auth/login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthLoginResult {
    /// Provider.
    pub provider: String,
    /// Method of the login.
    pub method: AuthMethod,
}

/// Params of `auth/logout`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthLogoutParams {
    /// Provider.
    pub provider: String,
}

/// Result of `auth/logout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthLogoutResult {
    /// True if there was a stored login.
    pub removed: bool,
}

/// Params of `auth/openUrl`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthOpenUrlParams {
    /// Provider, for `auth/login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Server, for `mcp/login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<String>,
    /// Page to open.
    pub url: String,
    /// Code to enter there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_code: Option<String>,
    /// Time that is left, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_ms: Option<u64>,
}
