//! User messages with their attachments, and answers to input requests. Pure.

use super::wire;
use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputAnswered, ChatInputMultiSelectQuestion,
    ChatInputOption, ChatInputQuestion, ChatInputRequest, ChatInputResponseKind,
    ChatInputSelectedAnswerValue, ChatInputSelectedManyAnswerValue, ChatInputSingleSelectQuestion,
    ChatInputTextQuestion, Message, MessageAttachment, MessageEmbeddedResourceAttachment,
    MessageKind, MessageOrigin, MessageResourceAttachment, TextPosition, TextRange, TextSelection,
};
use pintle_base::pdf::{self, is_document};
use pintle_protocol::approval::{Approval, ApprovalAnswer, ApprovalOutcome, DecidedBy};
use pintle_protocol::content::{Input, LineRange};
use pintle_protocol::question::{
    AnsweredBy, Question, QuestionAnswer, QuestionKind, QuestionOutcome,
};
use std::collections::HashMap;
use std::path::Path;

/// Answers by question id. The protocol's types determine the map type.
pub(super) type Answers = HashMap<String, ChatInputAnswer>;

/// The only question's id.
const ONLY: &str = "answer";

/// Converts a user message to the protocol's form.
pub(super) fn message(input: &[Input]) -> Message {
    let attachments: Vec<MessageAttachment> = input.iter().filter_map(attachment).collect();
    Message {
        text: Input::texts(input),
        origin: MessageOrigin { kind: MessageKind::User },
        attachments: (!attachments.is_empty()).then_some(attachments),
        model: None,
        agent: None,
        meta: None,
    }
}

fn attachment(block: &Input) -> Option<MessageAttachment> {
    let label = |path: &str| {
        let name = Path::new(path).file_name().and_then(|name| name.to_str());
        name.unwrap_or(path).to_owned()
    };
    let of_file = |path: &str, range: Option<LineRange>| {
        MessageAttachment::Resource(MessageResourceAttachment {
            label: label(path),
            range: None,
            display_kind: None,
            meta: None,
            uri: wire::file_uri(path),
            size_hint: None,
            content_type: None,
            nonce: None,
            selection: range.map(selection),
        })
    };
    Some(match block {
        Input::Text { .. } => return None,
        Input::File { path, range } => of_file(path, *range),
        Input::Selection { path, range, .. } => of_file(path, Some(*range)),
        Input::Diagnostics { path, .. } => of_file(path, None),
        Input::Image { mime_type, data } => {
            MessageAttachment::EmbeddedResource(MessageEmbeddedResourceAttachment {
                label: "picture".to_owned(),
                range: None,
                display_kind: Some("image".to_owned()),
                meta: None,
                data: data.clone(),
                content_type: mime_type.clone(),
                selection: None,
            })
        }
        Input::Document { mime_type, data, name } => {
            MessageAttachment::EmbeddedResource(MessageEmbeddedResourceAttachment {
                label: name.clone(),
                range: None,
                display_kind: None,
                meta: None,
                data: data.clone(),
                content_type: mime_type.clone(),
                selection: None,
            })
        }
    })
}

/// Converts our lines, from 1 and inclusive, to theirs, from 0 and with an exclusive end.
fn selection(range: LineRange) -> TextSelection {
    let at = |line: u64| TextPosition { line: wire::count(line), character: 0 };
    TextSelection {
        range: TextRange { start: at(range.start.saturating_sub(1)), end: at(range.end) },
    }
}

fn lines(selection: &TextSelection) -> Option<LineRange> {
    let TextRange { start, end } = &selection.range;
    let first = u64::try_from(start.line).ok()? + 1;
    // A selection that ends at a line's start excludes that line.
    let last = u64::try_from(end.line).ok()? + u64::from(end.character > 0);
    Some(LineRange { start: first, end: last.max(first) })
}

