//! The environment variables by which commands detect that they run under Pi, and in which session. Pure.
//!
//! Source: Pi 0.73.1, which sets one, and 1.5.2; there, a client's `bash` sees only those that name no session, here all of them.

use super::Dialect;
use super::models::ModelName;
use pintle_agent::ExtraVariables;
use std::path::Path;

/// Returns the environment variables of a session's commands.
pub(super) fn of_session(
    dialect: Dialect,
    session: &str,
    file: Option<&Path>,
    model: &str,
) -> ExtraVariables {
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut variables = vec![variable("PI_CODING_AGENT", "true")];
    if dialect == Dialect::Current {
        let model = ModelName::read(model);
        variables.extend([variable("AI_AGENT", "pi"), variable("PI_SESSION_ID", session)]);
        variables.extend(file.map(|file| variable("PI_SESSION_FILE", &file.to_string_lossy())));
        variables.extend([
            variable("PI_PROVIDER", model.provider),
            variable("PI_MODEL", model.id),
            variable("PI_REASONING_LEVEL", model.level),
        ]);
    }
    variables.into()
}
