//! Keys for Amazon's cloud: from the environment, or else from the files that Amazon's tools write.
//!
//! Single sign-on is not supported: its users can export keys to the environment with Amazon's tool, as the hint explains. Keys are never
//! printed.

use super::sign::{self, Keys, Scope, SignableRequest};
use pintle_base::ambient::{Ambient, Secret};
use pintle_base::private_files;
use std::fmt;
use std::path::PathBuf;

/// Service that Bedrock's requests are signed for.
const SERVICE: &str = "bedrock";

/// The signer of requests to one region.
#[derive(Clone)]
pub struct Signing {
    keys: Keys,
    region: String,
    /// The clock for signatures.
    ambient: Ambient,
}

impl fmt::Debug for Signing {
    /// Omits the environment, which also contains keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signing").field("region", &self.region).finish_non_exhaustive()
    }
}

impl Signing {
    /// Returns a signer with keys of the environment or of the profile; `None` when there are none.
    pub(crate) fn find(ambient: &Ambient, profile: &Profile, region: String) -> Option<Self> {
        let of_environment = || {
            Some(Keys {
                id: ambient.var("AWS_ACCESS_KEY_ID")?.trim().to_owned(),
                secret: Secret::new(ambient.var("AWS_SECRET_ACCESS_KEY")?.trim()),
                session_token: ambient.var("AWS_SESSION_TOKEN").map(str::trim).map(Secret::new),
            })
        };
        // Amazon's client (botocore 1.44.5) prefers explicit keys to a profile in `AWS_PROFILE`.
        let keys = of_environment().or_else(|| profile.keys.clone())?;
        Some(Self { keys, region, ambient: ambient.clone() })
    }

    /// Returns the headers to add to a request.
    pub(crate) fn headers(&self, url: &str, body: &[u8]) -> Vec<(String, Secret)> {
        let now = i64::try_from(self.ambient.now_ms()).unwrap_or(i64::MAX);
        let time = jiff::Timestamp::from_millisecond(now).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let time = time.strftime("%Y%m%dT%H%M%SZ").to_string();
        let scope = Scope { region: &self.region, service: SERVICE, time: &time };
        let headers = [("content-type", "application/json")];
        sign::sign(
            &self.keys,
            scope,
            SignableRequest { method: "POST", url, headers: &headers, body },
        )
    }
}

/// The maximum size of such a file.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Settings for the active profile in the files of Amazon's tools.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profile {
    keys: Option<Keys>,
    pub(crate) region: Option<String>,
}

impl Profile {
    /// Reads `~/.aws/credentials` and `~/.aws/config`, or the files in `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE`; a missing file
    /// counts as empty.
    pub(crate) fn read(ambient: &Ambient) -> Self {
        let text = |var: &str, name: &str| {
            let given = ambient.var(var).map(PathBuf::from);
            let path = given.or_else(|| Some(ambient.home()?.join(".aws").join(name)))?;
            private_files::read_to_string(&path, MAX_FILE_BYTES).ok()
        };
        let credentials = text("AWS_SHARED_CREDENTIALS_FILE", "credentials").unwrap_or_default();
        let config = text("AWS_CONFIG_FILE", "config").unwrap_or_default();
        let profile =
            Self::parse(&credentials, &config, ambient.var("AWS_PROFILE").unwrap_or("default"));
        if let Some(keys) = &profile.keys {
            let all = [Some(&keys.secret), keys.session_token.as_ref()];
            all.into_iter().flatten().for_each(|key| ambient.secrets().add(key.expose()));
        }
        profile
    }

    fn parse(credentials: &str, config: &str, name: &str) -> Self {
        let values = |key: &str| {
            value(credentials, name, key)
                .or_else(|| value(config, &format!("profile {name}"), key))
                .or_else(|| value(config, name, key).filter(|_| name == "default"))
        };
        let keys = || {
            Some(Keys {
                id: values("aws_access_key_id")?.to_owned(),
                secret: Secret::new(values("aws_secret_access_key")?),
                session_token: values("aws_session_token").map(Secret::new),
            })
        };
        Self { keys: keys(), region: values("region").map(str::to_owned) }
    }
}

