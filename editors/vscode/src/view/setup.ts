/** The way from nothing to a first answer: a model from a list, a key in VS Code's secret storage. */
import * as vscode from "vscode";
import { keyProviders, modelRows, providerOf } from "../choices.ts";
import type { Keys } from "../keys.ts";
import { problemOf } from "../problem.ts";
import type { ModelsListResult } from "../protocol.ts";
import type { HasChat, HasFolder } from "./owner.ts";

type Owner = HasChat & HasFolder & { readonly keys: Keys };

export function setupCommands(owner: Owner): Record<string, (...args: never[]) => unknown> {
  return {
    "pintle.chooseModel": () => guard("The model was not chosen", () => chooseModel(owner)),
    "pintle.setKey": (provider?: unknown) =>
      guard("The key was not stored", () =>
        setKey(owner, typeof provider === "string" ? provider : undefined),
      ),
    "pintle.removeKey": () => guard("The key was not removed", () => removeKey(owner)),
  };
}

/** Chooses the model of the session that is shown; without one, that of all new sessions. */
async function chooseModel(owner: Owner): Promise<void> {
  const listed = await models(owner);
  if (listed === undefined) return;
  const { chat, folder } = owner;
  const configuration = vscode.workspace.getConfiguration("pintle", folder ?? null);
  const current = chat?.state?.model ?? configuration.get<string>("model") ?? "";
  const other = { label: "$(edit) Another Model…", description: "", detail: "", model: "", needsKey: false };
  const picked = await vscode.window.showQuickPick([...modelRows(listed, current), other], {
    title: chat?.openId() === undefined ? "Model of New Sessions" : "Model of This Session",
    placeHolder: vscode.l10n.t("Model"),
    matchOnDescription: true,
  });
  if (picked === undefined) return;
  const model = picked.model === "" ? await typeModel(current) : picked.model;
  if (model === undefined || model === "") return;
  const session = chat?.openId();
  if (session === undefined) await configuration.update("model", model, vscode.ConfigurationTarget.Global);
  else await chat?.session?.configure({ model });
  const provider = listed.providers.find(({ name }) => name === providerOf(model));
  if (provider?.key === "missing" && provider.keyVar !== undefined) await setKey(owner, provider.name);
  else chat?.clearProblem();
}

function typeModel(current: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Model"),
    prompt: vscode.l10n.t("As provider/id"),
    value: current,
    validateInput: (text) =>
      /^[^/\s]+\/\S+$/.test(text.trim()) ? undefined : "A provider, a slash, and the model's id",
  });
}

/** Asks for the key of a provider and gives it to the engine. */
async function setKey(owner: Owner, wanted: string | undefined): Promise<void> {
  const listed = await models(owner);
  if (listed === undefined) return;
  const providers = keyProviders(listed);
  const known = providers.find(({ name }) => name === wanted);
  const rows = providers.map((each) => ({
    label: each.name,
    description: each.key === "missing" ? "no key yet" : `key: ${each.key}`,
    detail: each.url ?? "",
    provider: each,
  }));
  const picked =
    known ??
    (
      await vscode.window.showQuickPick(rows, {
        title: vscode.l10n.t("API Key"),
        placeHolder: vscode.l10n.t("Provider"),
      })
    )?.provider;
  if (picked === undefined) return;
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t("API Key of {0}", picked.name),
    prompt: vscode.l10n.t(
      "It is kept in VS Code's secret storage, and given to the engine as {0}.",
      picked.keyVar,
    ),
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || key.trim() === "") return;
  await owner.keys.set(picked.keyVar, key);
  await restart(owner);
}

async function removeKey(owner: Owner): Promise<void> {
  const stored = Object.keys(await owner.keys.all());
  if (stored.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("VS Code keeps no key for Pintle."));
    return;
  }
  const variable = await vscode.window.showQuickPick(stored, {
    title: vscode.l10n.t("Remove API Key"),
    placeHolder: "Key",
  });
  if (variable === undefined) return;
  await owner.keys.remove(variable);
  await restart(owner);
}

/** Keys are in the engine's environment from its next start on. A turn is not taken away for it. */
async function restart({ chat }: Owner): Promise<void> {
  if (chat === undefined) return;
  if (chat.engine.isShared) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        "The shared engine has the keys that it was started with: this one holds when a window of VS Code starts it again.",
      ),
    );
    return;
  }
  if ((chat.state?.activity ?? "idle") !== "idle") {
    const now = "Restart the Engine";
    const choice = await vscode.window.showInformationMessage(
      vscode.l10n.t("The key holds after the engine is started again."),
      now,
    );
    if (choice !== now) return;
  }
  await chat.engine.restart();
  chat.clearProblem();
}

async function models(owner: Owner): Promise<ModelsListResult | undefined> {
  const { chat } = owner;
  if (chat === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Open a folder that you trust first: the engine starts there."),
    );
    return undefined;
  }
  await chat.settled();
  if (chat.engine.connection === undefined) {
    const { status } = chat.engine;
    const why = status.kind === "failed" ? `${status.problem} ${status.hint}` : "The engine does not run.";
    void vscode.window.showErrorMessage(why.trim());
    return undefined;
  }
  return chat.request("models/list", {});
}

async function guard(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { text, hint } = problemOf(error);
    void vscode.window.showErrorMessage(`${what}: ${text} ${hint}`.trim());
  }
}
