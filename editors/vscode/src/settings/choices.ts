/** Models and providers as rows of a list. Pure. */
import type { ModelInfo, ModelsListResult, ProviderInfo } from "pintle-client";
import { t } from "../words.ts";

export interface ModelRow {
  label: string;
  description: string;
  detail: string;
  model: string;
  /** The provider's key is missing. */
  needsKey: boolean;
}

/** The models, those that can answer first. */
export function modelRows({ models, providers }: ModelsListResult, current: string): ModelRow[] {
  const missing = new Set(providers.filter(({ key }) => key === "missing").map(({ name }) => name));
  const rows = models.map((model) => row(model, missing.has(providerOf(model.model)), current));
  return [...rows.filter(({ needsKey }) => !needsKey), ...rows.filter(({ needsKey }) => needsKey)];
}

function row(
  { model, name, window, price, vision }: ModelInfo,
  needsKey: boolean,
  current: string,
): ModelRow {
  const facts = [
    window === undefined ? "" : t("{0}k tokens", Math.round(window / 1000)),
    price === undefined
      ? ""
      : t("${0} in, ${1} out per million tokens", price.inputUsdPerMtok, price.outputUsdPerMtok),
    vision === true ? t("reads images") : "",
  ];
  return {
    label: `${withoutEffort(current) === model ? "$(check) " : ""}${name ?? model}`,
    description: needsKey ? t("{0} · needs a key", model) : model,
    detail: facts.filter((each) => each !== "").join(" · "),
    model,
    needsKey,
  };
}

export function providerOf(model: string): string {
  return model.split("/", 1)[0] ?? "";
}

/** `provider/id` of `provider/id:effort`. An id may hold a colon of its own: only known efforts are cut. */
export function withoutEffort(model: string): string {
  return model.replace(/:(none|minimal|low|medium|high|xhigh|max)$/, "");
}

/** Providers whose key stands in a variable, those without one first. */
export function keyProviders({ providers }: ModelsListResult): (ProviderInfo & { keyVar: string })[] {
  const withVariable = providers.flatMap((each) =>
    each.keyVar === undefined ? [] : [{ ...each, keyVar: each.keyVar }],
  );
  const rank = ({ key }: ProviderInfo): number => (key === "missing" ? 0 : 1);
  return withVariable.sort((a, b) => rank(a) - rank(b));
}
