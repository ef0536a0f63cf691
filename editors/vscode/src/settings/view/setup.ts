/** The way from nothing to a first answer: a model from a list, a login or a key in VS Code's secret storage. */
import type { ModelsListResult, ProviderInfo } from "pintle-client";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { t } from "../../words.ts";
import type { Access } from "../choices.ts";
import { accessTo, modelRows, providerOf, providerRows, titleOf } from "../choices.ts";
import type { Keys } from "../keys.ts";
import type { Logins } from "./logins.ts";

type Owner = HasChat & HasFolder & { readonly keys: Keys };

export function setupCommands(owner: Owner, logins: Logins): Record<string, (...args: never[]) => unknown> {
  const named = (provider: unknown): string | undefined =>
    typeof provider === "string" && provider !== "" ? provider : undefined;
  return {
    "pintle.chooseModel": () =>
      guard(
        (why) => t("Could not set the model: {0}", why),
        () => chooseModel(owner, logins),
      ),
    "pintle.setUpProvider": (provider?: unknown) =>
      guard(
        (why) => t("Could not set up the provider: {0}", why),
        () => setUpProvider(owner, logins, named(provider)),
      ),
    "pintle.signOut": () =>
      guard(
        (why) => t("Could not sign out: {0}", why),
        () => signOut(owner),
      ),
    "pintle.removeKey": () =>
      guard(
        (why) => t("Could not remove the key: {0}", why),
        () => removeKey(owner),
      ),
  };
}

/** Chooses the model of the session that is shown; without one, that of all new sessions. */
async function chooseModel(owner: Owner, logins: Logins): Promise<void> {
  const listed = await models(owner);
  if (listed === undefined) return;
  const { chat, folder } = owner;
  const configuration = vscode.workspace.getConfiguration("pintle", folder ?? null);
  const current = chat?.state?.model ?? configuration.get<string>("model") ?? "";
  const rows = modelRows(listed, current).map((row) =>
    row.model === undefined ? { ...row, kind: vscode.QuickPickItemKind.Separator } : row,
  );
  const another = t("Another Model…");
  const picked = await vscode.window.showQuickPick(
    [...rows, { label: "", kind: vscode.QuickPickItemKind.Separator }, { label: `$(edit) ${another}` }],
    {
      title: chat?.openId() === undefined ? t("Model of New Sessions") : t("Model of This Session"),
      placeHolder: t("Model"),
      matchOnDescription: true,
    },
  );
  if (picked === undefined) return;
  const model = ("model" in picked ? picked.model : undefined) ?? (await typeModel(current));
  if (model === undefined || model === "") return;
  const session = chat?.openId();
  if (session === undefined) await configuration.update("model", model, vscode.ConfigurationTarget.Global);
  else await chat?.session?.configure({ model });
  const provider = listed.providers.find(({ name }) => name === providerOf(model));
  if (provider?.key === "missing") await setUpProvider(owner, logins, provider.name);
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

/** Signs in to a provider, or stores a key for it, as the provider offers and the person chooses. */
async function setUpProvider(owner: Owner, logins: Logins, wanted: string | undefined): Promise<void> {
  const listed = await models(owner);
  if (listed === undefined || owner.chat === undefined) return;
  const { providers: auth } = await owner.chat.request("auth/status", {});
  const chosen = auth.some(({ provider }) => provider === wanted)
    ? wanted
    : (
        await vscode.window.showQuickPick(providerRows(auth, listed.providers), {
          title: t("Set Up Provider"),
          placeHolder: t("Provider"),
        })
      )?.provider;
  const status = auth.find(({ provider }) => provider === chosen);
  const provider = listed.providers.find(({ name }) => name === chosen);
  if (status === undefined || provider === undefined) return;
  const title = titleOf(listed.providers, provider.name);
  const ways = accessTo(status, title, provider.keyVar, vscode.env.remoteName !== undefined);
  const [first] = ways;
  if (first === undefined) {
    void vscode.window.showInformationMessage(t("{0} needs no login and no key.", title));
    return;
  }
  const way = ways.length === 1 ? first : await vscode.window.showQuickPick(ways, { title });
  if (way !== undefined) await getAccess(owner, logins, provider, title, way);
}

async function getAccess(
  owner: Owner,
  logins: Logins,
  { name: provider, keyVar }: ProviderInfo,
  title: string,
  { method }: Access,
): Promise<void> {
  const { chat } = owner;
  if (method === "key") {
    if (keyVar !== undefined) await enterKey(owner, keyVar, title);
    return;
  }
  const isDone = await logins.run(t("Complete the login to {0} in your browser", title), (signal) =>
    chat === undefined ? Promise.resolve() : chat.request("auth/login", { provider, method }, signal),
  );
  if (!isDone) return;
  chat?.clearProblem();
  void vscode.window.showInformationMessage(t("You are signed in to {0}.", title));
}

/** Asks for a key and gives it to the engine. */
async function enterKey(owner: Owner, variable: string, title: string): Promise<void> {
  const key = await vscode.window.showInputBox({
    title: t("API Key for {0}", title),
    prompt: t("It is stored in VS Code's secret storage and passed to the engine as {0}.", variable),
    password: true,
    ignoreFocusOut: true,
  });
  if (key === undefined || key.trim() === "") return;
  await owner.keys.set(variable, key);
  await restart(owner);
}

async function signOut(owner: Owner): Promise<void> {
  const listed = await models(owner);
  if (listed === undefined || owner.chat === undefined) return;
  const { providers: auth } = await owner.chat.request("auth/status", {});
  const stored = auth.filter((each) => each.stored !== undefined);
  if (stored.length === 0) {
    void vscode.window.showInformationMessage(t("You are not signed in to any provider."));
    return;
  }
  const rows = stored.map(({ provider }) => ({ label: titleOf(listed.providers, provider), provider }));
  const picked = await vscode.window.showQuickPick(rows, {
    title: t("Sign Out"),
    placeHolder: t("Provider"),
  });
  if (picked === undefined) return;
  await owner.chat.request("auth/logout", { provider: picked.provider });
  void vscode.window.showInformationMessage(t("You are signed out of {0}.", picked.label));
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
