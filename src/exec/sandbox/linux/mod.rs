//! Linux's sandbox: namespaces, Landlock, seccomp, and the supervisor that starts the commands.
#![expect(clippy::disallowed_methods, reason = "exec is where files are looked at")]

mod bpf;
mod child;
mod filters;
mod helper;
mod mounts;
mod namespaces;
mod plan;
mod proxy;
mod rules;
mod supervisor;
mod watch;
mod wire;

use super::{Confinement, Grade, Level, Names, Network, Order, RefusedHost, ResourceLimits, hosts};
pub use helper::become_supervisor;
pub use supervisor::probe;
pub(crate) use supervisor::{Guarded, Supervisor, not_confined};
