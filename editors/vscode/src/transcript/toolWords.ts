/** Sentences for calls of tools; the place `{0}` is for the subject. Pure. */
import { t, wordOf } from "../words.ts";

/** While it runs, when it is done, when it did not work, when it did not happen, when it was stopped. */
type Forms = [doing: string, done: string, failed: string, notDone: string, stopped: string];

const FORMS = {
  read: () => [
    t("Reading {0}"),
    t("Read {0}"),
    t("Could not read {0}"),
    t("Did not read {0}"),
    t("Stopped reading {0}"),
  ],
  list: () => [
    t("Listing {0}"),
    t("Listed {0}"),
    t("Could not list {0}"),
    t("Did not list {0}"),
    t("Stopped listing {0}"),
  ],
  edit: () => [
    t("Editing {0}"),
    t("Edited {0}"),
    t("Could not edit {0}"),
    t("Did not edit {0}"),
    t("Stopped editing {0}"),
  ],
  write: () => [
    t("Writing {0}"),
    t("Wrote {0}"),
    t("Could not write {0}"),
    t("Did not write {0}"),
    t("Stopped writing {0}"),
  ],
  delete: () => [
    t("Deleting {0}"),
    t("Deleted {0}"),
    t("Could not delete {0}"),
    t("Did not delete {0}"),
    t("Stopped deleting {0}"),
  ],
  move: () => [
    t("Moving {0}"),
    t("Moved {0}"),
    t("Could not move {0}"),
    t("Did not move {0}"),
    t("Stopped moving {0}"),
  ],
  search: () => [
    t("Searching for {0}"),
    t("Searched for {0}"),
    t("Could not search for {0}"),
    t("Did not search for {0}"),
    t("Stopped searching for {0}"),
  ],
  execute: () => [
    t("Running {0}"),
    t("Ran {0}"),
    t("Ran {0}"),
    t("Did not run {0}"),
    t("Stopped running {0}"),
  ],
  fetch: () => [
    t("Fetching {0}"),
    t("Fetched {0}"),
    t("Could not fetch {0}"),
    t("Did not fetch {0}"),
    t("Stopped fetching {0}"),
  ],
  plan: () => [
    t("Planning: {0}"),
    t("Plan: {0}"),
    t("Could not plan: {0}"),
    t("Did not plan: {0}"),
    t("Stopped planning: {0}"),
  ],
  spawn: () => [
    t("Starting a sub-agent for {0}"),
    t("Started a sub-agent for {0}"),
    t("Could not start a sub-agent for {0}"),
    t("Did not start a sub-agent for {0}"),
    t("Stopped starting a sub-agent for {0}"),
  ],
  agent: () => [
    t("Sub-agent is working on {0}"),
    t("Sub-agent finished {0}"),
    t("Sub-agent failed at {0}"),
    t("Sub-agent was stopped at {0}"),
    t("Sub-agent was stopped at {0}"),
  ],
  wait: () => [
    t("Waiting for sub-agents: {0}"),
    t("Waited for sub-agents: {0}"),
    t("Could not wait for sub-agents: {0}"),
    t("Did not wait for {0}"),
    t("Stopped waiting for sub-agents: {0}"),
  ],
  job: () => [
    t("Running in the background {0}"),
    t("Ran in the background {0}"),
    t("Ran in the background {0}"),
    t("Did not run {0}"),
    t("Stopped {0}"),
  ],
  use: () => [
    t("Using {0}"),
    t("Used {0}"),
    t("Could not use {0}"),
    t("Did not use {0}"),
    t("Stopped using {0}"),
  ],
} satisfies Record<string, () => Forms>;

export type ToolKind = keyof typeof FORMS;

export function isToolKind(kind: string): kind is ToolKind {
  return Object.hasOwn(FORMS, kind);
}

/** The sentence for a call of this kind. */
export function toolSentence(kind: ToolKind, status: string, isError: boolean): string {
  const [doing, done, failed, notDone, stopped] = FORMS[kind]();
  if (status === "declined") return notDone;
  if (status === "cancelled") return stopped;
  if (status === "failed" || (status === "completed" && isError)) return failed;
  return status === "completed" ? done : doing;
}

const STATUSES = {
  pending: () => t("pending"),
  running: () => t("running"),
  completed: () => t("completed"),
  failed: () => t("failed"),
  declined: () => t("declined"),
  cancelled: () => t("cancelled"),
};

/** The status of a call in a word. */
export function statusWord(status: string): string {
  return wordOf(STATUSES, status);
}
