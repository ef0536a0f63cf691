//! Random conversations, which no strict server refuses.
//!
//! A conversation is anything that the loop can produce, as `invariants` defines it: replies of several models with their opaque data,
//! empty and odd texts, malformed calls, failed and interrupted work. Each goes to every model of [`MODELS`].

use crate::catalog::{self, Api, Dialect};
use crate::documents;
use crate::remote::encode;
use crate::{
    Assistant, AssistantBlock, BuiltIn, Effort, Endpoint, Message, Messages, Opaque, Request,
    ToolResult, ToolSpec, invariants, text_tools, vision,
};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The models that read each conversation and write its replies: each API, and each kind of model that its encoder distinguishes.
const MODELS: &[(Api, &str, &str)] = &[
    (Api::Messages, "anthropic", "claude-haiku-4-5"),
    (Api::Messages, "anthropic", "claude-opus-4-6"),
    (Api::Messages, "anthropic", "claude-opus-5"),
    (Api::Messages, "anthropic", "claude-fable-5-1"),
    (Api::Messages, "minimax", "MiniMax-M3"),
    (Api::Chat, "openai", "gpt-4.1"),
    (Api::Chat, "deepseek", "deepseek-v4-pro"),
    (Api::Chat, "mistral", "mistral-large-4"),
    (Api::Chat, "moonshot", "kimi-k3"),
    (Api::Chat, "openrouter", "anthropic/claude-sonnet-5"),
    (Api::Chat, "ollama", "gemma-4-31b"),
    (Api::Responses, "openai", "gpt-4.1"),
    (Api::Responses, "openai", "gpt-5.4"),
    (Api::Responses, "openai", "gpt-6.2-sol"),
    (Api::Gemini, "google", "gemini-2.5-flash"),
    (Api::Gemini, "google", "gemini-2.5-pro"),
    (Api::Gemini, "google", "gemini-3.1-pro-preview"),
    (Api::Gemini, "google", "gemini-3.8-flash"),
    (Api::Gemini, "google", "gemini-4-argon"),
];

/// Texts of users, models and tools.
const TEXTS: &[&str] = &[
    "",
    " ",
    "\n\t ",
    "\u{a0}\u{2003}",
    "\u{200b}",
    "ok",
    "Done. ",
    "error: no such file",
    "<think>\nhm\n</think>",
    "\u{0}\u{7}\u{1b}[31m",
    "\u{feff}\u{fffd}\u{2028}",
    "e\u{301} 👩‍👩‍👧‍👦 עברית",
    "\"\\ud83d\" {} \\",
];

/// Tool names as models write them.
const NAMES: &[&str] = &[
    "read",
    "apply_patch",
    "mcp__git__status",
    "functions.read",
    "default_api:grep",
    "",
    "1up",
    "-x",
    "größer",
    "читать",
];

/// Call ids of several providers.
const IDS: &[&str] = &[
    "toolu_01A",
    "call_1",
    "functions.read:0",
    "functions_read_0",
    "0",
    "",
    "D681PevKs",
    "chatcmpl-tool-Ω",
];

/// Arguments, some of which are malformed.
const ARGUMENTS: &[&str] = &[
    "",
    "{}",
    "{\"path\":\"a\"}",
    "{\"path\":",
    "[1]",
    "null",
    "{\"n\":1e999}",
    "{\"n\":12345678901234567890123}",
    "{\"a\":\"\\ud83d\"}",
    "{\"a\":1,\"a\":2}",
    "{\"input\":\"*** Begin Patch\\n\"}",
    "not json",
];

/// Stop reasons.
const STOPS: &[StopReason] = &[
    StopReason::EndTurn,
    StopReason::ToolUse,
    StopReason::MaxTokens,
    StopReason::Refusal,
    StopReason::Paused,
    StopReason::Limit,
    StopReason::Other,
];

/// A block of a reply, before its model's API determines its opaque data.
#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Thought(String, Seal),
    Call {
        id: String,
        name: String,
        arguments: String,
        is_signed: bool,
    },
    /// A search that the provider ran; pending if it has no result.
    Search {
        is_pending: bool,
    },
}

