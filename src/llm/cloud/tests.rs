use super::*;
use crate::aws::frames;
use crate::aws::frames::tests::{chunk, frame};
use crate::cassette::{Record, Replay};
use crate::delta::Accumulator;
use crate::fixtures::recorded;
use crate::sse::{self, SseEvent};
use crate::wire::{ByteStream, Wire, WireRequest, WireResponse};
use crate::{
    Assistant, AssistantBlock, Effort, Endpoint, Error, ErrorKind, Message, Request, ToolSpec,
    connect,
};
use base64::Engine as _;
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use pintle_base::ambient::{Ambient, Secret};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use std::sync::{Arc, Mutex};

const VARS: [(&str, &str); 5] = [
    ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
    ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
    ("AWS_DEFAULT_REGION", "us-west-2"),
    ("GOOGLE_CLOUD_ACCESS_TOKEN", "t"),
    ("GOOGLE_CLOUD_PROJECT", "p-1"),
];

fn ambient(more: &[(&str, &str)]) -> Ambient {
    let vars = VARS.iter().chain(more);
    Ambient::fixed(vars.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
}

fn request(model: &str) -> Request {
    Request {
        model: model.to_owned(),
        origin: format!("x/{model}"),
        system: "be brief".into(),
        messages: vec![Arc::new(Message::User(vec![Content::text("hi")]))].into(),
        tools: Arc::new([ToolSpec {
            name: "read".to_owned(),
            description: "reads".to_owned(),
            parameters: json!({ "type": "object" }),
            grammar: None,
            built_in: None,
        }]),
        effort: Some(Effort::High),
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
    }
}

/// Keeps each request and passes it on.
#[derive(Debug)]
struct Seen(Replay, Mutex<Vec<WireRequest>>);

#[async_trait::async_trait]
impl Wire for Seen {
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error> {
        self.1.lock().unwrap().push(request.clone());
        self.0.send(request).await
    }
}

/// The request that is sent.
fn sent(endpoint: Endpoint, model: &str) -> WireRequest {
    sent_request(endpoint, request(model))
}

fn sent_request(endpoint: Endpoint, request: Request) -> WireRequest {
    let replay = Replay::parse("{\"response\":{\"status\":500}}").unwrap();
    let seen = Arc::new(Seen(replay, Mutex::default()));
    let provider = connect(endpoint, Arc::clone(&seen) as Arc<dyn Wire>);
    assert!(provider.stream(request).now_or_never().unwrap().is_err());
    seen.1.lock().unwrap().pop().unwrap()
}

#[test]
fn a_models_name_leads_to_its_api() {
    let runtime = "https://bedrock-runtime.us-west-2.amazonaws.com";
    let chat = format!("{runtime}/openai/v1/chat/completions");
    let claude = "us.anthropic.claude-opus-4-6-v1:0";
    let invoke = "model/us.anthropic.claude-opus-4-6-v1%3A0/invoke-with-response-stream";
    let place = [("GOOGLE_CLOUD_LOCATION", "europe-west1")];
    let vertex = "https://europe-west1-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west1/publishers";
    let arn = "arn:aws:bedrock:us-west-2:1:inference-profile/us.anthropic.claude-x";
    let arn_path = "model/arn%3Aaws%3Abedrock%3Aus-west-2%3A1%3Ainference-profile%2Fus.anthropic.claude-x/invoke-with-response-stream";
    for (name, vars, base_url, model, want, version) in [
        ("bedrock", &[][..], None, "openai.gpt-oss-120b-1:0", chat, None),
        ("bedrock", &[], None, claude, format!("{runtime}/{invoke}"), Some("bedrock-2023-05-31")),
        ("bedrock", &[], None, arn, format!("{runtime}/{arn_path}"), Some("bedrock-2023-05-31")),
        (
            "bedrock",
            &[],
            Some("localhost:80/openai/v1/"),
            claude,
            format!("http://localhost:80/{invoke}"),
            Some("bedrock-2023-05-31"),
        ),
        (
            "bedrock",
            &[("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "https://vpc.test/")],
            None,
            "qwen.qwen3-1:0",
            "https://vpc.test/openai/v1/chat/completions".to_owned(),
            None,
        ),
        (
            "vertex",
            &place,
            None,
            "claude-sonnet-4-5@20250929",
            format!("{vertex}/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict"),
            Some("vertex-2023-10-16"),
        ),
        (
            "vertex",
            &place,
            None,
            "gemini-3-pro",
            format!("{vertex}/google/models/gemini-3-pro:streamGenerateContent?alt=sse"),
            None,
        ),
        (
            "vertex",
            &[("CLOUD_ML_REGION", "global"), ("GOOGLE_CLOUD_LOCATION", "")],
            None,
            "claude-x",
            "https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/publishers/anthropic/models/claude-x:streamRawPredict".to_owned(),
            Some("vertex-2023-10-16"),
        ),
        (
            "vertex",
            &[("GOOGLE_CLOUD_LOCATION", "eu")],
            None,
            "gemini-x",
            "https://aiplatform.eu.rep.googleapis.com/v1/projects/p-1/locations/eu/publishers/google/models/gemini-x:streamGenerateContent?alt=sse".to_owned(),
            None,
        ),
        (
            "vertex",
            &[],
            Some("http://h.test/publishers/google/models?x=1"),
            "gemini-x",
            "http://h.test/publishers/google/models/gemini-x:streamGenerateContent?alt=sse&x=1".to_owned(),
            None,
        ),
    ] {
        let endpoint = Endpoint::resolve(name, &ambient(vars), base_url).unwrap();
        let sent = sent(endpoint, model);
        assert_eq!(sent.url, want, "{model}");
        let body = &sent.body;
        assert_eq!(body.get("anthropic_version").and_then(Value::as_str), version, "{model}");
        assert_eq!(body.get("model").is_some(), want.ends_with("completions"), "{model}");
        let streams = name == "vertex" && version.is_some() || want.ends_with("completions");
        assert_eq!(body.get("stream").is_some(), streams, "{model}");
        assert!(sent.headers.iter().all(|(name, _)| name != "anthropic-version"), "{model}");
        let authorization = sent.headers.iter().find(|(name, _)| name == "authorization");
        let start = if name == "vertex" { "Bearer t" } else { "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/us-west-2/bedrock/" };
        assert!(authorization.unwrap().1.expose().starts_with(start), "{model}");
    }
}

#[test]
fn claude_is_asked_to_think_as_its_family_wants_wherever_it_is() {
    for model in ["eu.anthropic.claude-opus-4-6-v1:0", "anthropic.claude-opus-4-6-v1"] {
        let body = sent(Endpoint::resolve("bedrock", &ambient(&[]), None).unwrap(), model).body;
        assert_eq!(body["thinking"]["type"], "adaptive", "{model}");
        assert_eq!(body["max_tokens"], 128_000, "{model}");
    }
    let place = [("GOOGLE_CLOUD_LOCATION", "global")];
    let endpoint = Endpoint::resolve("vertex", &ambient(&place), None).unwrap();
    let body = sent(endpoint, "claude-opus-4@20250514").body;
    assert_eq!(
        (&body["thinking"]["type"], &body["max_tokens"]),
        (&json!("enabled"), &json!(32_000))
    );
}

#[test]
fn betas_of_the_users_go_where_amazon_reads_them() {
    let mut endpoint = Endpoint::resolve("bedrock", &ambient(&[]), None).unwrap();
    endpoint.headers = vec![("Anthropic-Beta".to_owned(), Secret::new("a-1, b-2"))];
    let body = sent(endpoint, "anthropic.claude-x").body;
    assert_eq!(body["anthropic_beta"], json!(["a-1", "b-2"]));
}

#[test]
fn an_effort_within_the_conversation_is_announced_as_each_server_requires() {
    let place = [("GOOGLE_CLOUD_LOCATION", "global"), ("ANTHROPIC_API_KEY", "k")];
    let beta = "mid-conversation-output-config-2026-07-01";
    let gateway = Some("http://h.test");
    for (name, url, model, own, header, body) in [
        ("anthropic", None, "claude-opus-5-5", None, json!(beta), json!(null)),
        (
            "anthropic",
            None,
            "claude-opus-5-5",
            Some("a-1"),
            json!(format!("a-1,{beta}")),
            json!(null),
        ),
        ("anthropic", None, "claude-opus-4-8", None, json!(null), json!(null)),
        ("anthropic", gateway, "claude-opus-5-5", None, json!(null), json!(null)),
        ("vertex", None, "claude-opus-5-5", None, json!(beta), json!(null)),
        ("bedrock", None, "us.anthropic.claude-opus-5-5-v1:0", None, json!(beta), json!([beta])),
    ] {
        let mut endpoint = Endpoint::resolve(name, &ambient(&place), url).unwrap();
        let own = own.map(|own| ("Anthropic-Beta".to_owned(), Secret::new(own)));
        endpoint.headers.extend(own);
        let mut request = request(model);
        let reply = Message::Assistant(Assistant {
            blocks: vec![AssistantBlock::Text { text: "a".to_owned(), opaque: None }],
            origin: request.origin.clone(),
            stop: StopReason::EndTurn,
            effort: Some(Effort::Low),
        });
        let user = Arc::clone(request.messages.first().unwrap());
        request.messages = vec![Arc::clone(&user), Arc::new(reply), user].into();
        let sent = sent_request(endpoint, request);
        let betas =
            sent.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("anthropic-beta"));
        let betas: Vec<_> = betas.map(|(_, value)| value.expose().to_owned()).collect();
        assert!(betas.len() <= 1, "{betas:?}");
        assert_eq!(json!(betas.first()), header, "{name} {url:?} {model}");
        assert_eq!(sent.body["anthropic_beta"], body, "{name} {url:?} {model}");
        let has_update = sent.body["messages"].to_string().contains("\"system\"");
        assert_eq!(has_update, !header.is_null(), "{name} {url:?} {model}");
    }
}

#[test]
fn a_bearer_key_goes_before_keys_that_sign() {
    let vars = [("AWS_BEARER_TOKEN_BEDROCK", "b")];
    let endpoint = Endpoint::resolve("bedrock", &ambient(&vars), None).unwrap();
    let sent = sent(endpoint, "anthropic.claude-x");
    let authorization: Vec<_> =
        sent.headers.iter().filter(|(name, _)| name == "authorization").collect();
    assert_eq!(authorization.len(), 1);
    assert_eq!(authorization[0].1.expose(), "Bearer b");
    assert!(sent.headers.iter().all(|(name, _)| name != "x-amz-date"));
}

#[test]
fn missing_settings_are_named_in_the_error() {
    let none = Ambient::fixed([]);
    let keys = VARS.into_iter().take(2);
    let keys = Ambient::fixed(keys.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for (name, ambient, hint) in [
        ("bedrock", &none, "set AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID and"),
        ("bedrock", &keys, "set AWS_REGION or AWS_DEFAULT_REGION, or give"),
        ("vertex", &none, "set GOOGLE_CLOUD_ACCESS_TOKEN"),
    ] {
        let error = Endpoint::resolve(name, ambient, None).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Auth);
        assert!(error.hint.unwrap().starts_with(hint), "{name}");
    }
}

#[test]
fn every_recorded_claude_says_the_same_in_frames() {
    let read = |events: futures_util::stream::BoxStream<'static, Result<SseEvent, Error>>| {
        let events: Vec<_> =
            events.map(|event| event.unwrap().data).collect().now_or_never().unwrap();
        events
    };
    let body = |bytes: Vec<u8>| -> ByteStream {
        let pieces: Vec<_> =
            bytes.chunks(777).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        stream::iter(pieces).boxed()
    };
    let mut checked = 0;
    for (name, bytes) in recorded("anthropic") {
        let Ok(events) = sse::events(body(bytes.to_vec()))
            .map(|event| event.map(|event| event.data))
            .collect::<Vec<_>>()
            .now_or_never()
            .unwrap()
            .into_iter()
            .collect::<Result<Vec<String>, _>>()
        else {
            continue;
        };
        let framed = events.iter().flat_map(|data| chunk(data)).collect();
        assert_eq!(read(frames::events(body(framed)).boxed()), events, "{name}");
        checked += 1;
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn a_framed_stream_is_read_recorded_and_replayed() {
    let events = [
        json!({ "type": "message_start", "message": { "content": [], "usage": { "input_tokens": 3 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "grüezi" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 2 } }),
        json!({ "type": "message_stop", "amazon-bedrock-invocationMetrics": { "inputTokenCount": 3 } }),
    ];
    let whole: Vec<u8> = events.iter().flat_map(|event| chunk(&event.to_string())).collect();
    let broken = frame(
        &[(":message-type", "exception"), (":exception-type", "modelStreamErrorException")],
        br#"{"message":"try again","originalMessage":"the model fell over"}"#,
    );
    let cut = [chunk(&events[0].to_string()), broken].concat();
    let exchange = |body: &[u8]| {
        let body = base64::engine::general_purpose::STANDARD.encode(body);
        json!({ "response": { "body": body, "base64": true } }).to_string()
    };
    let tape = format!("{}\n{}\n", exchange(&whole), exchange(&cut));
    let file = tempfile::NamedTempFile::new().unwrap();
    let record = Record::new(Arc::new(Replay::parse(&tape).unwrap()), file.path());
    let heard = |wire: Arc<dyn Wire>| {
        let endpoint = Endpoint::resolve("bedrock", &ambient(&[]), None).unwrap();
        let provider = connect(endpoint, wire);
        [0, 1].map(|_| {
            let stream = provider.stream(request("anthropic.claude-x")).now_or_never().unwrap();
            stream.unwrap().collect::<Vec<_>>().now_or_never().unwrap()
        })
    };
    let recorded = heard(Arc::new(record));
    let mut message = Accumulator::default();
    recorded[0].iter().flatten().for_each(|delta| message.push(delta));
    assert!(message.stop().is_some());
    let [AssistantBlock::Text { text, .. }] = &message.finish(String::new()).blocks[..] else {
        panic!("one text");
    };
    assert_eq!(text, "grüezi");
    let error = recorded[1].last().unwrap().as_ref().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Overloaded);
    assert_eq!(error.message, "bedrock broke off: try again: the model fell over");
    let replayed = heard(Arc::new(Replay::load(file.path()).unwrap()));
    assert_eq!(format!("{recorded:?}"), format!("{replayed:?}"));
    let error = Replay::parse(r#"{"response":{"body":"%","base64":true}}"#).unwrap_err();
    assert_eq!(error.message, "line 1 of the cassette: its body is not base64");
}
