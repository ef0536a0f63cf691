/** Models and providers as rows of a list. Pure. */
import type { AuthMethod, ModelInfo, ModelsListResult, ProviderAuth, ProviderInfo } from "pintle-client";
import { numberText, t, wordOf } from "../words.ts";

/** A row of the list of models; one without `model` is the heading of a provider's models. */
export interface ModelRow {
  label: string;
  description: string;
  model: string | undefined;
}

/** The models by provider, those that can be used first. Within a provider the order is the engine's: newest first. */
export function modelRows({ models, providers }: ModelsListResult, current: string): ModelRow[] {
  const groups = new Map<string, ModelInfo[]>();
  for (const model of models) {
    const provider = providerOf(model.model);
    groups.set(provider, [...(groups.get(provider) ?? []), model]);
  }
  const missing = new Set(providers.filter(({ key }) => key === "missing").map(({ name }) => name));
  const names = [...groups.keys()];
  const usable = [
    ...names.filter((name) => !missing.has(name)),
    ...names.filter((name) => missing.has(name)),
  ];
  return usable.flatMap((name) => {
    const title = titleOf(providers, name);
    const heading = missing.has(name) ? t("{0} (not set up)", title) : title;
    const rows = (groups.get(name) ?? []).map((model) => modelRow(model, current));
    return [{ label: heading, description: "", model: undefined }, ...rows];
  });
}

function modelRow({ model, name, window, price, vision }: ModelInfo, current: string): ModelRow {
  const facts = [
    window === undefined ? "" : sizeOf(window),
    price === undefined ? "" : t("${0} in, ${1} out", price.inputUsdPerMtok, price.outputUsdPerMtok),
    vision === false ? t("no images") : "",
    name === undefined ? "" : model,
  ];
  return {
    label: `${withoutEffort(current) === model ? "$(check) " : ""}${name ?? model}`,
    description: facts.filter((each) => each !== "").join(" · "),
    model,
  };
}

/** A number of tokens in short: `272K`, `1M`. Fractions of a million are cut, so that no window looks larger than it is. */
export function sizeOf(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens < 1_000_000) return t("{0}K", Math.floor(tokens / 1000));
  const millions = Math.floor(tokens / 100_000) / 10;
  return t("{0}M", numberText(millions, Number.isInteger(millions) ? 0 : 1));
}

/** A provider's name for people. */
export function titleOf(providers: ProviderInfo[], name: string): string {
  return providers.find((each) => each.name === name)?.title ?? name;
}

export function providerOf(model: string): string {
  return model.split("/", 1)[0] ?? "";
}

/** True if a model is chosen, and its provider needs no key or has one. A provider that the list lacks may be a custom one. */
export function isUsable(model: string, listed: ModelsListResult | undefined): boolean {
  if (model === "" || listed === undefined) return false;
  const provider = listed.providers.find(({ name }) => name === providerOf(model));
  return provider?.key !== "missing";
}

/** `provider/id` of `provider/id:effort`. An id may hold a colon of its own: only known efforts are cut. */
export function withoutEffort(model: string): string {
  return model.replace(/:(none|minimal|low|medium|high|xhigh|max)$/, "");
}

/** A way to make a provider usable. */
export interface Access {
  method: AuthMethod;
  label: string;
  detail: string;
}

/**
 * The ways to get access to a provider, the engine's preferred one first. A browser login ends at a page of the engine's own machine, which a
 * browser elsewhere does not reach.
 */
export function accessTo(
  { methods }: ProviderAuth,
  title: string,
  keyVar: string | undefined,
  isRemote: boolean,
): Access[] {
  const ways: Access[] = [];
  for (const method of methods) {
    if (method === "device") {
      const detail = t("Opens a page in the browser, where you enter a code.");
      ways.push({ method, label: t("Sign In to {0}", title), detail });
    } else if (method === "browser" && !isRemote) {
      const detail = t("Opens a page in the browser.");
      ways.push({ method, label: t("Sign In to {0}", title), detail });
    } else if (method === "key" && keyVar !== undefined) {
      const detail = t("VS Code keeps it in its secret storage.");
      ways.push({ method, label: t("Enter an API Key for {0}", title), detail });
    }
  }
  return ways;
}

/** A provider as a row of the list of those that can be set up. */
export interface ProviderRow {
  label: string;
  description: string;
  provider: string;
}

/** The providers that take a login or a key: those without one first, and of these those with a login. */
export function providerRows(auth: ProviderAuth[], providers: ProviderInfo[]): ProviderRow[] {
  const rank = ({ key, methods }: ProviderAuth): number =>
    (key === "missing" ? 0 : 2) + (methods.every((method) => method === "key") ? 1 : 0);
  return auth
    .filter(({ methods }) => methods.length > 0)
    .sort((a, b) => rank(a) - rank(b))
    .map((each) => ({
      label: titleOf(providers, each.provider),
      description: wordOf(STATES, each.key),
      provider: each.provider,
    }));
}

const STATES = {
  set: () => t("has a key"),
  command: () => t("key from a command"),
  login: () => t("signed in"),
  notNeeded: () => "",
  missing: () => "",
} satisfies Record<ProviderAuth["key"], () => string>;
