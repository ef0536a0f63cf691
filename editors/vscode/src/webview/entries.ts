/** Draws the entries of the transcript. Each has one element, updated in place. */
import { costText } from "../cost.ts";
import type { Append, FromPage, ViewEntry, ViewTool } from "../messages.ts";
import { sentences } from "../sentence.ts";
import { diffLines } from "./diff.ts";
import { button, el, sender } from "./dom.ts";
import { Markdown } from "./markdown.ts";

/** One entry on the page. */
export interface Drawn {
  readonly element: HTMLElement;
  /** Draws a new value; false when it is of another kind and must be drawn anew. */
  update(entry: ViewEntry): boolean;
  append(append: Append): void;
}

export type Send = (message: FromPage) => void;

export function drawEntry(entry: ViewEntry, send: Send): Drawn {
  switch (entry.kind) {
    case "user":
      return fixed(
        "user",
        entry,
        (each) => (each.kind === "user" ? each.text : ""),
        () => sender(entry.from),
      );
    case "agent":
      return agent(entry.text);
    case "reasoning":
      return reasoning(entry.text, entry.isOver);
    case "tool":
      return new ToolCard(entry.tool, send);
    case "notice":
      return fixed(`notice ${entry.notice.level}`, entry, (each) =>
        each.kind === "notice" ? sentences(each.notice.message, each.notice.hint) : "",
      );
    case "turnEnd":
      return turnEnd(entry, send);
  }
}

function fixed(
  name: string,
  entry: ViewEntry,
  text: (entry: ViewEntry) => string,
  label: () => HTMLElement | undefined = () => undefined,
): Drawn {
  const element = el("article", { class: `entry ${name}` }, label(), text(entry));
  if (entry.kind === "user") element.setAttribute("aria-label", "You");
  return {
    element,
    update: (next) => {
      if (next.kind !== entry.kind) return false;
      const above = label();
      element.replaceChildren(...(above === undefined ? [] : [above]), text(next));
      return true;
    },
    append: () => undefined,
  };
}

function agent(text: string): Drawn {
  const markdown = new Markdown(text);
  const element = el(
    "article",
    { class: "entry agent", attributes: { "aria-label": "Agent" } },
    markdown.element,
  );
  return {
    element,
    update: (next) => {
      if (next.kind !== "agent") return false;
      markdown.set(next.text);
      return true;
    },
    append: (append) => markdown.append(append.text),
  };
}

function reasoning(text: string, isOver: boolean): Drawn {
  const body = el("div", { class: "body" }, text);
  const summary = el("summary", {}, isOver ? "Thought" : "Thinking…");
  const element = el("article", { class: "entry reasoning" }, el("details", {}, summary, body));
  return {
    element,
    update: (next) => {
      if (next.kind !== "reasoning") return false;
      body.textContent = next.text;
      summary.textContent = next.isOver ? "Thought" : "Thinking…";
      return true;
    },
    append: (append) => body.append(append.text),
  };
}

function turnEnd(entry: Extract<ViewEntry, { kind: "turnEnd" }>, send: Send): Drawn {
  const element = el("article", { class: "entry end" });
  const update = (next: ViewEntry): boolean => {
    if (next.kind !== "turnEnd") return false;
    const { status, error, durationMs, usage, denials, costNanoUsd } = next.end;
    element.className = `entry end ${status}`;
    const seconds = (durationMs / 1000).toFixed(durationMs < 10_000 ? 1 : 0);
    const tokens = usage.inputTokens + usage.outputTokens;
    const facts = [`${seconds} s`];
    if (tokens > 0) facts.push(`${tokens.toLocaleString()} tokens`);
    if (costText(costNanoUsd) !== "") facts.push(costText(costNanoUsd));
    if (denials !== undefined && denials > 0) facts.push(`${denials} denied`);
    const words = { completed: "Done", interrupted: "Stopped", failed: "Failed" }[status] ?? status;
    element.replaceChildren(el("span", { class: "line" }, `${words} · ${facts.join(" · ")}`));
    if (error !== undefined) {
      element.append(el("span", { class: "error" }, sentences(error.message, error.hint)));
      if (error.code === "auth") {
        element.append(
          button("Set API Key…", () => send({ type: "setKey", provider: undefined }), "secondary"),
        );
      }
    }
    return true;
  };
  update(entry);
  return { element, update, append: () => undefined };
}

