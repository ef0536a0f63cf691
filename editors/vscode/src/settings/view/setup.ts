/** The way from nothing to a first answer: a model from a list, a key in VS Code's secret storage. */
import type { ModelsListResult } from "pintle-client";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { t } from "../../words.ts";
import { keyProviders, modelRows, providerOf } from "../choices.ts";
import type { Keys } from "../keys.ts";

type Owner = HasChat & HasFolder & { readonly keys: Keys };

export function setupCommands(owner: Owner): Record<string, (...args: never[]) => unknown> {
  return {
    "pintle.chooseModel": () =>
      guard(
        (why) => t("Could not set the model: {0}", why),
        () => chooseModel(owner),
      ),
    "pintle.setKey": (provider?: unknown) =>
      guard(
        (why) => t("Could not store the key: {0}", why),
        () => setKey(owner, typeof provider === "string" ? provider : undefined),
      ),
    "pintle.removeKey": () =>
      guard(
        (why) => t("Could not remove the key: {0}", why),
        () => removeKey(owner),
      ),
  };
}

/** Chooses the model of the session that is shown; without one, that of all new sessions. */
async function chooseModel(owner: Owner): Promise<void> {
  const listed = await models(owner);
  if (listed === undefined) return;
  const { chat, folder } = owner;
  const configuration = vscode.workspace.getConfiguration("pintle", folder ?? null);
  const current = chat?.state?.model ?? configuration.get<string>("model") ?? "";
  const other = {
    label: `$(edit) ${t("Another Model…")}`,
    description: "",
    detail: "",
    model: "",
    needsKey: false,
  };
  const picked = await vscode.window.showQuickPick([...modelRows(listed, current), other], {
    title: chat?.openId() === undefined ? t("Model of New Sessions") : t("Model of This Session"),
    placeHolder: t("Model"),
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
    title: t("Model"),
    prompt: t("As provider/id"),
    value: current,
    validateInput: (text) =>
      /^[^/\s]+\/\S+$/.test(text.trim()) ? undefined : t("A provider, a slash, and the model's id"),
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
    description: each.key === "missing" ? t("no key yet") : t("key: {0}", each.key),
    detail: each.url ?? "",
    provider: each,
  }));
  const picked =
    known ??
    (
      await vscode.window.showQuickPick(rows, {
        title: t("API Key"),
        placeHolder: t("Provider"),
      })
    )?.provider;
  if (picked === undefined) return;
  const key = await vscode.window.showInputBox({
    title: t("API Key for {0}", picked.name),
    prompt: t("It is stored in VS Code's secret storage and passed to the engine as {0}.", picked.keyVar),
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
    void vscode.window.showInformationMessage(t("VS Code has no stored keys for Pintle."));
    return;
  }
  const variable = await vscode.window.showQuickPick(stored, {
    title: t("Remove API Key"),
    placeHolder: t("Key"),
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
      t(
        "The shared engine keeps the keys it was started with; this one takes effect when a VS Code window restarts it.",
      ),
    );
    return;
  }
  if ((chat.state?.activity ?? "idle") !== "idle") {
    const now = t("Restart the Engine");
    const choice = await vscode.window.showInformationMessage(
      t("The key takes effect when the engine is restarted."),
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
    void vscode.window.showInformationMessage(t("Open a trusted folder first: the engine starts there."));
    return undefined;
  }
  await chat.settled();
  if (chat.engine.connection === undefined) {
    const { status } = chat.engine;
    const why =
      status.kind === "failed" ? `${status.problem} ${status.hint}` : t("The engine is not running.");
    void vscode.window.showErrorMessage(why.trim());
    return undefined;
  }
  return chat.request("models/list", {});
}

async function guard(failed: (why: string) => string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    void vscode.window.showErrorMessage(failed(lineOf(problemOf(error))));
  }
}
