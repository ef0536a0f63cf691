//! Exported pages, as texts and as markup trees.

use super::*;
use crate::store::{FORMAT_VERSION, Header};
use base64::Engine as _;
use pintle_protocol::content::{Content, Input, Usage};
use pintle_protocol::diff::{FileChange, FileOp};
use pintle_protocol::event::{
    Event, EventRecord, Notice, NoticeLevel, SessionCreated, TurnCompleted, TurnStatus,
};
use pintle_protocol::ids::{AgentId, ItemId};
use pintle_protocol::item::{
    Item, ItemBody, ItemStatus, Subagent, SubagentState, TextBody, ToolCall, ToolDetails, ToolKind,
    ToolResult, UserMessage,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

const MS: u64 = 1_795_339_800_000;

fn store_with(sessions: &[(&str, Vec<Event>)]) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    for (id, events) in sessions {
        let header = Header {
            journal: "pintle".to_owned(),
            version: FORMAT_VERSION,
            session_id: SessionId::new(*id),
            cwd: "/p".to_owned(),
            created_ms: MS,
        };
        let mut journal = store.create(&header).unwrap();
        for (number, event) in events.iter().enumerate() {
            let record = EventRecord {
                session_id: SessionId::new(*id),
                seq: number as u64 + 1,
                ts_ms: MS + number as u64 * 1000,
                turn_id: None,
                cause: None,
                event: event.clone(),
            };
            journal.append(&record, None).unwrap();
        }
    }
    (folder, store)
}