/** A tool call: one line, and behind it the arguments, the output and the changes. */
class ToolCard implements Drawn {
  readonly element: HTMLElement;
  readonly #send: Send;
  readonly #details = el("details", {});
  readonly #badge = el("span", { class: "badge" });
  readonly #title = el("span", { class: "title" });
  readonly #facts = el("span", { class: "facts" });
  readonly #input = el("pre", { class: "input" });
  readonly #output = el("pre", { class: "output" });
  readonly #files = el("div", { class: "files" });
  #isTouched = false;

  constructor(tool: ViewTool, send: Send) {
    this.#send = send;
    const summary = el("summary", {}, this.#badge, this.#title, this.#facts);
    summary.addEventListener("click", () => (this.#isTouched = true));
    this.#details.append(summary, this.#input, this.#output);
    this.element = el("article", { class: "entry tool" }, this.#details, this.#files);
    this.#draw(tool);
  }

  update(entry: ViewEntry): boolean {
    if (entry.kind !== "tool") return false;
    this.#draw(entry.tool);
    return true;
  }

  append(append: Append): void {
    if (append.field === "input") this.#input.append(append.text);
    if (append.field === "output") this.#output.append(append.text);
    this.#hideEmpty();
  }

  #draw(tool: ViewTool): void {
    const status = tool.isError && tool.status === "completed" ? "failed" : tool.status;
    this.element.dataset["status"] = status;
    this.element.setAttribute("aria-label", `Tool: ${tool.title}, ${status}`);
    this.#badge.textContent =
      { completed: "✓", failed: "✗", declined: "⊘", cancelled: "◼", pending: "…" }[status] ?? "▸";
    this.#title.textContent = tool.title;
    const facts: string[] = [];
    if (tool.exitCode !== undefined && tool.exitCode !== 0) facts.push(`exit ${tool.exitCode}`);
    if (status === "declined" || status === "cancelled") facts.push(status);
    if (tool.durationMs !== undefined && tool.durationMs >= 1000) {
      facts.push(`${(tool.durationMs / 1000).toFixed(1)} s`);
    }
    this.#facts.textContent = facts.join(" · ");
    this.#input.textContent = tool.input;
    this.#output.textContent = tool.output;
    if (!this.#isTouched) this.#details.open = status === "failed";
    this.#files.replaceChildren(...tool.changes.map((change) => this.#file(change)));
    this.#hideEmpty();
  }

  #file(change: ViewTool["changes"][number]): HTMLElement {
    const name = change.path.split(/[/\\]/).at(-1) ?? change.path;
    const open = button(
      name,
      () => this.#send({ type: "openDiff", path: change.path }),
      "link",
      `Open the diff of ${change.path}`,
    );
    const counts = el(
      "span",
      { class: "counts" },
      el("span", { class: "added" }, `+${change.added}`),
      el("span", { class: "removed" }, `−${change.removed}`),
    );
    const line = el("div", { class: "file" }, open, counts);
    if (change.diff === "") return line;
    // The button stands beside the fold's own, not in it: a screen reader would not find it there.
    const hunks = el("details", { class: "hunks" }, el("summary", {}, "Hunks"), diffLines(change.diff));
    return el("div", {}, line, hunks);
  }

  #hideEmpty(): void {
    this.#input.hidden = this.#input.textContent === "";
    this.#output.hidden = this.#output.textContent === "";
  }
}