/// Converts a protocol message to engine input.
///
/// # Errors
/// Returns a message for the client if an attachment cannot be given to a model.
pub(super) fn blocks(message: &Message) -> Result<Vec<Input>, String> {
    let mut input = vec![Input::text(message.text.clone())];
    for attachment in message.attachments.iter().flatten() {
        match attachment {
            MessageAttachment::Resource(resource) => {
                let Some(path) = wire::path_of(&resource.uri) else {
                    return Err(format!(
                        "the attachment `{}` is not a file on this machine; remove it from the message",
                        resource.uri
                    ));
                };
                let path = path.to_string_lossy().into_owned();
                input
                    .push(Input::File { path, range: resource.selection.as_ref().and_then(lines) });
            }
            MessageAttachment::EmbeddedResource(embedded)
                if embedded.content_type.starts_with("image/") =>
            {
                let (mime_type, data) = (embedded.content_type.clone(), embedded.data.clone());
                input.push(Input::Image { mime_type, data });
            }
            MessageAttachment::EmbeddedResource(embedded)
                if is_document(&embedded.content_type, &embedded.data) =>
            {
                input.push(Input::Document {
                    mime_type: pdf::MIME_TYPE.to_owned(),
                    data: embedded.data.clone(),
                    name: embedded.label.clone(),
                });
            }
            MessageAttachment::EmbeddedResource(embedded) => {
                return Err(format!(
                    "the attachment `{}` is a {}; only images and PDF documents can be embedded: attach the file itself",
                    embedded.label, embedded.content_type
                ));
            }
            MessageAttachment::Simple(simple) => {
                input.extend(simple.model_representation.clone().map(Input::verbatim));
            }
            MessageAttachment::Annotations(_)
            | MessageAttachment::Chat(_)
            | MessageAttachment::Unknown(_) => {
                return Err("this kind of attachment cannot be read; remove it".to_owned());
            }
        }
    }
    Ok(input)
}

fn option(id: &str, label: &str) -> ChatInputOption {
    let (id, label) = (id.to_owned(), label.to_owned());
    ChatInputOption { id, label, description: None, recommended: None }
}

/// Returns a request with one question, and the text to read before it.
fn request(id: &str, message: Option<String>, question: ChatInputQuestion) -> ChatInputRequest {
    ChatInputRequest {
        id: id.to_owned(),
        message,
        url: None,
        questions: Some(vec![question]),
        answers: None,
    }
}

/// Returns the input request for the model's question to the user.
pub(super) fn question_request(question: &Question) -> ChatInputRequest {
    let options: Vec<ChatInputOption> =
        question.options.iter().map(|choice| option(&choice.option_id, &choice.label)).collect();
    let (id, title) = (ONLY.to_owned(), None);
    let required = Some(true);
    let allow_freeform_input =
        Some(question.kind == QuestionKind::Choice || question.plan.is_some());
    let asked = if options.is_empty() {
        ChatInputQuestion::Text(ChatInputTextQuestion {
            id,
            title,
            message: question.text.clone(),
            required,
            format: None,
            min: None,
            max: None,
            default_value: None,
        })
    } else if question.multiple {
        ChatInputQuestion::MultiSelect(ChatInputMultiSelectQuestion {
            id,
            title,
            message: question.text.clone(),
            required,
            options,
            allow_freeform_input,
            min: None,
            max: None,
        })
    } else {
        ChatInputQuestion::SingleSelect(ChatInputSingleSelectQuestion {
            id,
            title,
            message: question.text.clone(),
            required,
            options,
            allow_freeform_input,
        })
    };
    request(question.question_id.as_str(), question.plan.clone(), asked)
}

/// Returns the input request for a call of a sub-agent, whose chat is not shown.
pub(super) fn approval_request(approval: &Approval) -> ChatInputRequest {
    let options = approval.options.iter().map(|choice| option(&choice.option_id, &choice.label));
    let text = format!("A sub-agent asks: {} ({})", approval.title, approval.reason);
    let asked = ChatInputQuestion::SingleSelect(ChatInputSingleSelectQuestion {
        id: ONLY.to_owned(),
        title: None,
        message: text,
        required: Some(true),
        options: options.collect(),
        allow_freeform_input: Some(false),
    });
    request(approval.approval_id.as_str(), None, asked)
}

