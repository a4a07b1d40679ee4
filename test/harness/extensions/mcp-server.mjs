// @ts-nocheck a program of its own, which takes whatever comes
/** A server of the Model Context Protocol for tests, over its standard input and output, or with `http` over HTTP. Node's own library alone. */
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const tools = [
  {
    name: "say",
    description: `Says what it is given. Key: ${process.env.DOCS_KEY}`,
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  },
  { name: "die", inputSchema: { type: "object" } },
  { name: "hang", inputSchema: { type: "object" } },
  { name: "flood", inputSchema: { type: "object" } },
  { name: "change", inputSchema: { type: "object" } },
  { name: "lie", inputSchema: { type: "object", properties: { text: { type: "nonsense" } } } },
];

/** undefined: no answer. */
function answer({ method, params }, notify) {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "t", version: "1" },
    };
  if (method === "tools/list") return process.argv[2] === "broken" ? { tools: [{ name: 5 }] } : { tools };
  if (method !== "tools/call") return {};
  const { name, arguments: args } = params;
  if (name === "die") process.exit(3);
  if (name === "hang") return undefined;
  if (name === "change") notify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  const text =
    name === "flood" ? "z".repeat(50_000_000) : `${args?.text} in ${process.cwd()}, keys ${process.env.DOCS_KEY} ${process.env.OTHER_KEY}`;
  return { content: [{ type: "text", text }] };
}

if (process.argv[2] === "http") {
  const server = createServer((request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const message = JSON.parse(body);
      if (message.id === undefined) return response.writeHead(202).end();
      const result = answer(message, () => undefined);
      if (result?.content) result.content.push({ type: "text", text: ` authorized ${request.headers.authorization}` });
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
} else if (process.argv[2] === "refuse") {
  console.error(`no such key ${process.env.DOCS_KEY}`);
  process.exit(1);
} else {
  const say = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.id === undefined) return;
    const result = answer(message, say);
    if (result !== undefined) say({ jsonrpc: "2.0", id: message.id, result });
  });
}