/// Returns a key's value in a section of an INI file.
fn value<'a>(text: &'a str, section: &str, key: &str) -> Option<&'a str> {
    let mut is_inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            is_inside = name.split_whitespace().eq(section.split_whitespace());
        } else if let Some((name, value)) = line.split_once('=').filter(|_| is_inside)
            && name.trim() == key
        {
            return Some(value.trim()).filter(|value| !value.is_empty());
        }
    }
    None
}

/// Returns the region in a Bedrock address.
pub(crate) fn region_of_host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', ':', '?']).next()?;
    let mut labels = host.split('.').skip_while(|label| !label.starts_with("bedrock-runtime"));
    labels.next()?;
    labels.next().filter(|region| region.contains('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ambient(vars: &[(&str, &str)]) -> Ambient {
        Ambient::fixed(vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn keys_are_found_where_amazons_tools_look_for_them() {
        let credentials = "# mine\n[default]\naws_access_key_id = KEY-D\naws_secret_access_key=SD\n\n[ work ]\naws_access_key_id=KEY-W\naws_secret_access_key = S=W\naws_session_token = TW\n";
        let config = "[default]\nregion = us-east-1\n[profile work]\nregion = eu-west-1\noutput = json\n[profile sso]\nsso_session = x\n";
        let env = [("AWS_ACCESS_KEY_ID", "KEY-E"), ("AWS_SECRET_ACCESS_KEY", "SE\n")];
        let both = [env[0], env[1], ("AWS_PROFILE", "work")];
        for (name, vars, profile, want, region) in [
            (
                "the environment goes before the default profile",
                &env[..],
                "default",
                Some("KEY-E SE -"),
                Some("us-east-1"),
            ),
            (
                "the environment goes before a profile asked for",
                &both,
                "work",
                Some("KEY-E SE -"),
                Some("eu-west-1"),
            ),
            ("a profile asked for", &both[2..], "work", Some("KEY-W S=W TW"), Some("eu-west-1")),
            ("the default profile", &[], "default", Some("KEY-D SD -"), Some("us-east-1")),
            ("a profile without keys", &[], "sso", None, None),
            ("no such profile", &[], "nobody", None, None),
            ("half a key is none", &env[..1], "nobody", None, None),
        ] {
            let profile = Profile::parse(credentials, config, profile);
            assert_eq!(profile.region.as_deref(), region, "{name}");
            let found = Signing::find(&ambient(vars), &profile, "r".to_owned());
            let found = found.map(|signing| {
                let Keys { id, secret, session_token } = signing.keys;
                let token = session_token.as_ref().map_or("-", Secret::expose);
                format!("{id} {} {token}", secret.expose())
            });
            assert_eq!(found.as_deref(), want, "{name}");
        }
    }

    #[test]
    fn an_address_names_its_region() {
        for (url, want) in [
            ("https://bedrock-runtime.eu-central-1.amazonaws.com", Some("eu-central-1")),
            ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/x", Some("us-gov-west-1")),
            ("https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com", Some("us-east-1")),
            ("http://127.0.0.1:8080", None),
            ("https://gateway.example", None),
        ] {
            assert_eq!(region_of_host(url), want, "{url}");
        }
    }

    #[test]
    fn nothing_of_the_keys_prints() {
        let vars = [("AWS_ACCESS_KEY_ID", "KEY-E"), ("AWS_SECRET_ACCESS_KEY", "very-secret")];
        let signing = Signing::find(&ambient(&vars), &Profile::default(), "r".to_owned()).unwrap();
        assert!(!format!("{signing:?}").contains("very-secret"));
        let headers = signing.headers("https://h.test/model/m/invoke", b"{}");
        assert!(
            headers
                .iter()
                .any(|(name, value)| name == "x-amz-date" && value.expose() == "20231114T221320Z")
        );
    }
}
