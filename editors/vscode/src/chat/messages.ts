/** What the extension host and the transcript's page say to each other, and the shapes that are drawn. */
import type {
  Delivery,
  FileChange,
  Input,
  IsolationKind,
  Notice,
  PlanItem,
  Question,
  QueuedInput,
  TurnCompleted,
} from "pintle-client";
import type { Cause, Problem } from "../connection/problem.ts";
import type { System } from "../paths.ts";
import type { Activity, AppendedField } from "../transcript/state.ts";
import type { Argument } from "../transcript/toolParts.ts";
import type { Option, Pickers } from "./choices.ts";
import type { Candidate, Word } from "./complete.ts";
import type { ContextView } from "./contextParts.ts";
import type { Chip } from "./input.ts";
import type { AskedApproval } from "./questions.ts";
import type { Source } from "./sources.ts";
import type { Meter } from "./usage.ts";

/** One thing in the transcript, ready to draw. `atMs` is when it began, in milliseconds since 1970. */
export type ViewEntry = { key: string; atMs: number } & (
  | { kind: "user"; text: string; chips: Chip[]; from: string | undefined }
  /** `isCut`: it ended before its end. */
  | { kind: "agent" | "reasoning"; text: string; isOver: boolean; isCut: boolean }
  | { kind: "tool"; tool: ViewTool }
  | { kind: "notice"; notice: Notice }
  /** About the conversation; `text` is what the model was told, behind a fold. */
  | { kind: "told"; line: string; text: string }
  | { kind: "turnEnd"; end: TurnCompleted }
);

/** A call of a tool, a job, a sub-agent or a compaction as a card. */
export interface ViewTool {
  /** The sentence that says it; `{0}` is the place of the subject. */
  sentence: string;
  subject: string;
  /** The subject is a command or another text that reads better as code. */
  isCode: boolean;
  /** A codicon's name. */
  icon: string;
  status: string;
  /** The only file concerned: its name in the sentence is a link. */
  file: { path: string; line: number | undefined; name: string } | undefined;
  /** The complete arguments, unless `input` or `changes` shows them. */
  args: Argument[];
  /** A command, a task, or streaming arguments. */
  input: string;
  /** The language of `input`, for its colours; empty for plain text. */
  language: string;
  output: string;
  /** `terminal` can have colors and overwritten lines; `file` is a part of a file; `hits` are places in files. */
  format: "text" | "terminal" | "markdown" | "file" | "hits";
  /** For `hits`: the directory or file that was searched or listed. */
  base: string;
  /** For `file`: the file extension, the first line's number, and the tool's note. */
  outputLanguage: string;
  firstLine: number;
  note: string;
  /** Hit count of a search; empty for others. */
  found: string;
  isError: boolean;
  durationMs: number | undefined;
  exitCode: number | undefined;
  changes: Pick<FileChange, "op" | "path" | "added" | "removed" | "diff">[];
  /** The size of the whole output in bytes, where only a part of it is here. */
  fullBytes: number | undefined;
  /** What can be stopped while it runs. */
  stop: { kind: "tool" } | { kind: "job"; jobId: string } | undefined;
  /** The running job whose terminal can be opened. */
  terminal: string | undefined;
  /** The session of a sub-agent, whose own transcript can be shown in the card. */
  agentSession: string | undefined;
  /** Set for read-only calls: runs of them are folded into one row. */
  group: "read" | "list" | "search" | undefined;
}

/** What a button of a card does. `session`: that of the sub-agent whose card it is; undefined for the session that is shown. */
export type AtCard = { session?: string } & (
  | { type: "fullOutput"; key: string }
  | { type: "stopTool"; itemId: string }
  | { type: "stopJob"; jobId: string }
  | { type: "openTerminal"; jobId: string; command: string }
);

/** What stands around the transcript. */
export interface Head {
  /** `cause` is what a button can do something about. */
  engine: { kind: string; text: string; hint: string; cause?: Cause | "noFolder" | "notTrusted" | undefined };
  problem: Problem | undefined;
  activity: Activity;
  /** Seconds since the provider gave its last sign, where that is too long. */
  stalledSeconds: number | undefined;
  /** The workspace folder's path; empty when there is none. */
  folder: string;
  /** The system whose rules its paths follow. */
  system: System;
  title: string;
  model: string;
  permissionMode: string;
  /** `act` or `plan`. */
  mode: string;
  /** The copy of the project that the session works in, or that the next one will. */
  isolation: { kind: IsolationKind; isNext: boolean } | undefined;
  /** What the session cost; empty where that is not known. */
  cost: string;
  /** How full the model's window is; undefined where that is not known. */
  context: Meter | undefined;
  queue: (QueuedInput & { from: string | undefined })[];
  approvals: AskedApproval[];
  questions: { question: Question; canAnswer: boolean }[];
  plan: PlanItem[];
  /** Files that the agent changed on disk while an editor holds unsaved text of them. */
  unsaved: { path: string; label: string }[];
}

/** Where the keyboard is: on the page, or elsewhere in the window. */
export type KeyboardPlace = "chat" | "editor" | "terminal" | "panel" | "sideBar";

export interface Append {
  key: string;
  field: AppendedField;
  text: string;
}

/** A run of characters of code in one colour and style of the theme. */
export interface Run {
  text: string;
  color: string | undefined;
  /** `italic`, `bold`, `underline`, any of them. */
  style: string;
}

/** The active editor's file and selection. */
export interface InEditor {
  path: string;
  chip: Chip;
  /** Selections are attached by default. */
  isSelection: boolean;
}

/** A file with open hunks. */
export interface ChangedFile {
  path: string;
  name: string;
  /** Relative to the workspace folder; empty at its top. */
  folder: string;
  added: number;
  removed: number;
}

