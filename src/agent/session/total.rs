//! What a session has used.

use pintle_protocol::content::Usage;

/// What a session has used so far, its sub-agents included.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::agent) struct Total {
    pub(in crate::agent) usage: Usage,
    pub(in crate::agent) cost_nano_usd: Option<u64>,
}

impl Total {
    pub(in crate::agent) fn add(&mut self, usage: Usage, cost_nano_usd: Option<u64>) {
        self.usage += usage;
        if let Some(cost) = cost_nano_usd {
            self.cost_nano_usd = Some(self.cost_nano_usd.unwrap_or(0).saturating_add(cost));
        }
    }
}