/// A thought's opaque data.
#[derive(Debug, Clone, Copy)]
enum Seal {
    Signed,
    /// With an empty signature, as some servers send it.
    Empty,
    /// Only opaque data, without words.
    Redacted,
    None,
}

/// A reply, its results and the user's next message.
#[derive(Debug, Clone)]
struct Step {
    /// Index of its model.
    model: usize,
    pieces: Vec<Piece>,
    stop: StopReason,
    effort: Option<Effort>,
    results: Vec<(Vec<Content>, bool)>,
    next: Vec<Content>,
}

#[derive(Debug, Clone)]
struct Conversation {
    first: Vec<Content>,
    steps: Vec<Step>,
    /// The last message may be a reply.
    is_cut: bool,
}

/// The remaining fields of a request.
#[derive(Debug, Clone)]
struct Rest {
    system: String,
    tools: Vec<ToolSpec>,
    searches: bool,
    effort: Option<Effort>,
    limit: Option<u32>,
    output: Option<Value>,
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(TEXTS).prop_map(str::to_owned),
        3 => "[a-zA-Z0-9 .,\n]{1,40}",
        1 => any::<String>(),
        1 => (1_usize..40_000).prop_map(|length| "long ".repeat(length / 5 + 1)),
    ]
}

fn content() -> impl Strategy<Value = Content> {
    let image = select(&["image/png", "image/jpeg", "image/gif", "image/webp"][..])
        .prop_map(|mime| Content::Image { mime_type: mime.to_owned(), data: "AA==".to_owned() });
    let document = (texts(), select(&["a.pdf", "", "é\n\"b\".pdf"][..]), 1..90_u64).prop_map(
        |(text, name, pages)| Content::Document {
            mime_type: "application/pdf".to_owned(),
            data: "JVBERg==".to_owned(),
            name: name.to_owned(),
            pages,
            text,
        },
    );
    prop_oneof![6 => texts().prop_map(Content::text), 1 => image, 1 => document]
}

