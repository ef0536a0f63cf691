//! What `streamGenerateContent` refuses, on the Gemini API or on Vertex.
//!
//! Source of a rule without one: the error texts in `tests/fixtures/provider-errors.json` and npm `@google/genai` 3.1.0.

use super::{Checked, DOCUMENTS, distinct, ensure, image, is_name, list, only, text};
use serde_json::Value;

/// Source: ai.google.dev/gemini-api/docs/image-understanding. GIF is not among them ("Unsupported MIME type: image/gif").
const IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];

/// Source: ai.google.dev/gemini-api/docs/function-calling, multimodal function responses.
const RESULT_IMAGES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

/// The fields of which each part has exactly one.
const DATA: [&str; 8] = [
    "text",
    "inlineData",
    "functionCall",
    "functionResponse",
    "toolCall",
    "toolResponse",
    "executableCode",
    "codeExecutionResult",
];

/// Checks a body.
pub(super) fn check(model: &str, body: &Value) -> Checked {
    // "Invalid JSON payload received. Unknown name".
    only(body, &["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"])?;
    if let Some(system) = body.get("systemInstruction") {
        only(system, &["parts"])?;
        let parts = list(system, "parts");
        let is_said = parts.iter().any(|part| !text(part, "text").is_empty());
        // "system_instruction.parts[0].data: required oneof field 'data' must have one initialized field".
        ensure(is_said, "an empty system instruction", system)?;
    }
    let is_third = !model.starts_with("gemini-2") && model.starts_with("gemini-");
    tools(is_third, body)?;
    config(model, is_third, body)?;
    let turns = list(body, "contents");
    order(turns)?;
    calls(turns)?;
    for turn in turns {
        only(turn, &["role", "parts"])?;
        // "contents.parts must not be empty".
        ensure(!list(turn, "parts").is_empty(), "an empty turn", turn)?;
        for part in list(turn, "parts") {
            self::part(is_third, text(turn, "role"), part)?;
        }
    }
    if is_third { signatures(turns) } else { Ok(()) }
}

/// Roles, the first and the last turn.
fn order(turns: &[Value]) -> Checked {
    // "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
    let first = turns.first().map_or("", |first| text(first, "role"));
    ensure(first == "user", "the first turn is not the user's", &Value::Null)?;
    for turn in turns {
        // "Please use a valid role: user, model."
        ensure(matches!(text(turn, "role"), "user" | "model"), "an unknown role", turn)?;
    }
    for pair in turns.windows(2) {
        // "Please ensure that multiturn requests alternate between user and model."
        ensure(pair[0]["role"] != pair[1]["role"], "two turns of one role", &pair[1])?;
    }
    // "Please ensure that multiturn requests ends with a user role or a function response."
    let last = turns.last().map_or("", |last| text(last, "role"));
    ensure(last == "user", "the last turn is not the user's", &Value::Null)
}

/// Calls, and the results in the next turn. Source: google-gemini/gemini-cli#17208.
fn calls(turns: &[Value]) -> Checked {
    let mut open: Vec<(Value, Value)> = Vec::new();
    for turn in turns {
        let parts = list(turn, "parts");
        let pairs = |key: &'static str| {
            let found = parts.iter().filter_map(move |part| part.get(key));
            found.map(|one| (one["name"].clone(), one["id"].clone())).collect::<Vec<_>>()
        };
        let results = pairs("functionResponse");
        ensure(results == open, "the results do not answer the calls", turn)?;
        let is_first = |part: &Value| part.get("functionResponse").is_some();
        let are_first = parts.iter().take(results.len()).all(is_first);
        ensure(are_first, "a result after other parts", turn)?;
        open = pairs("functionCall");
    }
    ensure(open.is_empty(), "a call without result", &Value::Null)
}

/// The first call of each step of the current turn has a signature.
fn signatures(turns: &[Value]) -> Checked {
    let is_said = |part: &Value| part.get("text").is_some();
    let asks = |turn: &Value| turn["role"] == "user" && list(turn, "parts").iter().any(is_said);
    let start = turns.iter().rposition(asks).unwrap_or_default();
    for turn in &turns[start..] {
        let first = list(turn, "parts").iter().find(|part| part.get("functionCall").is_some());
        if let Some(part) = first {
            // "Function call is missing a thought_signature in functionCall parts".
            ensure(!text(part, "thoughtSignature").is_empty(), "a call without signature", part)?;
        }
    }
    Ok(())
}

