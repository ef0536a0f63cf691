//! What decoding a reply costs, for each wire API, through the whole way from bytes to deltas:
//!
//! ```text
//! cargo bench -- decode
//! ```
//!
//! CPU time of this process, not time on the wall: other work on the machine does not count. Medians of some rounds, and the
//! budgets beside them: 10,000 deltas in 50 ms, one event of 16 MB in 100 ms.
#![expect(clippy::unwrap_used, reason = "a benchmark measures real time")]

use crate::report::{self, Aim, row};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use pintle_llm::wire::{Wire, WireRequest, WireResponse};
use pintle_llm::{Api, Delta, Endpoint, Error, Message, Request, connect};
use pintle_protocol::content::Content;
use serde_json::{Value, json};
use std::sync::Arc;

const ROUNDS: usize = 9;
const DELTAS: usize = 10_000;
/// Below the limit of one event, with its frame.
const BIG: usize = 16_000_000;

/// A server that answers each request with the same body, in pieces as a socket gives them.
#[derive(Debug)]
struct Canned(Bytes);

#[async_trait::async_trait]
impl Wire for Canned {
    async fn send(&self, _request: WireRequest) -> Result<WireResponse, Error> {
        let body = self.0.clone();
        let pieces: Vec<_> = (0..body.len())
            .step_by(16_384)
            .map(|at| Ok(body.slice(at..(at + 16_384).min(body.len()))))
            .collect();
        Ok(WireResponse { status: 200, headers: Vec::new(), body: stream::iter(pieces).boxed() })
    }
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// What comes before, a piece of text, and what comes behind.
type Spelling = (Vec<Value>, fn(&str) -> Value, Vec<Value>);

/// A reply of these texts.
fn body(api: Api, texts: &[String]) -> Bytes {
    let (start, piece, end): Spelling = match api {
        Api::Chat => (
            vec![],
            |text| json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m", "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": null }] }),
            vec![json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] })],
        ),
        Api::Messages => (
            vec![
                json!({ "type": "message_start", "message": {} }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
            ],
            |text| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
            vec![
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
                json!({ "type": "message_stop" }),
            ],
        ),
        Api::Responses => (
            vec![
                json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "message" } }),
            ],
            |text| json!({ "type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text, "logprobs": [], "sequence_number": 4 }),
            vec![json!({ "type": "response.completed", "response": {} })],
        ),
        Api::Gemini => (
            vec![],
            |text| json!({ "candidates": [{ "content": { "parts": [{ "text": text }], "role": "model" }, "index": 0 }], "usageMetadata": { "promptTokenCount": 34, "totalTokenCount": 102 }, "responseId": "r" }),
            vec![json!({ "candidates": [{ "finishReason": "STOP" }] })],
        ),
    };
    let mut out: String = start.iter().map(event).collect();
    for text in texts {
        out.push_str(&event(&piece(text)));
    }
    out.extend(end.iter().map(event));
    Bytes::from(out)
}

fn cpu_ms() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    f64::from(u32::try_from(micros).unwrap()) / 1000.0
}

fn request() -> Request {
    Request {
        model: "m".to_owned(),
        origin: "x/m".to_owned(),
        system: "".into(),
        messages: vec![Arc::new(Message::User(vec![Content::text("a")]))].into(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: pintle_llm::Trace::default(),
    }
}

/// The median of what one reply costs, after it was found to be whole.
fn measure(api: Api, texts: &[String]) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let wire = Arc::new(Canned(body(api, texts)));
    let provider = connect(Endpoint::new("bench", api, "http://h.test"), wire);
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = cpu_ms();
            let got = runtime.block_on(async {
                let mut deltas = provider.stream(request()).await.unwrap();
                let mut got = 0;
                while let Some(delta) = deltas.next().await {
                    if let Delta::Text { text, .. } = delta.unwrap() {
                        got += text.len();
                    }
                }
                got
            });
            let spent = cpu_ms() - start;
            assert_eq!(got, bytes, "the whole reply");
            spent
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds.into_iter().nth(ROUNDS / 2).unwrap()
}

pub(crate) fn run() {
    report::head("decode: a reply from bytes to deltas, CPU");
    let small: Vec<String> = (0..DELTAS).map(|n| format!("word {n} \"ä\"\n")).collect();
    let big = ["x".repeat(BIG)];
    for (name, api) in [
        ("chat", Api::Chat),
        ("messages", Api::Messages),
        ("responses", Api::Responses),
        ("gemini", Api::Gemini),
    ] {
        let what = format!("decoding {name}, {DELTAS} deltas, CPU, median");
        row(&what, "ms", measure(api, &small), Aim::Most(50.0), None);
        let what = format!("decoding {name}, one event of 16 MB, CPU, median");
        row(&what, "ms", measure(api, &big), Aim::Most(100.0), None);
    }
}
