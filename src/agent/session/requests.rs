//! Dispatches protocol requests to the session's parts.

use super::Session;
use crate::command::SessionCall;
use pintle_protocol::mcp::McpListResult;
use pintle_protocol::methods::{ConfigSetParams, JobListResult};

impl Session {
    /// Answers a request. The result is sent before any event that the request causes.
    pub(super) async fn request(&mut self, call: SessionCall) {
        match call {
            SessionCall::ApprovalAnswerRequest(params, reply) => {
                self.answer_approval(&params.approval_id, params.answer, reply);
            }
            SessionCall::ConfigList(_, reply) => {
                self.set_options(ConfigSetParams::default(), reply);
            }
            SessionCall::ConfigSet(params, reply) => self.set_options(params, reply),
            SessionCall::ContextRead(params, reply) => {
                let _ = reply.send(self.read_context(params.summary).await);
            }
            SessionCall::IsolationApply(params, reply) => self.apply_isolation(params, reply).await,
            SessionCall::ItemCancel(params, reply) => self.cancel_call(&params.item_id, reply),
            SessionCall::JobList(_, reply) => {
                let _ = reply.send(Ok(JobListResult { jobs: self.jobs.items() }));
            }
            SessionCall::McpList(_, reply) => {
                let _ = reply.send(Ok(McpListResult { servers: self.server_states() }));
            }
            SessionCall::McpUpdate(params, reply) => {
                let _ = reply.send(self.update_server(&params));
            }
            SessionCall::QuestionAnswerRequest(params, reply) => {
                self.answer_question(&params.question_id, &params.answer, reply);
            }
            SessionCall::QueueList(_, reply) => self.list_queue(reply),
            SessionCall::QueueRemove(params, reply) => self.remove_queued(&params, reply),
            SessionCall::QueueUpdateRequest(params, reply) => self.update_queued(params, reply),
            SessionCall::ReviewBaseline(params, reply) => self.review_baseline(params, reply).await,
            SessionCall::ReviewDecide(params, reply) => self.review_decide(params, reply).await,
            SessionCall::ReviewList(params, reply) => self.review_list(params, reply).await,
            SessionCall::ReviewPatch(params, reply) => self.review_patch(params, reply).await,
            SessionCall::SessionCompact(params, reply) => self.compact(params, reply),
            SessionCall::SessionLabel(params, reply) => self.label(params, reply).await,
            SessionCall::SessionMerge(params, reply) => self.merge(params.fork_id, reply).await,
            SessionCall::SessionNote(params, reply) => self.note_of_client(params, reply),
            SessionCall::SessionRewind(params, reply) => self.rewind(params, reply).await,
            SessionCall::SessionUpdate(params, reply) => self.update_title(params, reply),
            SessionCall::TurnInterrupt(params, reply) => self.interrupt(&params, reply),
            SessionCall::TurnStart(params, reply) => self.start(params, reply),
            SessionCall::TurnSteer(params, reply) => self.steer(params, reply),
        }
    }
}
