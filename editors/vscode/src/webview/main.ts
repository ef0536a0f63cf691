/** The page of the view. It draws what the extension host says and reports what a person does; nothing else. */
import type { FromPage, ToPage } from "../chat/messages.ts";
import type { Words } from "../words.ts";
import { setWords } from "../words.ts";
import { ChangedFiles } from "./changedFiles.ts";
import { el } from "./dom.ts";
import { Around } from "./head.ts";
import { Prompt } from "./prompt.ts";
import { Transcript } from "./transcript.ts";
import { Updates } from "./updates.ts";
import { WorkingLine } from "./working.ts";

/** What VS Code keeps of a page while it is hidden, and of an editor tab across reloads. */
interface Kept {
  place?: string;
  panel?: string;
  session?: string;
}

interface Host {
  postMessage(message: FromPage): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): Host;

const WORDS = document.getElementById("words")?.textContent;
if (WORDS !== undefined) setWords(JSON.parse(WORDS) as Words);

const host = acquireVsCodeApi();
const send = (message: FromPage): void => host.postMessage(message);

let kept: Kept = host.getState() ?? {};
const keep = (change: { [name in keyof Kept]: string | undefined }): void => {
  const all = Object.entries({ ...kept, ...change }).filter(([, value]) => value !== undefined);
  kept = Object.fromEntries(all);
  host.setState(kept);
};
const transcript = new Transcript(send, kept.place, (place) => keep({ place }));
const updates = new Updates((waiting) => transcript.update(waiting));
const prompt = new Prompt(send);
const around = new Around(send, transcript.colours, {
  focus: () => prompt.focus(),
  retry: () => prompt.retry(),
});
const changed = new ChangedFiles(send);
const working = new WorkingLine();
transcript.element.querySelector(".list")?.after(working.element);
transcript.element.prepend(el("h1", { class: "said" }, "Pintle"));
document.body.append(transcript.element, around.element, changed.element, prompt.element);

function receive(message: ToPage): void {
  if ("head" in message && message.head !== undefined) {
    around.update(message.head);
    prompt.update(message.head);
    transcript.busy = message.head.activity === "running";
    document.body.dataset["activity"] = message.head.activity;
    document.body.dataset["engine"] = message.head.engine.kind;
  }
  if (message.type !== "update") updates.flush();
  working.receive(message);
  switch (message.type) {
    case "reset":
      if (message.panel !== undefined) keep({ panel: message.panel, session: message.session });
      transcript.reset(message);
      prompt.restore(message.session, message.draft);
      return;
    case "update":
      updates.add(message);
      return;
    case "earlier":
      transcript.earlier(message);
      return;
    case "later":
      transcript.later(message);
      return;
    case "theme":
      transcript.recolour();
      return;
    case "highlighted":
      transcript.highlighted(message.id, message.lines);
      return;
    case "nested":
      transcript.nested(message.session, message.entries, message.hasEarlier);
      return;
    case "returned":
      prompt.returned(message.text, message.attached);
      return;
    case "taken":
      prompt.taken(message.text);
      return;
    case "candidates":
      prompt.candidates(message.id, message.candidates);
      return;
    case "focusQuestion":
      around.focus.toQuestion(message.from);
      return;
    case "focus":
      prompt.focus();
      return;
    case "whereIsKeyboard":
      send({ type: "keyboard", isHere: document.hasFocus() });
      return;
    case "pickers":
      prompt.pickers(message.pickers);
      transcript.modeText = message.pickers.mode.detail;
      return;
    case "context":
      prompt.context(message.view);
      return;
    case "editor":
      prompt.inEditor(message.shown);
      return;
    case "openMenu":
      prompt.openMenu(message.menu);
      return;
    case "changed":
      changed.update(message.files);
      return;
    case "insert":
      prompt.insert(message.text);
      return;
  }
}

window.addEventListener("message", (event: MessageEvent<ToPage>) => receive(event.data));
/** When the palette closes, VS Code may give the keyboard to another page than before. The command that runs then is for the page from before. */
const SETTLE_MS = 300;
let settling: ReturnType<typeof setTimeout> | undefined;

/** A view or tab that gets the focus as a whole passes it to the prompt. */
function focused(): void {
  clearTimeout(settling);
  settling = setTimeout(() => {
    if (document.hasFocus()) send({ type: "used" });
  }, SETTLE_MS);
  if (document.activeElement === document.body) prompt.focus();
}

window.addEventListener("focus", focused);
window.addEventListener("pointerdown", () => send({ type: "used" }), { capture: true });
if (document.hasFocus()) focused();
send({ type: "ready", place: transcript.placeKey });