fn part(is_third: bool, role: &str, part: &Value) -> Checked {
    // "required oneof field 'data' must have one initialized field".
    let data: Vec<&str> = DATA.into_iter().filter(|key| part.get(key).is_some()).collect();
    let [data] = data[..] else { return ensure(false, "a part without one kind of data", part) };
    only(part, &[data, "thought", "thoughtSignature"])?;
    let is_users = matches!(data, "inlineData" | "functionResponse");
    ensure(!is_users || role == "user", "a user's part in a reply", part)?;
    let is_models = !is_users && data != "text";
    ensure(!is_models || role == "model", "a model's part in a user turn", part)?;
    let value = &part[data];
    match data {
        // "contents.parts must not be empty"; a text without content carries a signature.
        "text" => {
            let is_said = !text(part, "text").is_empty() || part.get("thoughtSignature").is_some();
            ensure(is_said, "empty text", part)
        }
        "inlineData" => {
            let accepted = [&IMAGES[..], &DOCUMENTS].concat();
            image(text(value, "mimeType"), text(value, "data"), &accepted, part)
        }
        "functionCall" => {
            only(value, &["name", "args", "id"])?;
            ensure(is_function(text(value, "name")), "a call's name has the wrong form", part)?;
            ensure(value["args"].is_object(), "arguments are not an object", part)
        }
        "functionResponse" => {
            only(value, &["name", "response", "id", "parts"])?;
            // "Proto field is not repeating, cannot start list": the response is a Struct.
            ensure(value["response"].is_object(), "a response that is not an object", part)?;
            for shown in list(value, "parts") {
                ensure(is_third, "an image in a result for an older model", part)?;
                let shown = &shown["inlineData"];
                let accepted = [&RESULT_IMAGES[..], &DOCUMENTS].concat();
                image(text(shown, "mimeType"), text(shown, "data"), &accepted, part)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// "Invalid function name. Must start with a letter or an underscore", with at most 64 characters, later 128.
fn is_function(name: &str) -> bool {
    is_name(name, 64, ".:") && !name.starts_with(|c: char| c.is_ascii_digit() || "-.:".contains(c))
}

fn tools(is_third: bool, body: &Value) -> Checked {
    let mut searches = false;
    let mut functions: Vec<&Value> = Vec::new();
    for tool in list(body, "tools") {
        only(tool, &["functionDeclarations", "googleSearch"])?;
        searches |= tool.get("googleSearch").is_some();
        let declared = list(tool, "functionDeclarations");
        // "tools[0].tool_type: required one_of 'tool_type' must have one initialized field".
        let is_said = tool.get("googleSearch").is_some() == declared.is_empty();
        ensure(is_said, "a tool without one kind", tool)?;
        functions.extend(declared);
    }
    distinct(functions.iter().map(|function| text(function, "name")))?;
    // "Tool use with function calling is unsupported", except on newer models with both offered.
    let is_mixed = searches && !functions.is_empty();
    let is_allowed = is_third && body["toolConfig"]["includeServerSideToolInvocations"] == true;
    ensure(!is_mixed || is_allowed, "searches together with functions", &body["toolConfig"])?;
    for function in functions {
        only(function, &["name", "description", "parameters"])?;
        ensure(is_function(text(function, "name")), "a tool's name has the wrong form", function)?;
        if let Some(parameters) = function.get("parameters") {
            // "functionDeclaration parameters schema should be of type OBJECT".
            ensure(parameters["type"] == "OBJECT", "parameters of another type", parameters)?;
            // "parameters.properties: should be non-empty for OBJECT type".
            let has_some = parameters["properties"].as_object().is_some_and(|all| !all.is_empty());
            ensure(has_some, "parameters without properties", parameters)?;
            schema(parameters)?;
        }
    }
    Ok(())
}

/// Source: ai.google.dev/api/caching#Schema, and the error texts that it is quoted with.
fn schema(schema: &Value) -> Checked {
    // "Unknown name \"$ref\" at 'tools[0].function_declarations[0].parameters': Cannot find field."
    only(
        schema,
        &[
            "type",
            "format",
            "title",
            "description",
            "nullable",
            "enum",
            "items",
            "minItems",
            "maxItems",
            "properties",
            "propertyOrdering",
            "required",
            "minProperties",
            "maxProperties",
            "minLength",
            "maxLength",
            "pattern",
            "minimum",
            "maximum",
            "anyOf",
        ],
    )?;
    if let Some(any) = schema.get("anyOf") {
        // Vertex: "schema specified other fields alongside any_of. When using any_of, it must be the only field set."
        ensure(
            schema.as_object().is_some_and(|all| all.len() == 1),
            "fields next to anyOf",
            schema,
        )?;
        let any = any.as_array().map_or(&[][..], Vec::as_slice);
        ensure(!any.is_empty(), "anyOf without alternatives", schema)?;
        return any.iter().try_for_each(self::schema);
    }
    let kind = text(schema, "type");
    let is_known =
        ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"].contains(&kind);
    // "Proto field is not repeating, cannot start list."
    ensure(is_known, "an unknown type", schema)?;
    let format = text(schema, "format");
    // "format: only 'enum' and 'date-time' are supported for STRING type", and the same for numbers.
    let formats: &[&str] = match kind {
        "STRING" => &["enum", "date-time"],
        "NUMBER" => &["float", "double"],
        "INTEGER" => &["int32", "int64"],
        _ => &[],
    };
    let is_format = schema.get("format").is_none() || formats.contains(&format);
    ensure(is_format, "an unsupported format", schema)?;
    if let Some(values) = schema.get("enum") {
        // "enum: only allowed for STRING type", "enum[0]: cannot be empty".
        ensure(kind == "STRING", "an enum of another type", schema)?;
        let values = values.as_array().map_or(&[][..], Vec::as_slice);
        let are_texts =
            values.iter().all(|value| value.as_str().is_some_and(|one| !one.is_empty()));
        ensure(!values.is_empty() && are_texts, "an enum with an empty value", schema)?;
    }
    // "items: missing field."
    let has_items = schema["items"].is_object();
    ensure(kind != "ARRAY" || has_items, "an array without items", schema)?;
    ensure(kind == "ARRAY" || !has_items, "items of another type", schema)?;
    let properties = schema["properties"].as_object();
    // "only allowed for OBJECT type".
    ensure(kind == "OBJECT" || properties.is_none(), "properties of another type", schema)?;
    for name in list(schema, "required") {
        // "required[0]: property is not defined": Kilo-Org/kilocode#11950.
        let is_defined =
            properties.zip(name.as_str()).is_some_and(|(all, name)| all.contains_key(name));
        ensure(is_defined, "a required property that is not defined", schema)?;
    }
    // "Proto field … Invalid value", for all other fields.
    for key in ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]
    {
        let is_count = schema.get(key).is_none_or(Value::is_u64);
        ensure(is_count, "a limit that is not a whole number", schema)?;
    }
    for key in ["title", "description", "pattern", "format"] {
        ensure(schema.get(key).is_none_or(Value::is_string), "a text of another type", schema)?;
    }
    let named = properties.into_iter().flat_map(|all| all.values());
    named.chain(schema.get("items")).try_for_each(self::schema)
}

fn config(model: &str, is_third: bool, body: &Value) -> Checked {
    let config = &body["generationConfig"];
    if let Some(wanted) = config.get("responseSchema") {
        schema(wanted)?;
    }
    let Some(thinking) = config.get("thinkingConfig") else { return Ok(()) };
    only(thinking, &["includeThoughts", "thinkingBudget", "thinkingLevel"])?;
    let level = text(thinking, "thinkingLevel");
    let budget = thinking["thinkingBudget"].as_i64();
    // "You can only set only one of thinking budget and thinking level."
    ensure(level.is_empty() || budget.is_none(), "a budget and a level", thinking)?;
    // "Thinking level is not supported for this model."
    ensure(level.is_empty() || is_third, "a level for an older model", thinking)?;
    let is_known = ["", "MINIMAL", "LOW", "MEDIUM", "HIGH"].contains(&level);
    ensure(is_known, "an unknown level", thinking)?;
    // "Thinking level MINIMAL is not supported for this model": ai.google.dev/gemini-api/docs/thinking.
    let is_pro = model.contains("pro");
    let is_fourth = model.starts_with("gemini-4");
    ensure(level != "MINIMAL" || !(is_pro || is_fourth), "an unsupported level", thinking)?;
    // "The thinking budget 0 is invalid. Please choose a value between 128 and 32768": the same page.
    let (least, most) = match (is_pro, model.contains("lite")) {
        (true, _) => (128, 32_768),
        (false, true) => (512, 24_576),
        (false, false) => (1, 24_576),
    };
    let is_off = budget == Some(0) && !is_pro;
    let is_in = budget.is_none_or(|budget| (least..=most).contains(&budget));
    ensure(is_in || is_off || budget == Some(-1), "a budget out of range", thinking)
}