fn exported(format: Format, sessions: &[(&str, Vec<Event>)]) -> String {
    let (_folder, store) = store_with(sessions);
    let mut out = Vec::new();
    write(&store, &SessionId::new(sessions[0].0), format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn item(id: &str, status: ItemStatus, body: ItemBody) -> Item {
    Item {
        id: ItemId::new(id),
        turn_id: None,
        step: None,
        status,
        started_ms: MS,
        duration_ms: Some(61_500),
        body,
    }
}

fn done(id: &str, body: ItemBody) -> Event {
    Event::ItemCompleted { item: item(id, ItemStatus::Completed, body) }
}

fn person(text: &str) -> Event {
    done("u", ItemBody::UserMessage(UserMessage { content: vec![Input::text(text)] }))
}

fn model(text: &str) -> Event {
    done("a", ItemBody::AgentMessage(TextBody { text: text.to_owned() }))
}

fn made(title: &str) -> Event {
    Event::SessionCreated(SessionCreated {
        cwd: "/p".to_owned(),
        model: "a/b".to_owned(),
        permission_mode: pintle_protocol::approval::PermissionMode::Ask,
        mode: pintle_protocol::plan::WorkMode::Act,
        title: Some(title.to_owned()),
        parent: None,
        role: None,
        system_prompt: None,
        tools: None,
        forked_from: None,
    })
}

fn tool(title: &str, input: serde_json::Value, result: ToolResult) -> ItemBody {
    ItemBody::ToolCall(Box::new(ToolCall {
        tool_name: "edit".to_owned(),
        title: title.to_owned(),
        kind: ToolKind::Edit,
        by_provider: false,
        locations: Vec::new(),
        input: Some(input),
        changed_input: None,
        output: Some(result),
    }))
}

fn changed(diff: &str) -> ToolResult {
    let change = FileChange {
        op: FileOp::Modify,
        path: "/p/a.rs".to_owned(),
        old_path: None,
        diff: diff.to_owned(),
        added: 1,
        removed: 1,
        first_changed_line: None,
        words: Vec::new(),
    };
    let details = ToolDetails { changes: vec![change], ..ToolDetails::default() };
    ToolResult { content: vec![Content::text("Changed.")], is_error: false, details }
}

fn agent(id: &str) -> ItemBody {
    ItemBody::Subagent(Box::new(Subagent {
        agent_id: AgentId::new("agent-1"),
        session_id: SessionId::new(id),
        task: "look around".to_owned(),
        model: "a/b".to_owned(),
        state: SubagentState::Closed,
        result: Some("nothing there".to_owned()),
        turns_used: 0,
        usage: Usage::default(),
        cost_nano_usd: None,
    }))
}

/// A session with a bit of everything, and its sub-agent's.
fn everything() -> Vec<(&'static str, Vec<Event>)> {
    let picture =
        Input::Image { mime_type: "image/png".to_owned(), data: "iVBORw0KGgo=".to_owned() };
    let said = UserMessage { content: vec![Input::text("Mend <it>"), picture] };
    let failed = ToolResult {
        content: vec![Content::text("no ```such``` thing")],
        is_error: true,
        details: ToolDetails::default(),
    };
    let mut call = tool("bash: false", json!({"command": "false # fails"}), failed);
    if let ItemBody::ToolCall(call) = &mut call {
        call.kind = ToolKind::Execute;
    }
    let running = tool("bash: sleep", json!({"cmd": "sleep 9"}), ToolResult::default());
    let events = vec![
        made("Mend the parser"),
        done("1", ItemBody::UserMessage(said)),
        done("2", ItemBody::Reasoning(TextBody { text: "Let me see.".to_owned() })),
        model(
            "Here:\n\n```rust\nfn main() { let x = \"1\"; } // 2\n```\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n",
        ),
        done(
            "3",
            tool("edit: a.rs", json!({"path": "a.rs"}), changed("@@ -1 +1 @@\n-a < b\n+a > b\n")),
        ),
        Event::ItemCompleted { item: item("4", ItemStatus::Failed, call) },
        done("5", agent("child")),
        Event::Notice(Notice {
            level: NoticeLevel::Warning,
            code: "x".to_owned(),
            message: "the disk is nearly full".to_owned(),
            hint: None,
        }),
        Event::TurnCompleted(TurnCompleted {
            status: TurnStatus::Completed,
            stop: None,
            error: None,
            usage: Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() },
            cost_nano_usd: Some(12_340_000),
            steps: 2,
            denials: 0,
            structured: None,
            duration_ms: 1500,
        }),
        Event::ItemStarted { item: item("6", ItemStatus::Running, running) },
    ];
    vec![
        ("01-main", events),
        ("child", vec![made("The child"), person("look around"), model("*nothing*")]),
    ]
}

/// The tags and attributes that a page may have. A session's content must not add others.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    let mut allowed: BTreeMap<&str, &[&str]> = BTreeMap::new();
    for tag in [
        "head",
        "title",
        "style",
        "body",
        "header",
        "main",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "dl",
        "dt",
        "dd",
        "summary",
        "p",
        "pre",
        "code",
        "em",
        "strong",
        "del",
        "ul",
        "li",
        "blockquote",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "br",
        "hr",
    ] {
        allowed.insert(tag, &[]);
    }
    allowed.insert("html", &["lang", "xmlns"]);
    allowed.insert("meta", &["charset", "http-equiv", "content", "name"]);
    allowed.insert("article", &["class", "id"]);
    allowed.insert("details", &["class", "id"]);
    allowed.insert("div", &["class"]);
    allowed.insert("p", &["class"]);
    allowed.insert("pre", &["class"]);
    allowed.insert("span", &["class"]);
    allowed.insert("ol", &["start"]);
    allowed.insert("time", &["datetime"]);
    allowed.insert("img", &["alt", "src"]);
    allowed.insert("a", &["rel", "href"]);
    allowed
}

/// Parses a page as XML, strictly, and checks every tag, attribute and address against the allowed ones.
fn check(page: &str) -> Result<(), String> {
    let allowed = allowed();
    let mut open: Vec<String> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").ok_or("no doctype")?;
    while let Some(at) = rest.find('<') {
        text(&rest[..at])?;
        let end = rest[at..].find('>').ok_or("a tag does not end")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            if last.as_deref() != Some(name) {
                return Err(format!("</{name}> closes {last:?}"));
            }
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let known = allowed.get(name).ok_or(format!("<{name}> may not be there"))?;
        attributes = attributes.trim();
        while !attributes.is_empty() {
            let (key, after) = attributes.split_once("=\"").ok_or(format!("odd: {attributes}"))?;
            let (value, after) = after.split_once('"').ok_or("a value does not end")?;
            if !known.contains(&key) {
                return Err(format!("<{name} {key}> may not be there"));
            }
            let is_safe = match key {
                "href" => {
                    let to = value.to_lowercase();
                    to.starts_with("http://") || to.starts_with("https://")
                }
                "src" => value.starts_with("data:image/"),
                _ => true,
            };
            if !is_safe {
                return Err(format!("{key} leads to {value}"));
            }
            text(value)?;
            attributes = after.trim();
        }
        if !is_empty {
            open.push(name.to_owned());
        }
    }
    text(rest)?;
    if open.is_empty() { Ok(()) } else { Err(format!("open at the end: {open:?}")) }
}

