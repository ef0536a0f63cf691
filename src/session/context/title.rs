//! A session's title: the request to a model, and the title in its reply. Pure.
//!
//! Invariant: a title is one line of at most [`MAX_CHARS`] characters without control characters.

use super::{compact, enclosed};
use pintle_base::text::truncate::{self, Guard, Keep};
use pintle_llm::{AssistantBlock, Message};
use std::sync::Arc;

/// The system prompt of a request for a title.
pub const INSTRUCTIONS: &str = include_str!("prompts/title.md");

/// The maximum length of a model's title.
pub const MAX_CHARS: usize = 80;

/// The maximum length of a user's title.
pub const MAX_GIVEN_CHARS: usize = 200;

/// The maximum length of a message in the request: its start and its end show its subject.
const SHOWN: Guard = Guard { max_chars: 2_000, max_lines: None, keep: Keep::HeadAndTail };

/// Returns the request to the model, with the user's first and the model's last message; `None` without messages.
pub fn request(messages: &[Arc<Message>]) -> Option<String> {
    let first = messages.iter().find_map(|message| match &**message {
        Message::User(blocks) if !compact::is_from_engine(blocks) => {
            Some(compact::plain_text(blocks))
        }
        Message::User(_) | Message::Assistant(_) | Message::ToolResult(_) => None,
    })?;
    let last = messages.iter().rev().find_map(|message| match &**message {
        Message::Assistant(assistant) => assistant.blocks.iter().find_map(|block| match block {
            AssistantBlock::Text { text, .. } => Some(text.clone()),
            AssistantBlock::Reasoning { .. }
            | AssistantBlock::ToolCall { .. }
            | AssistantBlock::Unknown(_) => None,
        }),
        Message::User(_) | Message::ToolResult(_) => None,
    });
    let cut = |text: String| truncate::guard(&text, SHOWN, "").unwrap_or(text);
    let agent = last.map(|last| format!("\n\n[agent]\n{}", cut(last))).unwrap_or_default();
    Some(format!(
        "<conversation>\n[user]\n{}\n</conversation>\n\nName it now.",
        enclosed("conversation", &(cut(first) + &agent))
    ))
}

/// Returns the title in a model's reply: its first line with content, without quotes and markup.
pub fn tidy(reply: &str) -> Option<String> {
    reply.lines().find_map(|line| {
        let line = one_line(&line.replace(['`', '*'], ""));
        let mut title = line.as_str();
        loop {
            let before = title;
            title = title
                .trim_start_matches(['#', '>', '-', '_', ' '])
                .trim_end_matches(['_', '.', ' ', '。']);
            title = title.strip_prefix("Title:").unwrap_or(title);
            title = title.trim_matches([
                '"', '\'', '“', '”', '„', '‘', '’', '«', '»', '「', '」', '《', '》',
            ]);
            if title == before {
                break;
            }
        }
        (!title.is_empty()).then(|| shorten(title))
    })
}

/// Returns a text on one line: control characters and runs of white space become one space.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Shortens a title, at a word boundary if one is near.
fn shorten(title: &str) -> String {
    if title.chars().count() <= MAX_CHARS {
        return title.to_owned();
    }
    let mut cut: String = title.chars().take(MAX_CHARS - 1).collect();
    if let Some(end) = cut.rfind(' ').filter(|end| *end > cut.len() / 2) {
        cut.truncate(end);
    }
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_llm::Assistant;
    use pintle_protocol::content::Content;
    use pintle_protocol::event::StopReason;

    #[test]
    fn a_title_is_one_plain_line() {
        for (name, reply, want) in [
            ("plain", "Fix the login form", "Fix the login form"),
            ("quotes", "\"Fix the login form.\"\n", "Fix the login form"),
            ("quotes of other languages", "„Anmeldung reparieren“", "Anmeldung reparieren"),
            ("Chinese", "《修复登录表单》。", "修复登录表单"),
            ("markup", "# **Fix** the `login` form", "Fix the login form"),
            ("a label", "**Title:** \"Login form\"", "Login form"),
            ("an empty line first", "\n\n  Fix it  \nand more", "Fix it"),
            ("a name keeps its underscores", "rename user_id", "rename user_id"),
            ("an apostrophe inside", "don't panic", "don't panic"),
            ("control characters", "Fix\u{1b}[31m\tit", "Fix [31m it"),
            ("nothing", " \n`` \"\" \n", ""),
        ] {
            assert_eq!(tidy(reply).unwrap_or_default(), want, "{name}");
        }
    }

    #[test]
    fn a_long_title_is_cut_at_a_word() {
        let cut = tidy(&"words and ".repeat(20)).unwrap();
        assert!(cut.ends_with("and words…") && cut.chars().count() <= MAX_CHARS, "{cut}");
        let cut = tidy(&"字".repeat(200)).unwrap();
        assert_eq!(cut.chars().count(), MAX_CHARS);
    }

    #[test]
    fn the_person_s_first_and_the_agent_s_last_words_are_shown() {
        let user = |text: &str| Arc::new(Message::User(vec![Content::text(text)]));
        let agent = |text: &str| {
            let text = AssistantBlock::Text { text: text.to_owned(), opaque: None };
            let (origin, stop) = ("x/y".to_owned(), StopReason::EndTurn);
            Arc::new(Message::Assistant(Assistant {
                effort: None,
                blocks: vec![text],
                origin,
                stop,
            }))
        };
        let told = "From the engine, not from the user: plan mode is on.";
        let reply = [user(told), user("fix it"), agent("looking"), user("well?"), agent("done")];
        expect_test::expect![[r"
            <conversation>
            [user]
            fix it

            [agent]
            done
            </conversation>

            Name it now."]]
        .assert_eq(&request(&reply).unwrap());
        assert_eq!(request(&[user(told)]), None, "nobody said anything");
        assert!(request(&[user(&"long ".repeat(9000))]).unwrap().len() < 3000);
    }
}
