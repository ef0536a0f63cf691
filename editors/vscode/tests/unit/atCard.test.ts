import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSession } from "../../src/chat/atCard.ts";
import type { FromPage } from "../../src/chat/messages.ts";

for (const [name, message, session] of [
  ["the call that it stops", { type: "stopTool", itemId: "i" }, "child"],
  ["the job that it stops", { type: "stopJob", jobId: "job-1" }, "child"],
  ["the terminal that it opens", { type: "openTerminal", jobId: "job-1", command: "cat" }, "child"],
  ["the output that it shows", { type: "fullOutput", key: "k" }, "child"],
  ["a card in a card in it", { type: "stopJob", jobId: "job-1", session: "grandchild" }, "grandchild"],
  ["a link", { type: "openLink", href: "a.ts" }, undefined],
  ["a card that is expanded", { type: "nested", session: "grandchild", isOpen: true }, "grandchild"],
] as [string, FromPage, string | undefined][])
  test(`a card in a sub-agent's transcript belongs to its session: ${name}`, () => {
    const sent = fromSession(message, "child");
    assert.equal("session" in sent ? sent.session : undefined, session);
  });