fn text(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('&') {
        let entity = text[at..].split_once(';').map(|(entity, _)| entity);
        if !matches!(entity, Some("&amp" | "&lt" | "&gt" | "&quot" | "&#39" | "&#x27")) {
            return Err(format!("a bare &: {}", &text[at..text.len().min(at + 9)]));
        }
    }
    match text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        None => Ok(()),
        Some(c) => Err(format!("{c:?} in a page")),
    }
}

#[test]
fn a_page_shows_all_that_happened_and_is_well_formed() {
    let page = exported(Format::Html, &everything());
    assert_eq!(check(&page), Ok(()), "{page}");
    for want in [
        "<h1>Mend the parser</h1>",
        "Mend &lt;it&gt;",
        "<img alt=\"image\" src=\"data:image/png;base64,iVBORw0KGgo=\"/>",
        "<details class=\"reasoning\" id=\"e3\">",
        "<span class=\"k\">fn</span> main() { <span class=\"k\">let</span> x = <span class=\"s\">&quot;1&quot;</span>; } <span class=\"c\">// 2</span>",
        "<span class=\"cut\">-a &lt; b</span><span class=\"add\">+a &gt; b</span>",
        "<details class=\"call bad\" id=\"e6\">\n<summary>bash: false (failed) <span class=\"took\">1 min 1 s</span>",
        "Session: The child",
        "<em>nothing</em>",
        "Warning: the disk is nearly full",
        "The turn ended after 1.5 s, $0.01234",
        "bash: sleep (not ended)",
        "1 turn, 10 tokens read, 5 written, $0.01234. Last event: ",
    ] {
        assert!(page.contains(want), "{want} is not in {page}");
    }
    for never in ["<script", "javascript", "style=", "@import", "url("] {
        assert!(!page.contains(never), "{never} is in {page}");
    }
}

#[test]
fn the_policy_names_the_style_sheet_that_is_there() {
    let page = exported(Format::Html, &everything());
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let digest = ring::digest::digest(&ring::digest::SHA256, style.as_bytes());
    let digest = base64::engine::general_purpose::STANDARD.encode(digest);
    assert!(page.contains(&format!("style-src 'sha256-{digest}'")), "{page}");
    assert!(page.contains("default-src 'none'; img-src data:;"), "{page}");
}

/// Texts that would be interpreted as markup if they were not escaped.
const HOSTILE: &[&str] = &[
    "<script>alert(1)</script>",
    "</style></pre></code></details><img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x) <javascript:alert(1)>",
    "[e](&#106;avascript:alert(1)) [f](java\tscript:x) [g](\u{1}javascript:x) [h](/etc/passwd)",
    "[i](https://a.example/\"onmouseover=\"x) ![j](https://a.example/p.png) ![k](javascript:x \"t\\\"><b>\")",
    "[l](https://a.example/<script>)",
    "[m]: javascript:alert(1)\n\n[m] [n][m]",
    "```\"><script>\nx\n```",
    "```html\n<!-- <b> --><script>\"</script>\n```",
    "<div onclick=x>\n\n*in it*\n\n</div>",
    "<!-- never closed",
    "&#0; &#1; &#x1b; &#xfffe; &lt;b&gt; &amp;lt; &nosuch;",
    "\u{0}\u{1b}[31m\u{7f}\u{85}\u{fffe}\u{ffff}\r\n\u{202e}txt",
    "]]> <![CDATA[ x ]]> <?php x ?> <!DOCTYPE y>",
    "# h {#id .c onclick=x}",
    "- [x] done <input>\n- [ ] open",
    "|a|\n|:-:|\n|<b>|\n\n~~gone~~ **b** _e_ `c<d`\n\n***\n\n> q\n\n3. x\n\nline  \nbreak",
    "$& ${x} {{x}}",
];