/// A user message, which is never empty.
fn user() -> impl Strategy<Value = Vec<Content>> {
    vec(content(), 1..4).prop_map(|mut said| {
        let is_empty = |content: &Content| content.as_text().is_some_and(str::is_empty);
        if said.iter().all(is_empty) {
            said.push(Content::text("go on"));
        }
        said
    })
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(NAMES).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => Just("n".repeat(200)),
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    let id = prop_oneof![
        6 => select(IDS).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => Just("i".repeat(460)),
    ];
    let arguments = prop_oneof![
        6 => select(ARGUMENTS).prop_map(str::to_owned),
        1 => texts().prop_map(|text| json!({ "text": text }).to_string()),
        1 => Just("[".repeat(300)),
    ];
    let seal = select(&[Seal::Signed, Seal::Signed, Seal::Empty, Seal::Redacted, Seal::None][..]);
    prop_oneof![
        3 => texts().prop_map(Piece::Text),
        2 => (texts(), seal).prop_map(|(text, seal)| Piece::Thought(text, seal)),
        3 => (id, names(), arguments, any::<bool>()).prop_map(|(id, name, arguments, is_signed)| {
            Piece::Call { id, name, arguments, is_signed }
        }),
        1 => any::<bool>().prop_map(|is_pending| Piece::Search { is_pending }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let results = vec((vec(content(), 0..3), any::<bool>()), 1..3);
    let next = prop_oneof![1 => Just(Vec::new()), 1 => user()];
    let replies = (0..MODELS.len(), vec(piece(), 0..6), select(STOPS), option::of(effort()));
    (replies, results, next).prop_map(|((model, pieces, stop, effort), results, next)| Step {
        model,
        pieces,
        stop,
        effort,
        results,
        next,
    })
}

/// Conversations in which most replies are of one model, since opaque data only goes back to its own.
fn conversation() -> impl Strategy<Value = Conversation> {
    let steps = vec((step(), 0_u8..4), 0..6);
    (user(), steps, 0..MODELS.len(), prop::bool::weighted(0.1)).prop_map(
        |(first, steps, main, is_cut)| {
            let steps = steps.into_iter().map(|(step, other)| {
                let model = if other == 0 { step.model } else { main };
                Step { model, ..step }
            });
            Conversation { first, steps: steps.collect(), is_cut }
        },
    )
}

/// A schema below the top.
fn schema() -> impl Strategy<Value = Value> {
    let leaves = [
        json!(true),
        json!({}),
        json!({ "type": "string", "format": "uri" }),
        json!({ "type": "string", "format": "int32" }),
        json!({ "type": "integer", "format": "int64", "exclusiveMinimum": 0 }),
        json!({ "type": "number", "format": "date-time", "minimum": 0.5 }),
        json!({ "type": ["string", "null"], "description": "d" }),
        json!({ "type": ["string", "integer", "null"], "description": "d", "minLength": 1 }),
        json!({ "type": "object" }),
        json!({ "type": "array", "minItems": 1 }),
        json!({ "type": ["array", "null"] }),
        json!({ "type": "object", "required": ["gone"] }),
        json!({ "type": "null" }),
        json!({ "enum": ["a", "", null] }),
        json!({ "enum": [""], "description": "d" }),
        json!({ "enum": [1, 2.5, "x"] }),
        json!({ "const": "c" }),
        json!({ "type": "boolean", "default": true }),
        json!({ "$ref": "#/$defs/size" }),
        json!({ "$ref": "#/$defs/gone" }),
        json!({ "$ref": "#" }),
        json!({ "type": "string", "minLength": 1.0, "title": "t", "examples": ["e"] }),
    ];
    let leaf = select(leaves.to_vec());
    leaf.prop_recursive(3, 12, 3, |inner| {
        let list = vec(inner.clone(), 0..3);
        prop_oneof![
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            list.clone().prop_map(|parts| json!({ "anyOf": parts, "description": "either" })),
            list.clone().prop_map(|parts| json!({ "oneOf": parts, "type": "object" })),
            list.clone().prop_map(|parts| json!({ "allOf": parts, "title": "all" })),
            list.prop_map(|parts| json!({ "type": "array", "prefixItems": parts })),
            fields(inner).prop_map(|fields| {
                json!({ "type": "object", "properties": fields, "required": ["a", "gone"] })
            }),
        ]
    })
}

fn fields(of: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let names = select(&["a", "b", "path", "x-y.z"][..]).prop_map(str::to_owned);
    vec((names, of), 0..3).prop_map(|fields| fields.into_iter().collect())
}

fn tools() -> impl Strategy<Value = Vec<ToolSpec>> {
    let names = ["read", "apply_patch", "mcp__git__status", "client-tool"];
    // As clients register them: mostly plain objects.
    let tops = [
        json!({ "type": "object" }),
        json!({ "type": "object" }),
        json!({}),
        json!({ "type": "object", "allOf": [{ "properties": { "c": {} } }], "not": {} }),
        json!({ "oneOf": [{ "properties": { "c": { "type": "array" } } }, true] }),
    ];
    vec((fields(schema()), select(tops.to_vec())), 0..4).prop_map(move |all| {
        let with = |mut top: Value, fields: Map<String, Value>| {
            if !fields.is_empty() {
                top["properties"] = Value::Object(fields);
            }
            top["$defs"] = json!({ "size": { "type": "integer", "minimum": 1 } });
            top
        };
        let tool = |(name, (fields, top)): (&str, (Map<String, Value>, Value))| ToolSpec {
            name: name.to_owned(),
            description: "d".to_owned(),
            parameters: with(top, fields),
            grammar: (name == "apply_patch").then_some("start: /.+/"),
            built_in: None,
        };
        names.into_iter().zip(all).map(tool).collect()
    })
}

fn effort() -> impl Strategy<Value = Effort> {
    select(Effort::all().collect::<Vec<_>>())
}

fn rest() -> impl Strategy<Value = Rest> {
    let system = select(&["", " \n", "be brief"][..]).prop_map(str::to_owned);
    let output =
        fields(schema()).prop_map(|fields| json!({ "type": "object", "properties": fields }));
    (
        system,
        tools(),
        any::<bool>(),
        option::of(effort()),
        option::of(select(&[1_500_u32, 2_048, 64_000][..])),
        option::weighted(0.2, output),
    )
        .prop_map(|(system, tools, searches, effort, limit, output)| Rest {
            system,
            tools,
            searches,
            effort,
            limit,
            output,
        })
}

impl Conversation {
    /// Returns the messages, with call ids that are unique, as the loop makes them.
    fn messages(&self) -> Vec<Message> {
        let mut messages = vec![Message::User(self.first.clone())];
        let mut ids = BTreeSet::new();
        for (number, step) in self.steps.iter().enumerate() {
            let (api, provider, model) = MODELS[step.model];
            let mut reply = Assistant {
                blocks: Vec::new(),
                origin: format!("{provider}/{model}"),
                stop: step.stop,
                effort: step.effort,
            };
            for (at, piece) in step.pieces.iter().enumerate() {
                let mut piece = piece.clone();
                if let Piece::Call { id, .. } = &mut piece {
                    while !ids.insert(id.clone()) {
                        id.push_str("_1");
                    }
                }
                reply.blocks.extend(blocks(api, &piece, &format!("{number}_{at}")));
            }
            let calls = reply.blocks.iter().filter_map(|block| match block {
                AssistantBlock::ToolCall { id, name, .. } => Some((id.clone(), name.clone())),
                AssistantBlock::Text { .. }
                | AssistantBlock::Reasoning { .. }
                | AssistantBlock::Unknown(_) => None,
            });
            let calls: Vec<_> = calls.collect();
            let has_calls = !calls.is_empty();
            messages.push(Message::Assistant(reply));
            for ((call_id, tool_name), result) in calls.into_iter().zip(step.results.iter().cycle())
            {
                let (content, is_error) = result.clone();
                messages.push(Message::ToolResult(ToolResult {
                    call_id,
                    tool_name,
                    content,
                    is_error,
                }));
            }
            let is_last = number + 1 == self.steps.len();
            let may_end = has_calls || step.stop == StopReason::Paused || (is_last && self.is_cut);
            match (&step.next[..], may_end) {
                ([], true) => {}
                ([], false) => messages.push(Message::User(vec![Content::text("go on")])),
                (_, _) => messages.push(Message::User(step.next.clone())),
            }
        }
        messages
    }
}

fn opaque(value: &Value) -> Opaque {
    Opaque(serde_json::value::to_raw_value(value).unwrap())
}

/// Returns a piece in the form in which its API's decoder keeps it.
fn blocks(api: Api, piece: &Piece, number: &str) -> Vec<AssistantBlock> {
    match piece {
        Piece::Text(text) => {
            let opaque = match api {
                Api::Messages => {
                    json!({ "parts": [{ "to": text.len() / 2, "citations": [] }, { "to": text.len(), "citations": [{ "url": "u" }] }] })
                }
                Api::Responses => json!({ "phase": "commentary" }),
                Api::Gemini => {
                    json!({ "signed": [{ "from": text.len(), "to": text.len(), "thoughtSignature": "T" }] })
                }
                Api::Chat => {
                    return vec![AssistantBlock::Text { text: text.clone(), opaque: None }];
                }
            };
            // Only some texts have such data.
            let opaque = (text.len() % 2 == 0).then(|| self::opaque(&opaque));
            vec![AssistantBlock::Text { text: text.clone(), opaque }]
        }
        Piece::Thought(text, seal) => {
            let signature = if matches!(seal, Seal::Empty) { "" } else { "S=" };
            let is_redacted = matches!(seal, Seal::Redacted);
            let kept = match (api, is_redacted) {
                (Api::Messages, true) => json!({ "type": "redacted_thinking", "data": "R" }),
                (Api::Messages, false) => json!({ "signature": signature }),
                (Api::Responses, true) => json!({
                    "type": "reasoning", "id": format!("rs_{number}"), "encrypted_content": "E"
                }),
                (Api::Responses, false) => json!({
                    "type": "reasoning", "id": format!("rs_{number}"), "summary": [], "status": "completed",
                    "encrypted_content": signature
                }),
                (Api::Gemini, _) => json!({
                    "signed": [{ "from": 0, "to": text.len(), "thoughtSignature": signature }]
                }),
                (Api::Chat, true) => json!({ "field": "reasoning" }),
                (Api::Chat, false) => json!({ "field": "reasoning_content" }),
            };
            let opaque = (!matches!(seal, Seal::None)).then(|| opaque(&kept));
            let text = if is_redacted && api != Api::Chat { String::new() } else { text.clone() };
            vec![AssistantBlock::Reasoning { text, opaque }]
        }
        Piece::Call { id, name, arguments, is_signed } => {
            let kept = match api {
                Api::Messages => Some(json!({ "caller": { "type": "direct" } })),
                Api::Responses => Some(json!({ "namespace": "n" })),
                Api::Gemini => Some(json!({ "id": format!("g{number}"), "thoughtSignature": "T" })),
                Api::Chat => None,
            };
            vec![AssistantBlock::ToolCall {
                id: id.clone(),
                name: name.clone(),
                arguments: arguments.clone(),
                opaque: kept.filter(|_| *is_signed).map(|kept| opaque(&kept)),
            }]
        }
        Piece::Search { is_pending } => {
            let all = match api {
                Api::Messages => vec![
                    json!({
                        "type": "server_tool_use", "id": format!("srvtoolu_{number}"), "name": "web_search",
                        "input": { "query": "q" }
                    }),
                    json!({
                        "type": "web_search_tool_result", "tool_use_id": format!("srvtoolu_{number}"),
                        "content": []
                    }),
                ],
                Api::Responses => vec![json!({
                    "type": "web_search_call", "id": format!("ws_{number}"), "status": "completed",
                    "action": { "type": "search", "query": "q" }
                })],
                Api::Gemini => vec![
                    json!({ "toolCall": { "id": number, "toolType": "GOOGLE_SEARCH_WEB", "args": {} } }),
                    json!({ "toolResponse": { "id": number, "toolType": "GOOGLE_SEARCH_WEB", "response": {} } }),
                ],
                Api::Chat => vec![json!({ "reasoning_details": [{ "type": "reasoning.text" }] })],
            };
            let kept = if *is_pending { 1 } else { all.len() };
            all.iter().take(kept).map(|block| AssistantBlock::Unknown(opaque(block))).collect()
        }
    }
}

/// Encodes the conversation for a model and checks the body.
fn check(
    (api, provider, model): (Api, &str, &str),
    messages: &Messages,
    rest: &Rest,
    has_text_tools: bool,
) -> Result<(), String> {
    let dialect = catalog::find(provider).map_or(Dialect::PLAIN, |entry| entry.dialect);
    let mut endpoint = Endpoint::new(provider, api, "http://h");
    endpoint.dialect = dialect;
    let mut tools = rest.tools.clone();
    if rest.searches && endpoint.searches_web(model) {
        tools.push(ToolSpec {
            name: "web_search".to_owned(),
            description: "d".to_owned(),
            parameters: json!({ "type": "object", "properties": {} }),
            grammar: None,
            built_in: Some(BuiltIn::WebSearch),
        });
    }
    let mut request = Request {
        model: model.to_owned(),
        origin: format!("{provider}/{model}"),
        system: rest.system.as_str().into(),
        messages: messages.clone(),
        tools: tools.into(),
        effort: rest.effort,
        max_output_tokens: rest.limit,
        cache_key: Some("0197f0c4-0000-7000-8000-000000000000".into()),
        output_schema: rest.output.clone().map(Arc::new),
        trace: crate::Trace::default(),
    };
    if catalog::takes_images(provider, model) == Some(false) {
        vision::without_images(&mut request);
    }
    let takes_documents = endpoint.takes_documents(model);
    documents::fit(&mut request, takes_documents.then_some(api));
    if has_text_tools {
        text_tools::into_text(&mut request);
    }
    let body = encode(api, &request, dialect);
    super::check(api, model, &body).and_then(|()| match provider {
        "mistral" => super::check_mistral(&body),
        _ => Ok(()),
    })
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(300))]

    #[test]
    fn no_conversation_is_refused(conversation in conversation(), rest in rest()) {
        let messages: Vec<_> = conversation.messages().into_iter().map(Arc::new).collect();
        prop_assert_eq!(invariants::check(&messages), Ok(()));
        let messages = Messages::from(messages);
        for target in MODELS {
            for has_text_tools in [false, true] {
                let checked = check(*target, &messages, &rest, has_text_tools);
                prop_assert_eq!(checked, Ok(()), "{:?}, text tools: {}", target, has_text_tools);
            }
        }
    }
}
