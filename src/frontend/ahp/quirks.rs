//! Client deviations from the specification, one function each. Pure.
//!
//! | client, seen with | behaviour | reaction |
//! |---|---|---|
//! | VS Code 1.139 | `reconnect` has no `channel`, which its params require | [`complete_reconnect`] adds the root's |
//! | VS Code 1.139 | a session's rename is sent on its chat's channel, where no reducer knows it | [`is_rename_on_chat`]: the session is renamed, and both channels are notified |
//! | VS Code 1.139 | window settings are sent as `root/configChanged` with `clientSeq` 0, which no client waits for | [`is_advice`]: they are not read, and not refused |
//! | VS Code 1.139 | `setClientManagedSettingsPermissions` is in no version of the protocol | unknown notifications are ignored |
//! | VS Code 1.139 | a second window answers a confirmation again although it saw the answer | the first answer counts, and the second is refused |
//! | VS Code 1.139 | a confirmation's title is read as Markdown, even if it is plain text, and twice | every text is sent as Markdown, escaped (`wire::literal`), and titles name no files |
//! | VS Code 1.139 | deleting a session disposes of it, as ending a spare one does | a spare session leaves nothing behind; one with turns is archived, not deleted |
//! | VS Code 1.139 | a prompt that is sent before the pickers of its session are drawn subscribes to the session first, waits for the answer, and then creates the session; its count of changed files is missing until the session is opened again | the subscription is refused like any to a session that does not exist: one that waited would prevent the session's creation |
//! | VS Code 1.139 | a client's tool is confirmed before its result arrives | [`is_of_client_tool`]: the confirmation changes nothing |

use super::state::Channel;
use ahp_types::ROOT_RESOURCE_URI;
use ahp_types::actions::StateAction;
use serde_json::Value;

/// Adds the channel that `reconnect` requires.
pub(super) fn complete_reconnect(params: &mut Value) {
    if let Some(fields) = params.as_object_mut() {
        fields.entry("channel").or_insert_with(|| ROOT_RESOURCE_URI.into());
    }
}

/// Returns true for a session title sent on the chat channel.
pub(super) fn is_rename_on_chat(channel: &Channel, action: &StateAction) -> bool {
    *channel == Channel::Chat && matches!(action, StateAction::SessionTitleChanged(_))
}

/// Returns true for settings of a window, which are advice.
pub(super) fn is_advice(action: &StateAction) -> bool {
    matches!(action, StateAction::RootConfigChanged(_))
}

/// Returns true for a confirmation by the client that runs the tool.
pub(super) fn is_of_client_tool(tool_client: Option<&str>, client: &str) -> bool {
    tool_client == Some(client)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ahp_types::commands::ReconnectParams;
    use serde_json::json;

    #[test]
    fn each_deviation_is_recognized_and_nothing_else() {
        let mut params = json!({"clientId": "c", "lastSeenServerSeq": 7, "subscriptions": []});
        assert!(serde_json::from_value::<ReconnectParams>(params.clone()).is_err());
        complete_reconnect(&mut params);
        let read: ReconnectParams = serde_json::from_value(params.clone()).unwrap();
        assert_eq!(read.channel, ROOT_RESOURCE_URI);
        params["channel"] = json!("other:");
        complete_reconnect(&mut params);
        assert_eq!(params["channel"], "other:");

        let action = |value: Value| serde_json::from_value::<StateAction>(value).unwrap();
        let title = action(json!({"type": "session/titleChanged", "title": "t"}));
        let read = action(json!({"type": "session/isReadChanged", "isRead": true}));
        let config = action(json!({"type": "root/configChanged", "config": {}}));
        assert!(is_rename_on_chat(&Channel::Chat, &title));
        assert!(!is_rename_on_chat(&Channel::Session, &title));
        assert!(!is_rename_on_chat(&Channel::Chat, &read));
        assert!(is_advice(&config) && !is_advice(&title));
        assert!(is_of_client_tool(Some("a"), "a"));
        assert!(!is_of_client_tool(Some("a"), "b") && !is_of_client_tool(None, "a"));
    }
}
