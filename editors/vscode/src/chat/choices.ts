/** Menus of the prompt: models, efforts and modes. Pure. */
import type { ConfigOption, ModelInfo, ModelsListResult, PermissionMode } from "pintle-client";
import { providerOf, sizeOf, titleOf, withoutEffort } from "../settings/choices.ts";
import { t } from "../words.ts";

/** The session option that a choice sets. */
export type Option = "model" | "effort" | "permissionMode" | "mode";

export interface Choice {
  option: Option;
  value: string;
  label: string;
  detail: string;
  /** Heading; empty for none. */
  group: string;
  isCurrent: boolean;
}

/** A button with its menu. */
export interface Picker {
  text: string;
  title: string;
  icon: string;
  choices: Choice[];
}

export interface ModePicker extends Picker {
  /** What the current mode means. */
  detail: string;
}

export interface Pickers {
  model: Picker;
  /** Undefined if the model has no levels. */
  effort: Picker | undefined;
  mode: ModePicker;
}

/** The state that the pickers depend on. */
export interface Known {
  /** `provider/id`, perhaps with an effort. */
  model: string;
  permissionMode: string;
  mode: string;
  /** Options of the open session; undefined without one. */
  options: ConfigOption[] | undefined;
  /** Undefined until the engine has listed them. */
  models: ModelsListResult | undefined;
}

/** Maximum number of models in the menu. */
const MOST_MODELS = 20;

export function pickersOf(known: Known): Pickers {
  return { model: modelPicker(known), effort: effortPicker(known), mode: modePicker(known) };
}

function modelPicker({ model, models }: Known): Picker {
  const current = withoutEffort(model);
  const missing = new Set(models?.providers.filter(({ key }) => key === "missing").map(({ name }) => name));
  const usable = (models?.models ?? []).filter((each) => !missing.has(providerOf(each.model)));
  // Models of the current provider come first.
  const near = (each: ModelInfo): number => (providerOf(each.model) === providerOf(current) ? 0 : 1);
  const sorted = usable.toSorted((a, b) => near(a) - near(b));
  const shown = sorted.slice(0, MOST_MODELS);
  const found = usable.find((each) => each.model === current);
  if (found !== undefined && !shown.includes(found)) shown.unshift(found);
  const title = (model: string): string => titleOf(models?.providers ?? [], providerOf(model));
  const choices = shown.map((each) => modelChoice(each, current, title(each.model)));
  const name = current.slice(current.indexOf("/") + 1);
  return {
    text: current === "" ? t("Model…") : (found?.name ?? name),
    title: current === "" ? t("Choose a model") : t("Model: {0}", current),
    icon: "chip",
    choices,
  };
}

function modelChoice({ model, name, window }: ModelInfo, current: string, group: string): Choice {
  const id = model.slice(model.indexOf("/") + 1);
  const facts = [name === undefined || name === id ? "" : id];
  if (window !== undefined) facts.push(t("{0} tokens", sizeOf(window)));
  return {
    option: "model",
    value: model,
    label: name ?? id,
    detail: facts.filter((each) => each !== "").join(" · "),
    group,
    isCurrent: model === current,
  };
}

function effortPicker({ model, options, models }: Known): Picker | undefined {
  const plain = withoutEffort(model);
  const info = models?.models.find((each) => each.model === plain);
  // For models missing from the list, the session's options decide.
  if (plain === "" || (info !== undefined && info.reasoning !== true)) return undefined;
  const option = options?.find(({ id }) => id === "effort");
  const levels = option?.choices ?? (info === undefined ? [] : ["default", ...(models?.efforts ?? [])]);
  const written = model.slice(plain.length + 1);
  const current = written !== "" ? written : (option?.value ?? "default");
  if (levels.length < 2) return undefined;
  return {
    text: current === "default" ? t("Effort") : current,
    title: current === "default" ? t("Effort: the model's own") : t("Effort: {0}", current),
    icon: "lightbulb",
    choices: levels.map((value) => ({
      option: "effort",
      value,
      label: value === "default" ? t("Model default") : value,
      detail: "",
      group: "",
      isCurrent: value === current,
    })),
  };
}

interface Mode {
  value: PermissionMode;
  /** Short form for the button. */
  short: string;
  label: string;
  detail: string;
  icon: string;
}

function permissionModes(): Mode[] {
  return [
    {
      value: "readOnly",
      short: t("Read only"),
      label: t("Read Only"),
      detail: t("Changes and commands are denied."),
      icon: "eye",
    },
    {
      value: "ask",
      short: t("Ask"),
      label: t("Ask"),
      detail: t("Changes and commands ask first."),
      icon: "shield",
    },
    {
      value: "autoEdit",
      short: t("Edit freely"),
      label: t("Edit Freely"),
      detail: t("Edits in the workspace and commands in the sandbox run freely; everything else asks first."),
      icon: "edit",
    },
    { value: "full", short: t("Full"), label: t("Full"), detail: t("Nothing asks."), icon: "unlock" },
  ];
}

function modePicker({ permissionMode, mode }: Known): ModePicker {
  const all = permissionModes();
  const current = all.find(({ value }) => value === permissionMode);
  const isPlan = mode === "plan";
  const text = isPlan ? t("Plan first") : (current?.short ?? t("Default mode"));
  const choices: Choice[] = all.map(({ value, label, detail }) => ({
    option: "permissionMode",
    value,
    label,
    detail,
    group: t("Permissions"),
    isCurrent: value === permissionMode,
  }));
  const works = [
    { value: "act", label: t("Act"), detail: t("The agent carries out your tasks.") },
    {
      value: "plan",
      label: t("Plan First"),
      detail: t("The agent reads, and presents a plan before it changes anything."),
    },
  ];
  for (const each of works) {
    choices.push({ ...each, option: "mode", group: t("Work Mode"), isCurrent: each.value === mode });
  }
  const icon = isPlan ? "checklist" : (current?.icon ?? "shield");
  const decisive = choices.find(
    ({ option, isCurrent }) => isCurrent && option === (isPlan ? "mode" : "permissionMode"),
  );
  const detail = decisive?.detail ?? t("Unless configured otherwise, changes and commands ask first.");
  return { text, title: t("Mode: {0}", text), detail, icon, choices };
}
