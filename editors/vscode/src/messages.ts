/** What the extension host and the transcript's page say to each other, and the shapes that are drawn. */
import type {
  Approval,
  Delivery,
  FileChange,
  Input,
  Notice,
  PlanItem,
  Question,
  QueuedInput,
  TurnCompleted,
} from "./protocol.ts";
import type { Candidate, Word } from "./complete.ts";
import type { Problem } from "./need.ts";
import type { Meter } from "./context.ts";
import type { Activity, AppendedField } from "./state.ts";

/** One thing in the transcript, ready to draw. */
export type ViewEntry =
  | { kind: "user"; key: string; text: string; from: string | undefined }
  | { kind: "agent" | "reasoning"; key: string; text: string; isOver: boolean }
  | { kind: "tool"; key: string; tool: ViewTool }
  | { kind: "notice"; key: string; notice: Notice }
  | { kind: "turnEnd"; key: string; end: TurnCompleted };

export interface ViewTool {
  name: string;
  title: string;
  toolKind: string;
  status: string;
  input: string;
  output: string;
  isError: boolean;
  durationMs: number | undefined;
  exitCode: number | undefined;
  changes: Pick<FileChange, "op" | "path" | "added" | "removed" | "diff">[];
}

/** What stands around the transcript. */
export interface Head {
  engine: { kind: string; text: string; hint: string };
  problem: Problem | undefined;
  activity: Activity;
  /** The workspace folder's path; empty when there is none. */
  folder: string;
  title: string;
  model: string;
  permissionMode: string;
  /** `act` or `plan`. */
  mode: string;
  /** What the session cost; empty where that is not known. */
  cost: string;
  /** How full the model's window is; undefined where that is not known. */
  context: Meter | undefined;
  queue: (QueuedInput & { from: string | undefined })[];
  approvals: { approval: Approval; canAnswer: boolean }[];
  questions: { question: Question; canAnswer: boolean }[];
  plan: PlanItem[];
  /** Files that the agent changed on disk while an editor holds unsaved text of them. */
  unsaved: { path: string; label: string }[];
}

export interface Append {
  key: string;
  field: AppendedField;
  text: string;
}

/** From the extension host to the page. Indexes count from the session's first entry. */
export type ToPage =
  | { type: "reset"; head: Head; first: number; entries: ViewEntry[]; draft: string }
  | { type: "update"; head?: Head; entries: { index: number; entry: ViewEntry }[]; appends: Append[] }
  | { type: "earlier"; first: number; entries: ViewEntry[] }
  | { type: "returned"; text: string; attached: Input[] }
  /** Text that came back is taken away again, unless it was touched. */
  | { type: "taken"; text: string }
  /** What can stand in the place of the word that was asked about under this number. */
  | { type: "candidates"; id: number; candidates: Candidate[] }
  /** To the first open question; a guest goes back to the editor afterwards. */
  | { type: "focusQuestion"; isGuest: boolean }
  | { type: "focus" };

/** From the page to the extension host. */
export type FromPage =
  | { type: "ready" }
  | { type: "send" | "steer" | "queue"; text: string; attached: Input[] }
  /** Tries again; with the text that came back, if it still stands in the prompt box. */
  | { type: "retry"; text: string; attached: Input[] }
  | { type: "chooseModel" | "chooseEffort" | "chooseMode" }
  /** Changes, moves or takes away a message that waits. */
  | { type: "queueUpdate"; itemId: string; input?: Input[]; delivery?: Delivery; before?: string }
  | { type: "queueRemove"; itemId: string }
  | { type: "complete"; id: number; sign: Word["sign"]; query: string }
  /** Something that a person did had no effect, with the reason. */
  | { type: "warn"; text: string }
  | { type: "setKey"; provider: string | undefined }
  | { type: "stop" | "newSession" | "attach" | "showLog" | "focusEditor" }
  /** The settings of this extension, or one of them. */
  | { type: "openSettings"; setting: string }
  | { type: "answer"; approvalId: string; optionId: string }
  | { type: "say"; questionId: string; optionIds: string[]; text: string }
  | { type: "draft"; text: string }
  | { type: "earlier"; before: number }
  /** What an open question would make of a file. */
  | { type: "openProposed"; approvalId: string; path: string }
  | { type: "openDiff"; path: string }
  | { type: "compareUnsaved"; path: string };
