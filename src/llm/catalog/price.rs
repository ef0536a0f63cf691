//! Cost of a request: pure, from a model's prices and the usage reported by its provider.

use crate::delta::Tier;
use pintle_protocol::content::Usage;
use serde::Deserialize;

/// Model price, in US dollars per million tokens unless stated otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Uncached input.
    pub input: f64,
    /// Output, including reasoning.
    pub output: f64,
    /// Input read from a cache; `None` costs like any input.
    pub cache_read: Option<f64>,
    /// Input written to a cache; `None` costs like any input.
    pub cache_write: Option<f64>,
    /// Prices of requests with long input.
    pub above: Option<LongPrice>,
    /// Price of a thousand web searches, from the provider's entry or a settings file; `None` if unknown.
    #[serde(skip)]
    pub searches: Option<f64>,
    /// Flex tier factor.
    pub flex: Option<f64>,
    /// Priority tier factor.
    pub priority: Option<f64>,
}

/// The prices of requests whose input exceeds some length, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// The number of input tokens, including cached ones, up to which the usual price applies.
    pub tokens: u64,
    /// As in [`Price`].
    pub input: f64,
    /// As in [`Price`].
    pub output: f64,
    /// As in [`Price`].
    pub cache_read: Option<f64>,
    /// As in [`Price`].
    pub cache_write: Option<f64>,
}

impl Price {
    /// Returns the price in a tier; the usual one if the tier has no separate price.
    #[must_use]
    pub fn in_tier(&self, tier: Tier) -> Self {
        let factor = match tier {
            Tier::Standard => None,
            Tier::Flex => self.flex,
            Tier::Priority => self.priority,
        };
        let Some(factor) = factor else { return *self };
        let times = |price: Option<f64>| price.map(|price| price * factor);
        Self {
            input: self.input * factor,
            output: self.output * factor,
            cache_read: times(self.cache_read),
            cache_write: times(self.cache_write),
            above: self.above.map(|long| LongPrice {
                tokens: long.tokens,
                input: long.input * factor,
                output: long.output * factor,
                cache_read: times(long.cache_read),
                cache_write: times(long.cache_write),
            }),
            searches: self.searches,
            flex: None,
            priority: None,
        }
    }

    /// Returns the price for a request with this much input.
    fn at(&self, input_tokens: u64) -> Self {
        match self.above.filter(|long| input_tokens > long.tokens) {
            None => *self,
            Some(LongPrice { input, output, cache_read, cache_write, .. }) => {
                Self { input, output, cache_read, cache_write, above: None, ..*self }
            }
        }
    }

    /// Returns the cost of one request's usage, in billionths of a dollar.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts are far below 2^53, prices are not negative, and `as` saturates"
    )]
    pub fn nano_usd(&self, usage: &Usage) -> u64 {
        let price = self.at(usage.read_tokens());
        let part = |tokens: u64, usd_per_mtok: f64| tokens as f64 * usd_per_mtok * 1000.0;
        let sum = part(usage.input_tokens, price.input)
            + part(usage.output_tokens, price.output)
            + part(usage.cache_read_tokens, price.cache_read.unwrap_or(price.input))
            + part(usage.cache_write_tokens, price.cache_write.unwrap_or(price.input))
            + usage.web_searches as f64 * price.searches.unwrap_or_default() * 1_000_000.0;
        sum.round() as u64
    }

    /// Returns the cost of the tokens if no cache had been read or written, in billionths of a US dollar; `cost` is their actual cost. The
    /// prices of long requests are ignored.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of tokens are far below 2^53, and `as` saturates"
    )]
    pub fn without_cache(&self, usage: &Usage, cost: u64) -> u64 {
        let more = |tokens: u64, price: Option<f64>| {
            tokens as f64 * (self.input - price.unwrap_or(self.input)) * 1000.0
        };
        let saved = more(usage.cache_read_tokens, self.cache_read)
            + more(usage.cache_write_tokens, self.cache_write);
        (cost as f64 + saved).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_saves_what_its_prices_say() {
        let price = Price {
            input: 3.0,
            output: 15.0,
            cache_read: Some(0.3),
            cache_write: Some(3.75),
            ..Price::default()
        };
        for (name, read, write, want) in [
            ("no cache", 0, 0, 18_000_000_000),
            ("read from it", 1_000_000, 0, 21_000_000_000),
            ("written to it", 0, 1_000_000, 21_000_000_000),
        ] {
            let usage = Usage {
                input_tokens: 1_000_000,
                output_tokens: 1_000_000,
                cache_read_tokens: read,
                cache_write_tokens: write,
                ..Usage::default()
            };
            assert_eq!(price.without_cache(&usage, price.nano_usd(&usage)), want, "{name}");
        }
    }
}
