use super::*;
use crate::cassette::Replay;
use crate::{Accumulator, Assistant, AssistantBlock, Message, Opaque, Tier};
use futures_util::FutureExt;
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde_json::json;

fn request(model: &str) -> Request {
    Request {
        model: model.to_owned(),
        origin: format!("x/{model}"),
        system: "be brief".into(),
        messages: vec![Arc::new(Message::User(vec![Content::text("hi")]))].into(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: Some(9),
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
    }
}

#[test]
fn fields_of_the_users_are_merged_into_the_body() {
    for (name, extra, place, want) in [
        ("a new field", json!({ "seed": 7 }), "/seed", Some(json!(7))),
        (
            "routing options",
            json!({ "provider": { "order": ["a"] } }),
            "/provider/order/0",
            Some(json!("a")),
        ),
        ("in the place of another", json!({ "max_tokens": 1 }), "/max_tokens", Some(json!(1))),
        ("taken away", json!({ "max_tokens": null }), "/max_tokens", None),
        (
            "inside an object",
            json!({ "stream_options": { "x": 1 } }),
            "/stream_options/include_usage",
            Some(json!(true)),
        ),
        ("nothing", json!({}), "/model", Some(json!("m"))),
    ] {
        let mut endpoint = Endpoint::new("own", Api::Chat, "http://h.test");
        endpoint.extra_body = extra.as_object().unwrap().clone();
        let body = body(&endpoint, &request("m"));
        assert_eq!(body.pointer(place), want.as_ref(), "{name}: {body}");
    }
}

#[test]
fn input_beyond_the_window_is_an_overflow_where_the_server_does_not_say_so() {
    let window = catalog::model("zai", "glm-4.6").unwrap().window.unwrap();
    for (name, provider, model, input, cached, want) in [
        ("it fits", "zai", "glm-4.6", window, 0, None),
        ("it does not fit", "zai", "glm-4.6", window + 1, 0, Some(ErrorKind::Overflow)),
        ("cached input counts", "zai", "glm-4.6", window + 1, 1000, Some(ErrorKind::Overflow)),
        ("a model that is not known", "zai", "glm-nobody", window + 1, 0, None),
        ("a server that would report it", "openai", "gpt-5.4", 9_000_000, 0, None),
    ] {
        let usage = json!({ "prompt_tokens": input, "completion_tokens": 1, "prompt_tokens_details": { "cached_tokens": cached } });
        let chunks = [
            json!({ "choices": [{ "delta": { "content": "so" }, "finish_reason": "stop" }] }),
            json!({ "choices": [], "usage": usage }),
        ];
        let text = chunks.map(|chunk| format!("data: {chunk}\n\n")).concat() + "data: [DONE]\n\n";
        let tape = json!({ "response": { "body": text } }).to_string();
        let ambient = pintle_base::ambient::Ambient::fixed([]);
        let endpoint = Endpoint::resolve(provider, &ambient, Some("http://h.test")).unwrap();
        let provider = connect(endpoint, Arc::new(Replay::parse(&tape).unwrap()));
        let stream = provider.stream(request(model)).now_or_never().unwrap().unwrap();
        let deltas: Vec<_> = stream.collect().now_or_never().unwrap();
        let last = deltas.last().unwrap();
        assert_eq!(last.as_ref().err().map(|error| error.kind), want, "{name}");
        assert_eq!(matches!(last, Ok(Delta::Stop(_))), want.is_none(), "{name}");
    }
}

#[test]
fn the_tier_that_served_is_told() {
    let chat = |tier: &str| {
        format!(
            "data: {{\"service_tier\":\"{tier}\",\"choices\":[{{\"delta\":{{\"content\":\"a\"}},\"finish_reason\":\"stop\"}}]}}\n\ndata: {{\"choices\":[],\"usage\":{{}}}}\n\ndata: [DONE]\n\n"
        )
    };
    let responses = |tier: &str| {
        format!(
            "data: {{\"type\":\"response.completed\",\"response\":{{\"service_tier\":\"{tier}\"}}}}\n\n"
        )
    };
    for (name, want) in [
        ("default", Tier::Standard),
        ("auto", Tier::Standard),
        ("flex", Tier::Flex),
        ("priority", Tier::Priority),
    ] {
        for (api, body) in [(Api::Chat, chat(name)), (Api::Responses, responses(name))] {
            let mut message = Accumulator::default();
            for delta in decode_pieces(api, vec![body.into()]) {
                message.push(&delta.unwrap());
            }
            assert_eq!(message.tier(), want, "{api:?} {name}");
            assert!(message.stop().is_some());
        }
    }
}

/// A server that answers each request with the next status and body, and keeps the request bodies.
#[derive(Debug)]
struct Answers {
    left: std::sync::Mutex<VecDeque<(u16, String)>>,
    asked: std::sync::Mutex<Vec<Value>>,
}

#[async_trait::async_trait]
impl Wire for Answers {
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error> {
        self.asked.lock().unwrap().push(request.body);
        let (status, body) = self.left.lock().unwrap().pop_front().unwrap();
        let body = stream::iter([Ok(bytes::Bytes::from(body))]).boxed();
        Ok(WireResponse { status, headers: Vec::new(), body })
    }
}

#[test]
fn a_server_that_asks_for_reasoning_gets_it_once_more() {
    let ok =
        || (200, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_owned());
    let bad = |text: &str| (400, json!({ "error": { "message": text } }).to_string());
    let kimi = "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2";
    let deepseek = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    let strict = "property 'reasoning_content' is unsupported";
    for (name, thought, answers, want) in [
        (
            "asked for, there is some",
            Some("hm"),
            vec![bad(kimi), ok(), ok()],
            vec![None, Some("hm"), Some("hm")],
        ),
        (
            "asked for, there is none",
            None,
            vec![bad(deepseek), ok(), ok()],
            vec![None, Some(" "), Some(" ")],
        ),
        (
            "refused",
            Some("in the field"),
            vec![bad(strict), ok(), ok()],
            vec![Some("in the field"), None, None],
        ),
        (
            "asked for again",
            Some("hm"),
            vec![bad(kimi), bad(kimi), bad(kimi)],
            vec![None, Some("hm"), Some("hm")],
        ),
        ("about something else", Some("hm"), vec![bad("bad"), ok()], vec![None, None]),
    ] {
        let wire = Arc::new(Answers {
            left: std::sync::Mutex::new(answers.into()),
            asked: std::sync::Mutex::default(),
        });
        let endpoint = Endpoint::new("own", Api::Chat, "http://h.test");
        let provider = connect(endpoint, Arc::clone(&wire) as Arc<dyn Wire>);
        let opaque = (thought == Some("in the field")).then(|| {
            Opaque(
                serde_json::value::to_raw_value(&json!({ "field": "reasoning_content" })).unwrap(),
            )
        });
        let thought =
            thought.map(|text| AssistantBlock::Reasoning { text: text.to_owned(), opaque });
        let text = AssistantBlock::Text { text: "a".to_owned(), opaque: None };
        let mut request = request("m");
        request.messages = crate::Messages::from(vec![
            Arc::new(Message::User(vec![Content::text("hi")])),
            Arc::new(Message::Assistant(Assistant {
                effort: None,
                blocks: thought.into_iter().chain([text]).collect(),
                origin: "x/m".to_owned(),
                stop: StopReason::EndTurn,
            })),
            Arc::new(Message::User(vec![Content::text("go on")])),
        ]);
        for _ in 0..2 {
            let asked = provider.stream(request.clone()).now_or_never().unwrap();
            assert!(asked.is_ok() || name == "asked for again" || name == "about something else");
        }
        let sent: Vec<_> = wire
            .asked
            .lock()
            .unwrap()
            .iter()
            .map(|body| {
                body["messages"][2]
                    .get("reasoning_content")
                    .and_then(Value::as_str)
                    .map(str::to_owned)
            })
            .collect();
        assert_eq!(
            sent,
            want.into_iter().map(|one| one.map(str::to_owned)).collect::<Vec<_>>(),
            "{name}"
        );
    }
}
