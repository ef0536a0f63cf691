// A model on the loopback that speaks OpenAI's Chat Completions. What it is asked decides what it says.
import { createServer } from "node:http";

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? "").join("");

/** Serves until it is closed. `release` lets replies go on that were asked to `wait`. */
export async function serve() {
  let waiting = [];
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { messages } = JSON.parse(body);
    requests.push(messages);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta, finish = null) =>
      response.write(`data: ${JSON.stringify({ id: "x", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    const end = (finish) => {
      send({}, finish);
      response.write(`data: ${JSON.stringify({ id: "x", choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}\n\n`);
      response.end("data: [DONE]\n\n");
    };
    const last = messages.at(-1);
    const text = textOf(last.content);
    if (text.startsWith("<conversation>")) {
      send({ content: "what was said so far" });
      return end("stop");
    }
    if (last.role === "user" && text.includes("use the tool")) {
      const call = { name: "bash", arguments: JSON.stringify({ command: "echo from the tool" }) };
      send({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }] });
      return end("tool_calls");
    }
    if (last.role === "user" && text.includes("wait")) {
      send({ content: "working" });
      await new Promise((done) => waiting.push(done));
    }
    for (const word of ["answer ", "to ", text.slice(0, 40)]) send({ content: word });
    end("stop");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const release = () => {
    for (const done of waiting) done();
    waiting = [];
  };
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    release,
    close: () => {
      release();
      server.closeAllConnections();
      server.close();
    },
  };
}
