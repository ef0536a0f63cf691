//! The one integration test binary.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    clippy::format_collect,
    clippy::type_complexity,
    reason = "tests stop at the first surprise, and make the files and processes that they need"
)]

mod acp;
mod acp_clients;
mod acp_files;
mod acp_sdk;
mod acp_sessions;
mod acp_terminals;
mod acp_told;
mod ahp;
mod batch;
mod cancel;
mod certificates;
mod changed_files;
mod chat;
mod cli;
mod client_calls;
mod clouds;
mod command_sessions;
mod compaction;
mod complaints;
mod completions;
mod conformance;
mod context;
mod damage;
mod documents;
mod edits;
mod examples;
mod export;
mod faults;
mod filters;
mod forks;
mod fuzz;
mod history;
mod hooks;
mod hostile_files;
mod interleavings;
mod isolation;
mod items;
mod jobs;
mod journals;
#[cfg(target_os = "linux")]
mod kills;
mod layers;
mod lifecycle;
mod lint;
mod llm_http;
mod login;
mod login_clients;
mod login_tokens;
mod lsp;
mod lsp_review;
mod matrix;
mod mcp;
mod mcp_login;
mod mcp_server;
mod models;
mod moved;
mod notes;
mod odd_calls;
mod open_requests;
mod pdf;
mod peers;
mod pi;
mod pi_rpc;
mod pi_rpc_commands;
mod pi_rpc_files;
mod pi_rpc_input;
mod pi_rpc_sessions;
mod plans;
mod prompts;
mod proposals;
mod protocol_examples;
mod protocol_guide;
mod providers;
mod questions;
mod queue;
mod readme;
mod recordings;
mod refusals;
mod requests;
mod retention;
mod retry;
mod review;
mod review_queue;
mod rewind;
mod run_budget;
mod run_ends;
mod run_no_apply;
mod run_policy;
mod run_reports;
mod run_streams;
mod run_untrusted;
#[cfg(target_os = "linux")]
mod sandbox;
mod scenarios;
mod secrets;
mod session_forks;
mod session_history;
mod sessions;
mod settings;
mod shared;
mod shared_links;
mod shared_pi;
mod stored;
mod subagents;
mod support;
mod tasks;
mod terminals;
mod titles;
mod tools;
mod trust;
mod web_search;
mod windows;
mod wire;
