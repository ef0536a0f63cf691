/** Data for the prompt's row: its menus, the active editor, the context overview. */
import type { Client, ConfigOption, Input, ModelsListResult } from "pintle-client";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import { Coalesced } from "../../connection/restart.ts";
import { currentEditor } from "../../documents/view/currentEditor.ts";
import { currentNotebook, shownNow } from "../../documents/view/notebooks.ts";
import type { HasChat, HasFolder, HasLog } from "../../owner.ts";
import { isUsable } from "../../settings/choices.ts";
import { t } from "../../words.ts";
import type { Option } from "../choices.ts";
import { pickersOf } from "../choices.ts";
import { contextView } from "../contextParts.ts";
import { attach, chipOf } from "../input.ts";
import type { InEditor, ToPage } from "../messages.ts";
import { costText } from "../usage.ts";

/** Delay before a changed selection is sent. */
const SETTLE_MS = 80;

type Owner = HasChat & HasFolder & HasLog & { readonly view: { post(message: ToPage): void } };

export class PromptRow {
  readonly #owner: Owner;
  readonly #disposables: vscode.Disposable[];
  readonly #asking = new Coalesced(() => this.#ask());
  #models: { of: Client; list: ModelsListResult } | undefined;
  #options: ConfigOption[] | undefined;
  /** The state at the last update. */
  #key = "";
  #toldEditor = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#disposables = [
      vscode.window.onDidChangeActiveTextEditor(() => this.#editorChanged()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === currentEditor() || currentNotebook() !== undefined) this.#editorChanged();
      }),
      vscode.window.onDidChangeActiveNotebookEditor(() => this.#editorChanged()),
      vscode.window.onDidChangeNotebookEditorSelection(() => this.#editorChanged()),
    ];
  }

  /** A new page needs everything. */
  ready(): void {
    this.#toldEditor = "";
    this.#tell();
    this.#tellEditor();
  }

  /** The session, the engine or the settings may have changed. */
  changed(): void {
    const { chat } = this.#owner;
    const { model, permissionMode, mode } = this.#state();
    // A turn may be the first one after a login.
    const turn = this.#isStale ? chat?.state?.activity : "";
    const key = [chat?.engine.status.kind, chat?.openId(), model, permissionMode, mode, turn].join("\n");
    if (key === this.#key) return;
    this.#key = key;
    this.#tell();
    void this.#asking.run();
  }

  /** True if a model is chosen, and its provider needs no key or has one. */
  get isUsable(): boolean {
    return isUsable(this.#state().model, this.#models?.list);
  }

  /** Sets an option of the open session, or of new ones. Returns false after reporting a failure. */
  async choose(option: Option, value: string): Promise<boolean> {
    const { chat, folder } = this.#owner;
    try {
      const session = chat?.openId() === undefined ? undefined : chat?.session;
      if (session !== undefined) await session.configure({ [option]: value });
      else if (option === "mode") {
        // The next session begins in it.
        if (chat === undefined) return false;
        chat.nextMode = value === "plan" ? "plan" : "act";
      } else {
        const configuration = vscode.workspace.getConfiguration("pintle", folder ?? null);
        const model = configuration.get<string>("model") ?? "";
        const name = option === "effort" ? "model" : option;
        const plain = model.replace(/:\w+$/, "");
        const effort = value === "default" ? plain : `${plain}:${value}`;
        const next = option === "effort" ? effort : value;
        await configuration.update(name, next, vscode.ConfigurationTarget.Global);
      }
      if (option === "model") chat?.clearProblem();
      return true;
    } catch (error) {
      void vscode.window.showErrorMessage(t("Could not change: {0}", lineOf(problemOf(error))));
      return false;
    }
  }

  /** Sends the context overview to the page. */
  async readContext(): Promise<void> {
    const { chat } = this.#owner;
    const sessionId = chat?.openId();
    if (chat === undefined || sessionId === undefined) return;
    try {
      const read = await chat.request("context/read", { sessionId, summary: true });
      const isIdle = chat.state?.activity === "idle";
      const cost = costText(chat.state?.costNanoUsd);
      this.#owner.view.post({ type: "context", view: contextView(read, cost, isIdle) });
    } catch (error) {
      void vscode.window.showErrorMessage(t("Could not read the context: {0}", lineOf(problemOf(error))));
    }
  }

  async compact(instructions = ""): Promise<void> {
    const { chat } = this.#owner;
    const sessionId = chat?.openId();
    if (chat === undefined || sessionId === undefined) {
      void vscode.window.showInformationMessage(t("There is no conversation to summarize yet."));
      return;
    }
    try {
      const more = instructions === "" ? {} : { instructions };
      await chat.request("session/compact", { sessionId, ...more });
    } catch (error) {
      void vscode.window.showErrorMessage(
        t("Could not summarize the conversation: {0}", lineOf(problemOf(error))),
      );
    }
  }

  /** Returns the active editor's selection, or its file. */
  inEditor(): Input[] {
    const shown = shownNow();
    return shown === undefined ? [] : attach(shown).filter(({ type }) => type !== "diagnostics");
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const each of this.#disposables) each.dispose();
  }

  #state(): { model: string; permissionMode: string; mode: string } {
    const { chat, folder } = this.#owner;
    const state = chat?.state;
    const setting = (name: string): string =>
      vscode.workspace.getConfiguration("pintle", folder ?? null).get<string>(name) ?? "";
    return {
      model: state?.model ?? setting("model"),
      permissionMode: state?.permissionMode ?? setting("permissionMode"),
      mode: state?.mode ?? chat?.nextMode ?? "act",
    };
  }

  /** Whether the list says that the current model cannot be used. */
  get #isStale(): boolean {
    const { model } = this.#state();
    return this.#models !== undefined && model !== "" && !isUsable(model, this.#models.list);
  }

  #tell(): void {
    const options = this.#owner.chat?.openId() === undefined ? undefined : this.#options;
    const pickers = pickersOf({ ...this.#state(), options, models: this.#models?.list });
    this.#owner.view.post({ type: "pickers", pickers });
  }

  /** Requests the models and options. If that fails, the menus still lead to the full lists. */
  async #ask(): Promise<void> {
    const { chat } = this.#owner;
    const connection = chat?.engine.connection;
    if (chat === undefined || connection === undefined) return;
    try {
      // The list is long: it is requested once, and again after a login.
      if (this.#models?.of !== connection || this.#isStale) {
        this.#models = { of: connection, list: await chat.request("models/list", {}) };
        // The walkthrough ticks a model that can be used.
        chat.window.listener.head();
      }
      const session = chat.openId() === undefined ? undefined : chat.session;
      this.#options = await session?.settings();
    } catch (error) {
      this.#owner.log.warn(`reading what can be chosen: ${problemOf(error).text}`);
    }
    this.#tell();
  }

  #editorChanged(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tellEditor(), SETTLE_MS);
  }

  #tellEditor(): void {
    const told = inEditor();
    const key = JSON.stringify(told ?? "");
    if (key === this.#toldEditor) return;
    this.#toldEditor = key;
    this.#owner.view.post({ type: "editor", shown: told });
  }
}

function inEditor(): InEditor | undefined {
  const notebook = currentNotebook() === undefined ? undefined : shownNow();
  const [input] = notebook === undefined ? [] : attach(notebook);
  // An unsaved notebook is attached as a selection, too.
  const isSelection = notebook !== undefined && notebook.selected.text !== "";
  if (notebook !== undefined && input !== undefined) {
    const chip = chipOf(isSelection ? input : { type: "file", path: notebook.path });
    return { path: notebook.path, chip, isSelection };
  }
  const editor = currentEditor();
  return editor?.document.uri.scheme === "file" ? inEditorOf(editor) : undefined;
}

function inEditorOf({ document, selection }: vscode.TextEditor): InEditor {
  const path = document.uri.fsPath;
  const isSelection = !selection.isEmpty;
  const { start, end } = selection;
  // A selection of whole lines ends at column 0 of the following line.
  const last = end.character === 0 ? Math.max(start.line, end.line - 1) : end.line;
  const input: Input = isSelection
    ? { type: "selection", path, range: { start: start.line + 1, end: last + 1 }, text: "" }
    : { type: "file", path };
  return { path, chip: chipOf(input), isSelection };
}
