import { afterEach, expect, test } from "vitest";
import { type Message, text, type ToolMessage, userMessage } from "../../../../harness/contract/messages.ts";
import { createOpenAiModel } from "../../../../harness/models/providers/openai.ts";
import { withTextProtocol } from "../../../../harness/models/protocols/text.ts";
import { type ModelServer, startModelServer } from "../../../servers/model-server.ts";
import type { ScriptedReply } from "../../../servers/scripted-reply.ts";
import { ask, bash, clock, read, requestOf } from "../talk.ts";

let server: ModelServer;
afterEach(() => server.close());

async function modelOf(...replies: ScriptedReply[]) {
  server = await startModelServer({ replies });
  return withTextProtocol(createOpenAiModel({ provider: "local", name: "qwen", apiKey: "k", baseUrl: server.url, clock }));
}
const sent = (index = 0) => server.requests[index]?.body["messages"] as { role: string; content: string }[];
const said = (words: string): Message => ({ role: "assistant", content: [text(words)] });
const output = (callId: string, words: string, status: ToolMessage["status"] = "ok"): ToolMessage => ({
  role: "tool",
  callId,
  name: "bash",
  status,
  content: [text(words)],
});

test("a turn goes round: the command is read, its result goes back as a user message, DONE ends it", async () => {
  const model = await modelOf({ text: "I look.\n```bash\nls\n```" }, { text: "DONE" });
  const first = await ask(model);
  expect(first).toMatchObject({ stop: "calls", calls: [{ id: "text-0", name: "bash", args: { command: "ls" } }] });
  expect(first.message.content).toEqual([text("I look.\n```bash\nls\n```")]);
  const messages = [userMessage("Fix it."), first.message, output("text-0", "a.txt\n")];
  expect(await ask(model, requestOf({ messages }))).toMatchObject({ stop: "end", calls: [] });
  expect(sent(1).map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  expect(sent(1)[3]?.content).toBe("<output>\na.txt\n</output>");
});

test("with bash alone the explanation has one example and no JSON; other tools are listed with their arguments", async () => {
  const model = await modelOf({ text: "DONE" }, { text: "DONE" }, { text: "DONE" }, { text: "DONE" });
  await ask(model, requestOf({ tools: [structuredClone(bash)] as never }));
  expect(sent()[0]?.content).toMatch(/```bash\n.+\n```\nUser: <output>/);
  expect(sent()[0]?.content).not.toMatch(/json/i);
  expect(sent()[0]?.content.length).toBeLessThan(1_000);
  await ask(model);
  expect(sent(1)[0]?.content).toContain("- read {path: string, limit?: integer}: Reads a file.");
  await ask(model, requestOf({ tools: [structuredClone(read)] as never }));
  expect(sent(2)[0]?.content).not.toContain("```bash");
  await ask(model, requestOf({ tools: [] }));
  expect(sent(3)[0]?.content).toBe("You are an agent.\n\nWork carefully.\n\nDirectory: /app");
});

test("neighbouring user messages become one, and a failed call is marked", async () => {
  const model = await modelOf({ text: "DONE" });
  const messages = [
    userMessage("Fix it."),
    userMessage("Now."),
    said("```bash\nls\n```"),
    output("text-0", "no", "error"),
    userMessage("Budget: half."),
  ];
  await ask(model, requestOf({ messages }));
  expect(sent().slice(1)).toEqual([
    { role: "user", content: "Fix it.\n\nNow." },
    { role: "assistant", content: "```bash\nls\n```" },
    { role: "user", content: '<output status="error">\nno\n</output>\n\nBudget: half.' },
  ]);
});

test("a model that sent several blocks, or claimed the end too early, is told so with the result", async () => {
  const model = await modelOf({ text: "DONE" });
  const messages = [
    userMessage("Fix it."),
    said("```bash\nls\n```\n```bash\npwd\n```\nDONE"),
    output("text-0", "a.txt"),
    said("```bash\nls\n```"),
    output("text-1", "a.txt"),
  ];
  await ask(model, requestOf({ messages }));
  expect(sent()[3]?.content).toMatch(/<\/output>\n\(Only the first block.*\)\n\(DONE counts only.*\)$/);
  expect(sent()[5]?.content).toBe("<output>\na.txt\n</output>");
});

test("a reply cut off inside its block is answered, not run", async () => {
  const reply = await ask(await modelOf({ text: "```bash\nrm -rf bui", stop: "length" }));
  expect(reply).toMatchObject({ stop: "length", calls: [{ name: "bash", args: {}, error: expect.stringMatching(/cut off/) as string }] });
});

test("ids follow the turn and never meet one that a compacted conversation still has", async () => {
  const model = await modelOf({ text: "```bash\nls\n```" });
  const messages = [userMessage("Fix it."), said("```bash\nls\n```"), output("text-1", "x"), userMessage("go")];
  expect((await ask(model, requestOf({ messages }))).calls[0]?.id).toBe("text-2");
});

test("a call that the server parsed out of the text is taken and written back", async () => {
  const reply = await ask(await modelOf({ calls: [{ id: "x", name: "read", args: { path: "a" } }] }));
  expect(reply.calls).toEqual([{ id: "text-0", name: "read", args: { path: "a" } }]);
  expect(reply.message.content).toEqual([text('```json\n{"tool":"read","args":{"path":"a"}}\n```')]);
});

test("each request is a prefix of the next one", async () => {
  const model = await modelOf(...Array.from({ length: 4 }, () => ({ text: "```bash\nls\n```\n```bash\nls\n```" })));
  const messages: Message[] = [userMessage("Fix it.")];
  for (let turn = 0; turn < 4; turn++) {
    const reply = await ask(model, requestOf({ messages: [...messages] }));
    messages.push(reply.message, output(`text-${turn}`, `result ${turn}`));
  }
  const bodies = server.requests.map((request) => request.text);
  for (const [k, body] of bodies.slice(0, -1).entries()) expect(bodies[k + 1]?.startsWith(body.slice(0, -2))).toBe(true);
});
