//! A connection's handshake: the client's and the server's capabilities, and the working directory. Pure.

use super::arguments;
use super::wire::file_path;
use ls_types as lsp;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

/// The used part of `initialize` params. Each capability is read separately, so that a client with an unknown or malformed capability loses
/// only that one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hello {
    #[serde(default)]
    capabilities: Value,
    #[serde(default)]
    pub(super) client_info: Option<lsp::ClientInfo>,
    #[serde(default)]
    workspace_folders: Option<Vec<lsp::WorkspaceFolder>>,
    #[serde(default)]
    root_uri: Option<lsp::Uri>,
    #[serde(default)]
    root_path: Option<String>,
}

/// Client capabilities that affect the messages sent to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate capability")]
pub(super) struct Offers {
    /// True if it shows the progress of work, which the user can cancel.
    pub(super) progress: bool,
    /// True if it applies edits of certain document versions.
    pub(super) edits: bool,
    /// True if it accepts code actions with a kind, in place of bare commands.
    pub(super) action_literals: bool,
    /// True if it opens a document on request.
    pub(super) show_document: bool,
    /// True if it draws code lenses again on request.
    pub(super) lens_refresh: bool,
}

impl Hello {
    /// Returns the client's open directory, the first if there are several.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let folders = self.workspace_folders.iter().flatten();
        let mut uris = folders.map(|folder| &folder.uri).chain(&self.root_uri);
        let path = uris.find_map(file_path);
        path.or_else(|| self.root_path.as_ref().map(PathBuf::from))
            .filter(|path| path.is_absolute())
    }

    pub(super) fn offers(&self) -> Offers {
        let has = |path: &str| {
            self.capabilities.pointer(path).is_some_and(|value| value.as_bool() == Some(true))
        };
        Offers {
            progress: has("/window/workDoneProgress"),
            edits: has("/workspace/applyEdit") && has("/workspace/workspaceEdit/documentChanges"),
            action_literals: self
                .capabilities
                .pointer("/textDocument/codeAction/codeActionLiteralSupport")
                .is_some_and(Value::is_object),
            show_document: has("/window/showDocument/support"),
            lens_refresh: has("/workspace/codeLens/refreshSupport"),
        }
    }
}

/// Returns the server's capabilities. `reads_documents` is false if the files are on another machine, so no editor has them open.
pub(super) fn capabilities(reads_documents: bool) -> lsp::InitializeResult {
    let sync = lsp::TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
        save: Some(lsp::SaveOptions { include_text: Some(false) }.into()),
        ..lsp::TextDocumentSyncOptions::default()
    };
    let actions = lsp::CodeActionOptions {
        code_action_kinds: Some(vec![
            lsp::CodeActionKind::QUICKFIX,
            lsp::CodeActionKind::REFACTOR_REWRITE,
        ]),
        ..lsp::CodeActionOptions::default()
    };
    let commands = lsp::ExecuteCommandOptions {
        commands: arguments::NAMES.iter().map(|name| (*name).to_owned()).collect(),
        ..lsp::ExecuteCommandOptions::default()
    };
    lsp::InitializeResult {
        capabilities: lsp::ServerCapabilities {
            position_encoding: Some(lsp::PositionEncodingKind::UTF16),
            text_document_sync: reads_documents.then(|| sync.into()),
            code_action_provider: Some(actions.into()),
            code_lens_provider: Some(lsp::CodeLensOptions { resolve_provider: Some(false) }),
            execute_command_provider: Some(commands),
            ..lsp::ServerCapabilities::default()
        },
        server_info: Some(lsp::ServerInfo {
            name: "pintle".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..lsp::InitializeResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_folder_is_the_first_that_the_client_has_open() {
        for (name, params, want) in [
            (
                "folders",
                json!({"workspaceFolders": [{"uri": "file:///a%20b", "name": "a b"}, {"uri": "file:///c", "name": "c"}], "rootUri": "file:///d"}),
                Some("/a b"),
            ),
            ("a root", json!({"workspaceFolders": null, "rootUri": "file:///d"}), Some("/d")),
            ("a path", json!({"rootUri": null, "rootPath": "/e"}), Some("/e")),
            ("another machine's", json!({"rootUri": "ssh://host/d"}), None),
            ("none", json!({"processId": null, "rootUri": null}), None),
        ] {
            let hello: Hello = serde_json::from_value(params).unwrap();
            assert_eq!(hello.folder(), want.map(PathBuf::from), "{name}");
        }
    }

    #[test]
    fn an_unknown_capability_takes_no_other_away() {
        let capabilities = json!({"window": {"workDoneProgress": true, "showDocument": "no"}, "workspace": {
            "applyEdit": true, "workspaceEdit": {"documentChanges": true, "failureHandling": "later"}}});
        let hello: Hello =
            serde_json::from_value(json!({"capabilities": capabilities, "rootUri": null})).unwrap();
        let want = Offers { progress: true, edits: true, ..Offers::default() };
        assert_eq!(hello.offers(), want);
    }
}
