//! The variables by which commands know that they run under Pi, and in which session. Pure.
//!
//! Source: Pi 0.73.1, which sets one, and 1.5.2; a client's `bash` sees there only those that name no session, here all of them.

use super::Dialect;
use super::models::Named;
use crate::agent::ExtraVariables;

use std::path::Path;

/// The environment variables of a session's commands.
pub(super) fn given(
    dialect: Dialect,
    session: &str,
    file: Option<&Path>,
    model: &str,
) -> ExtraVariables {
    let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut given = vec![own("PI_CODING_AGENT", "true")];
    if dialect == Dialect::Current {
        let named = Named::read(model);
        given.extend([own("AI_AGENT", "pi"), own("PI_SESSION_ID", session)]);
        given.extend(file.map(|file| own("PI_SESSION_FILE", &file.to_string_lossy())));
        given.extend([
            own("PI_PROVIDER", named.provider),
            own("PI_MODEL", named.id),
            own("PI_REASONING_LEVEL", named.level),
        ]);
    }
    given.into()
}
