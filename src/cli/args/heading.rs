//! The headings under which `--help` groups options.

pub(crate) const MODEL: &str = "Model options";
pub(crate) const PERMISSIONS: &str = "Permission options";
pub(crate) const OUTPUT: &str = "Output options";
pub(crate) const LIMITS: &str = "Limits";
pub(crate) const TASK_LIMITS: &str = "Limits for tasks that do not set their own";
pub(crate) const SOCKETS: &str = "Socket options";
pub(crate) const SESSIONS: &str = "Session options";
pub(crate) const TOOLS: &str = "Tool options";
pub(crate) const INSTRUCTIONS: &str = "Instruction options";