fn submitted(value: ChatInputAnswerValue) -> Answers {
    let answer = ChatInputAnswer::Submitted(ChatInputAnswered { value });
    HashMap::from([(ONLY.to_owned(), answer)])
}

/// Returns the outcome for a request that can no longer be answered.
pub(super) fn withdrawn() -> (ChatInputResponseKind, Option<Answers>) {
    (ChatInputResponseKind::Cancel, None)
}

/// Returns a question's outcome, for clients that did not answer it.
pub(super) fn question_answers(
    outcome: &QuestionOutcome,
) -> (ChatInputResponseKind, Option<Answers>) {
    match outcome.by {
        AnsweredBy::Client => {}
        AnsweredBy::Dismissed => return (ChatInputResponseKind::Decline, None),
        AnsweredBy::Deadline | AnsweredBy::NoClient | AnsweredBy::Interrupt => return withdrawn(),
    }
    let freeform_values = outcome.text.clone().map(|text| vec![text]);
    let value = match outcome.option_ids.as_slice() {
        [only] => ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue {
            value: only.clone(),
            freeform_values,
        }),
        several => ChatInputAnswerValue::SelectedMany(ChatInputSelectedManyAnswerValue {
            value: several.to_vec(),
            freeform_values,
        }),
    };
    (ChatInputResponseKind::Accept, Some(submitted(value)))
}

/// Returns a sub-agent approval's outcome.
pub(super) fn approval_answers(
    outcome: &ApprovalOutcome,
) -> (ChatInputResponseKind, Option<Answers>) {
    match outcome.by {
        DecidedBy::Client => (ChatInputResponseKind::Accept, None),
        DecidedBy::NoApprover | DecidedBy::Deadline | DecidedBy::Interrupt => withdrawn(),
    }
}

/// Returns the chosen options and the user's text.
fn chosen(answers: Option<&Answers>) -> (Vec<String>, Option<String>) {
    let mut options = Vec::new();
    let mut words = Vec::new();
    // A request has one question.
    let answer = answers.and_then(|answers| answers.get(ONLY));
    if let Some(ChatInputAnswer::Submitted(answered)) = answer {
        match &answered.value {
            ChatInputAnswerValue::Text(text) => words.push(text.value.clone()),
            ChatInputAnswerValue::Selected(selected) => {
                options.extend((!selected.value.is_empty()).then(|| selected.value.clone()));
                words.extend(selected.freeform_values.clone().unwrap_or_default());
            }
            ChatInputAnswerValue::SelectedMany(selected) => {
                options.clone_from(&selected.value);
                words.extend(selected.freeform_values.clone().unwrap_or_default());
            }
            ChatInputAnswerValue::Number(_)
            | ChatInputAnswerValue::Boolean(_)
            | ChatInputAnswerValue::Unknown(_) => {}
        }
    }
    let text = words.join("\n");
    (options, (!text.trim().is_empty()).then_some(text))
}

/// Returns the user's answer to the model's question.
pub(super) fn question_answer(
    response: ChatInputResponseKind,
    answers: Option<&Answers>,
) -> QuestionAnswer {
    if response != ChatInputResponseKind::Accept {
        return QuestionAnswer { dismissed: true, ..QuestionAnswer::default() };
    }
    let (option_ids, text) = chosen(answers);
    QuestionAnswer { option_ids, text, dismissed: false }
}

/// Returns the user's answer to a sub-agent's approval.
pub(super) fn approval_answer(
    response: ChatInputResponseKind,
    answers: Option<&Answers>,
) -> ApprovalAnswer {
    let (options, feedback) = chosen(answers);
    let option_id = options.into_iter().next();
    let dismissed = response != ChatInputResponseKind::Accept || option_id.is_none();
    ApprovalAnswer {
        option_id: option_id.filter(|_| !dismissed),
        feedback,
        dismissed,
        ..ApprovalAnswer::default()
    }
}
