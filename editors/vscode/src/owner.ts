/** What views need of their owner, each a part by itself: a view takes the parts that it uses and no others. */
import type * as vscode from "vscode";
import type { Chat } from "./chat/chat.ts";
import type { Review } from "./review/review.ts";
import type { Memory } from "./sessions/memory.ts";

export interface HasChat {
  /** Undefined without a folder, or while it is not trusted. */
  readonly chat: Chat | undefined;
}

export interface HasReview {
  /** The open hunks; undefined where there is no chat. */
  readonly review: Review | undefined;
}

export interface HasFolder {
  /** The workspace folder; undefined when none is open. */
  readonly folder: vscode.WorkspaceFolder | undefined;
  /** The workspace folder's path; empty when there is none. */
  readonly folderPath: string;
  /** The paths of all folders of the workspace that are files, that one first. */
  readonly folderPaths: string[];
}

export interface HasLog {
  readonly log: vscode.LogOutputChannel;
}

export interface HasMemory {
  /** What is remembered of the folder between windows. */
  readonly memory: Memory;
}

export interface HasContext {
  readonly context: vscode.ExtensionContext;
}
