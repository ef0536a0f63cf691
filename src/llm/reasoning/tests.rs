use super::*;
use crate::cassette::Replay;
use crate::catalog::{Api, Dialect};
use crate::message::Opaque;
use crate::remote::encode;
use crate::wire::{Wire, WireRequest, WireResponse};
use crate::{Endpoint, Error, ErrorKind, Omission, connect};
use futures_util::{FutureExt, StreamExt};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde_json::{Value, json};
use std::sync::Mutex;

fn sealed(value: &Value) -> Opaque {
    Opaque(serde_json::value::to_raw_value(value).unwrap())
}

/// A conversation in which one model reasoned, with and without words, and answered.
fn request(origin: &str) -> Request {
    let user = |text: &str| Arc::new(Message::User(vec![Content::text(text)]));
    let thought = |text: &str, opaque| AssistantBlock::Reasoning { text: text.to_owned(), opaque };
    let said = |text: &str| AssistantBlock::Text { text: text.to_owned(), opaque: None };
    let item =
        json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "SEALED" });
    let blocks = vec![
        thought("first I look", Some(sealed(&item))),
        thought("", Some(sealed(&json!({ "type": "redacted_thinking", "data": "SEALED" })))),
        thought(" \n", None),
        said("it is a lamp"),
    ];
    let assistant =
        Assistant { effort: None, blocks, origin: "a/m".to_owned(), stop: StopReason::EndTurn };
    Request {
        model: "m".to_owned(),
        origin: origin.to_owned(),
        system: "".into(),
        messages: crate::Messages::from(vec![
            user("what is it"),
            Arc::new(Message::Assistant(assistant)),
            user("sure?"),
        ]),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
    }
}

#[test]
fn another_model_reads_what_was_thought_and_none_of_what_was_sealed() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    for (api, place, want) in [
        (Api::Messages, "/messages/1/content", json!([text("first I look"), text("it is a lamp")])),
        (Api::Chat, "/messages/1/content", json!("first I look\n\nit is a lamp")),
        (
            Api::Responses,
            "/input/1/content",
            json!([{ "type": "output_text", "text": "first I look" }]),
        ),
        (
            Api::Gemini,
            "/contents/1/parts",
            json!([{ "text": "first I look" }, { "text": "it is a lamp" }]),
        ),
    ] {
        let body = encode(api, &request("b/m"), Dialect::PLAIN);
        assert_eq!(body.pointer(place), Some(&want), "{api:?}: {body:#}");
        assert!(!body.to_string().contains("SEALED"), "{api:?}");
        let own = encode(api, &request("a/m"), Dialect::PLAIN).to_string();
        assert!(!own.contains("first I look"), "{api:?}: to itself it goes back as it came");
    }
    let own = request("a/m");
    assert!(matches!(as_text_for_others(&own), Cow::Borrowed(_)), "nothing is copied needlessly");
}

/// Keeps the request bodies.
#[derive(Debug)]
struct Seen(Replay, Mutex<Vec<String>>);

#[async_trait::async_trait]
impl Wire for Seen {
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error> {
        self.1.lock().unwrap().push(request.body.to_string());
        self.0.send(request).await
    }
}

#[test]
fn refused_reasoning_is_left_out_and_the_request_sent_once_more() {
    let code = json!({ "error": { "code": "invalid_encrypted_content", "message": "could not be verified", "type": "invalid_request_error" } });
    let words = json!({ "error": { "message": "reasoning `encrypted_content` was not issued to this caller" } });
    let other = json!({ "error": { "code": "invalid_value", "message": "no" } });
    let refusal = |body: &Value| json!({ "response": { "status": 400, "body": body.to_string() } });
    let good = json!({ "response": { "body": "data: {\"type\":\"response.completed\",\"response\":{}}\n\n" } });
    // The responses, the number of times the prompt is sent, and which requests carry encrypted reasoning.
    for (name, answers, prompts, sealed, want) in [
        ("by its code", vec![refusal(&code), good.clone()], 1, vec![true, false], None),
        ("by its words", vec![refusal(&words), good.clone()], 1, vec![true, false], None),
        (
            "the next request leaves it out at once",
            vec![refusal(&code), good.clone(), good],
            2,
            vec![true, false, false],
            None,
        ),
        (
            "refused again",
            vec![refusal(&code), refusal(&code)],
            1,
            vec![true, false],
            Some(ErrorKind::InvalidRequest),
        ),
        (
            "refused for something else",
            vec![refusal(&other)],
            1,
            vec![true],
            Some(ErrorKind::InvalidRequest),
        ),
    ] {
        let tape: String = answers.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        let seen = Arc::new(Seen(Replay::parse(&tape).unwrap(), Mutex::default()));
        let endpoint = Endpoint::new("own", Api::Responses, "http://h.test");
        let provider = connect(endpoint, Arc::clone(&seen) as Arc<dyn Wire>);
        let mut failed = None;
        for _ in 0..prompts {
            match provider.stream(request("a/m")).now_or_never().unwrap() {
                Ok(stream) => {
                    let deltas: Vec<_> = stream.collect().now_or_never().unwrap();
                    assert!(deltas.iter().all(Result::is_ok), "{name}");
                }
                Err(error) => failed = Some(error.kind),
            }
        }
        assert_eq!(failed, want, "{name}");
        // Clients are told once, if it helped.
        let told = provider.take_omissions();
        let is_told = want.is_none().then_some(Omission::Reasoning);
        assert_eq!(told, Vec::from_iter(is_told), "{name}");
        let sent = seen.1.lock().unwrap();
        let carried: Vec<bool> = sent.iter().map(|body| body.contains("SEALED")).collect();
        assert_eq!(carried, sealed, "{name}");
        assert!(sent.iter().all(|body| body.contains("it is a lamp")), "{name}");
    }
}
