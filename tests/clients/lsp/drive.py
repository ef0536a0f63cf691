"""Drives `pintle lsp` by the client of pygls: unsaved text, an approval, an edit, a code action, and progress that is cancelled."""

import asyncio
import os
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

FILE = Path("a.txt").resolve()
TYPED = FILE.read_text() + "typed 😀\n"
TIMEOUT_S = 20


async def main():
    client = LanguageClient("check", "1")
    text, version = TYPED, 1
    shown, edited, begun, ended = asyncio.Queue(), asyncio.Queue(), asyncio.Queue(), asyncio.Queue()
    questions = []

    @client.feature(lsp.WINDOW_SHOW_MESSAGE)
    def show(params):
        shown.put_nowait(params.message)

    @client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def ask(params):
        questions.append(params.message)
        return params.actions[0]

    @client.feature(lsp.WINDOW_WORK_DONE_PROGRESS_CREATE)
    def create(params):
        return None

    @client.feature(lsp.PROGRESS)
    def progress(params):
        kind = params.value["kind"] if isinstance(params.value, dict) else params.value.kind
        queues = {"begin": begun, "end": ended}
        if kind in queues:
            queues[kind].put_nowait(params.token)

    @client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params):
        edited.put_nowait(params.edit.document_changes[0])
        return lsp.ApplyWorkspaceEditResult(applied=True)

    async def take(queue):
        return await asyncio.wait_for(queue.get(), TIMEOUT_S)

    async def command(name, *arguments):
        params = lsp.ExecuteCommandParams(command=name, arguments=list(arguments))
        return await asyncio.wait_for(client.workspace_execute_command_async(params), TIMEOUT_S)

    await client.start_io(
        os.environ["PINTLE_BIN"], "lsp", "--permission", "ask", "--script", os.environ["SCRIPT"]
    )
    capabilities = lsp.ClientCapabilities(
        window=lsp.WindowClientCapabilities(work_done_progress=True),
        workspace=lsp.WorkspaceClientCapabilities(
            apply_edit=True,
            workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True),
        ),
    )
    params = lsp.InitializeParams(capabilities=capabilities, root_uri=FILE.parent.as_uri())
    made = await asyncio.wait_for(client.initialize_async(params), TIMEOUT_S)
    assert "pintle.prompt" in made.capabilities.execute_command_provider.commands, made
    client.initialized(lsp.InitializedParams())

    document = lsp.TextDocumentItem(
        uri=FILE.as_uri(), language_id="text", version=version, text=text
    )
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=document))
    await command("pintle.prompt", "edit it")
    change = await take(edited)
    assert change.text_document.version == 1, change
    (edit,) = change.edits
    assert edit.range.start == lsp.Position(line=2, character=0), edit
    assert edit.new_text == "😀 edited 😀\n", edit
    text = text.replace("typed", "😀 edited")
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            text_document=lsp.VersionedTextDocumentIdentifier(uri=FILE.as_uri(), version=2),
            content_changes=[lsp.TextDocumentContentChangeWholeDocument(text=text)],
        )
    )
    assert await take(shown) == "edit done"
    assert any("a.txt" in question for question in questions), questions
    print("pygls: an edit of unsaved text after an approval: fine")

    params = lsp.CodeActionParams(
        text_document=lsp.TextDocumentIdentifier(uri=FILE.as_uri()),
        range=edit.range,
        context=lsp.CodeActionContext(diagnostics=[]),
    )
    actions = await asyncio.wait_for(client.text_document_code_action_async(params), TIMEOUT_S)
    explain = next(action for action in actions if action.title.startswith("Explain"))
    await command(explain.command, *explain.arguments)
    assert await take(shown) == "action done"
    print("pygls: a code action: fine")

    # The progress of the first two turns.
    while not begun.empty():
        begun.get_nowait()
    while not ended.empty():
        ended.get_nowait()
    await command("pintle.prompt", "sleep")
    token = await take(begun)
    client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token=token))
    while await take(ended) != token:
        pass
    print("pygls: a turn that is cancelled by its progress: fine")
    await asyncio.wait_for(client.shutdown_async(None), TIMEOUT_S)
    client.exit(None)
    await client.stop()


asyncio.run(main())