/// A session with a text in every place that can have one.
fn saying(text: &str) -> Vec<Event> {
    let result = ToolResult {
        content: vec![
            Content::text(text),
            Content::Image { mime_type: text.to_owned(), data: "AA==".to_owned() },
            Content::Image { mime_type: "image/png".to_owned(), data: text.to_owned() },
        ],
        is_error: false,
        details: changed(text).details,
    };
    let plain = ToolResult { details: ToolDetails::default(), ..result.clone() };
    vec![
        made(text),
        person(text),
        model(text),
        done("r", ItemBody::Reasoning(TextBody { text: text.to_owned() })),
        done("t", tool(text, json!({ "a": text }), result)),
        done(
            "v",
            tool(
                text,
                json!({ "command": text, "path": text, "content": format!("{text}\n{text}") }),
                plain.clone(),
            ),
        ),
        done("w", tool(text, json!(text), plain)),
        Event::Notice(Notice {
            level: NoticeLevel::Error,
            code: text.to_owned(),
            message: text.to_owned(),
            hint: Some(text.to_owned()),
        }),
    ]
}

#[test]
fn no_markup_and_no_address_of_a_session_gets_into_its_page() {
    for text in HOSTILE {
        let page = exported(Format::Html, &[("s", saying(text))]);
        assert_eq!(check(&page), Ok(()), "{text:?}: {page}");
    }
    let page = exported(Format::Html, &[("s", vec![model(HOSTILE[4])])]);
    let link =
        "<a rel=\"noopener noreferrer nofollow\" href=\"https://a.example/p.png\">[image: j]</a>";
    assert!(page.contains(link), "{page}");
    let page = exported(Format::Html, &[("s", vec![model("[words](javascript:x)")])]);
    assert!(page.contains("words <span class=\"soft\">(javascript:x)</span>"), "{page}");
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn any_text_makes_a_well_formed_page(text in "([ -~\\n]|[<>&\"'`*_\\[\\]()!#|:/-]|\\PC|[\\x00-\\x1f]){0,80}") {
        let page = exported(Format::Html, &[("s", saying(&text))]);
        prop_assert_eq!(check(&page), Ok(()));
    }
}

#[test]
fn markdown_keeps_what_was_said_and_fences_what_was_printed() {
    let page = exported(Format::Markdown, &everything());
    for want in [
        "# Mend the parser\n",
        "## User · ",
        "Mend <it>\n\n[image, image/png]",
        "> Let me see.",
        "```rust\nfn main()",
        "```diff\n@@ -1 +1 @@\n-a < b\n+a > b\n```",
        "````\nno ```such``` thing\n````",
        "**bash: false** (failed) · 1 min 1 s",
        "### Model · ",
        "*The turn ended after 1.5 s, $0.01234*",
        "**bash: sleep** (not ended)",
    ] {
        assert!(page.contains(want), "{want} is not in {page}");
    }
}

#[test]
fn json_is_the_events_of_the_journal_without_what_is_private() {
    let sessions = [("s", vec![made("t"), person("hi")])];
    let lines = exported(Format::Json, &sessions);
    let events: Vec<EventRecord> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<Event> = events.into_iter().map(|record| record.event).collect();
    assert_eq!(events, sessions[0].1);
}

#[test]
fn a_session_that_names_itself_as_its_sub_agent_ends() {
    let sessions = [
        ("a", vec![done("1", agent("b"))]),
        ("b", vec![done("1", agent("a")), done("2", agent("gone"))]),
    ];
    let page = exported(Format::Html, &sessions);
    assert_eq!(page.matches("<summary>Session: ").count(), 1, "{page}");
    assert_eq!(check(&page), Ok(()));
}

#[test]
fn files_are_named_after_title_and_id() {
    for (title, want) in [
        ("Mend the parser", "pintle-mend-the-parser-01995c8e-aaaa.html"),
        ("../../etc/passwd", "pintle-etc-passwd-01995c8e-aaaa.html"),
        ("解析 ÄÖ!", "pintle-解析-äö-01995c8e-aaaa.html"),
        ("///", "pintle-01995c8e-aaaa.html"),
        (&"x".repeat(300), &format!("pintle-{}-01995c8e-aaaa.html", "x".repeat(48))),
    ] {
        let id = "01995c8e-aaaa-7bbb-8ccc-dddddddddddd";
        let (_folder, store) = store_with(&[(id, vec![made(title)])]);
        assert_eq!(file_name(&store, &SessionId::new(id), Format::Html).unwrap(), want);
    }
}