/** Menus of the prompt that slash commands open. */
export type Menu = "model" | "mode" | "context";

/** From the extension host to the page. Indexes are the entries' numbers, which may be below 0. */
export type ToPage =
  | {
      type: "reset";
      head: Head;
      first: number;
      entries: ViewEntry[];
      /** The session that is shown, and what stands in its prompt box. */
      session: string | undefined;
      draft: string;
      /** The id of the editor tab that the page is in; undefined in the view. */
      panel: string | undefined;
      hasEarlier: boolean;
      /** The last of `entries` is the last one there is. */
      isEnd: boolean;
    }
  | { type: "update"; head?: Head; entries: { index: number; entry: ViewEntry }[]; appends: Append[] }
  | { type: "earlier"; first: number; entries: ViewEntry[]; hasEarlier: boolean }
  | { type: "later"; first: number; entries: ViewEntry[]; isEnd: boolean }
  /** The coloured lines of the code that was asked about under this number. */
  | { type: "highlighted"; id: number; lines: Run[][] }
  /** The theme is another one: code is coloured anew. */
  | { type: "theme" }
  /** The last entries of a sub-agent's own transcript. */
  | { type: "nested"; session: string; entries: ViewEntry[]; hasEarlier: boolean }
  | { type: "returned"; text: string; attached: Input[] }
  /** Text that came back is taken away again, unless it was touched. */
  | { type: "taken"; text: string }
  /** What can stand in the place of the word that was asked about under this number. */
  | { type: "candidates"; id: number; candidates: Candidate[] }
  /** To the first open question; the answer leads back to where the keyboard was. */
  | { type: "focusQuestion"; from: KeyboardPlace }
  /** Asks whether the page has the keyboard. */
  | { type: "whereIsKeyboard" }
  | { type: "focus" }
  | { type: "pickers"; pickers: Pickers }
  | { type: "context"; view: ContextView }
  | { type: "editor"; shown: InEditor | undefined }
  | { type: "openMenu"; menu: Menu }
  | { type: "changed"; files: ChangedFile[] }
  /** Text to insert at the caret. */
  | { type: "insert"; text: string };

/** From the page to the extension host. */
export type FromPage =
  /** The page is there; it stood at the entry `place` before it was hidden, unless it followed the newest one. */
  | { type: "ready"; place: string | undefined }
  /** `withEditor`: the active editor's selection or file is attached. */
  | { type: "send" | "steer" | "queue"; text: string; attached: Input[]; withEditor: boolean }
  /** Tries again; with the text that came back, if it still stands in the prompt box. */
  | { type: "retry"; text: string; attached: Input[] }
  /** Opens the full lists. */
  | { type: "chooseModel" | "chooseEffort" | "chooseMode" }
  | { type: "choose"; option: Option; value: string }
  | { type: "readContext" | "compact" }
  | { type: "attachFrom"; what: "files" | "image" | "selection" | "problems" | Source }
  /** Keeps or undoes the hunks of a file, or all. */
  | { type: "decide"; verb: "keep" | "undo"; path?: string }
  | { type: "nextChange" }
  /** Rewinds to before a message, and returns it to the prompt. */
  | { type: "restore"; itemId: string }
  /** Requests an answer again. */
  | { type: "again"; itemId: string }
  /** A slash command chosen from the candidates. */
  | { type: "slash"; name: string }
  /** Changes, moves or takes away a message that waits. */
  | { type: "queueUpdate"; itemId: string; input?: Input[]; delivery?: Delivery; before?: string }
  | { type: "queueRemove"; itemId: string }
  | { type: "complete"; id: number; sign: Word["sign"]; query: string }
  /** Something that a person did had no effect, with the reason. */
  | { type: "warn"; text: string }
  | { type: "setUpProvider"; provider: string | undefined }
  /** Sends the last message again; a turn that gives no sign is stopped first. */
  | { type: "tryAgain" }
  /** Goes on from where a failed turn ended. */
  | { type: "continueTurn" }
  | { type: "stop" | "newSession" | "attach" | "showLog" }
  /** Applies the changes in the session's copy, or discards the copy. */
  | { type: "applyIsolation" | "discardIsolation" }
  | { type: "installEngine" | "locateEngine" | "openFolder" | "trust" }
  /** The keyboard goes back to where it was before the question. */
  | { type: "focusBack"; to: KeyboardPlace }
  | { type: "keyboard"; isHere: boolean }
  /** The page got the focus. */
  | { type: "used" }
  /** The settings of this extension, or one of them. */
  | { type: "openSettings"; setting: string }
  | { type: "answer"; approvalId: string; optionId: string }
  | { type: "say"; questionId: string; optionIds: string[]; text: string }
  | { type: "draft"; session: string | undefined; text: string }
  | { type: "earlier"; before: number }
  | { type: "later"; after: number }
  | { type: "newest" }
  | { type: "highlight"; id: number; language: string; code: string }
  /** A link of a message: a file, perhaps at a line, or an address. */
  | { type: "openLink"; href: string }
  | { type: "copy" | "insert"; text: string }
  /** Puts code into a file; `language` is what stood behind its fence. */
  | { type: "apply"; text: string; language: string }
  | AtCard
  /** Shows a sub-agent's transcript, or no longer. */
  | { type: "nested"; session: string; isOpen: boolean }
  /** A text of an open question, whole: the one at this place among its details. */
  | { type: "openDetail"; approvalId: string; at: number }
  /** What an open question would make of a file. */
  | { type: "openProposed"; approvalId: string; path: string }
  | { type: "openDiff"; path: string }
  | { type: "compareUnsaved"; path: string };
