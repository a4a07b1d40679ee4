import type { CallToolResult, Client, Tool as ServerTool } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Part } from "../../contract/messages.ts";
import { messageOf } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import { cleanText } from "../../tools/observe/clean-text.ts";
import type { Tool, ToolOutcome } from "../../tools/tool.ts";

/** What a server says of itself goes to the model with every request: it is hostile, and cut. */
const most = { name: 64, description: 2_000, schemaBytes: 16 * 1024, resultChars: 1_000_000, images: 8 };
const callTimeoutMs = 120_000;

const parameters = z.record(z.string(), z.unknown());

/** A server's tool as one of the agent's, by the name `mcp__<server>__<tool>`; `taken` holds the names that are given already. */
export function mcpTool(
  o: {
    readonly client: Client;
    readonly server: string;
    readonly tool: ServerTool;
    readonly said: () => string;
    /** The server is outside of the sandbox. */
    readonly outside: boolean;
    /** Of one call, milliseconds; default 120,000. */
    readonly timeoutMs?: number | undefined;
    /** Takes secrets out of what the server says of its tools: it is recorded with the configuration. */
    readonly redact?: ((text: string) => string) | undefined;
  },
  taken: Set<string>,
): Tool<z.infer<typeof parameters>> {
  const { client, server, tool, said, outside, timeoutMs = callTimeoutMs, redact = (text: string): string => text } = o;
  const name = freeName(`mcp__${plain(server)}__${plain(tool.name)}`, taken);
  const description = redact(cleanText(tool.description ?? "")).slice(0, most.description);
  return {
    name,
    description: description.trim() === "" ? `The tool ${plain(tool.name)} of the server ${plain(server)}.` : description,
    parameters,
    schema: schemaOf(tool.inputSchema, redact),
    readOnly: false,
    ...(outside ? { outside } : {}),
    async run(args, { signal }) {
      try {
        const options = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
        return outcomeOf(await client.callTool({ name: tool.name, arguments: args }, options));
      } catch (error) {
        signal.throwIfAborted();
        const why = [messageOf(error), said()].filter((text) => text !== "").join("; ");
        const late = /timed? ?out/i.test(messageOf(error));
        return {
          status: late ? "timeout" : "error",
          content: [{ type: "text", text: cleanText(why).slice(0, 1_000) }],
          note: `The server ${plain(server)} gave no result. Go on without it if it does not answer again.`,
          error: late ? "timeout" : "server_failed",
        };
      }
    },
  };
}

/** Letters, digits, hyphens and single underscores: what every provider takes, and what cannot be read as another server's. */
const plain = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 40) || "unnamed";

function freeName(wanted: string, taken: Set<string>): string {
  const short = wanted.slice(0, most.name);
  let name = short;
  for (let i = 2; taken.has(name); i++) name = `${short.slice(0, most.name - 4)}_${i}`;
  taken.add(name);
  return name;
}

/** A schema that is too large or too deep, or none of an object with its properties, lets everything through: the server judges by itself. */
function schemaOf(given: unknown, redact: (text: string) => string): JsonObject {
  const anything: JsonObject = { type: "object", properties: {}, additionalProperties: true };
  try {
    const text = JSON.stringify(given);
    if (text === undefined || text.length > most.schemaBytes) return anything;
    const { $schema: _, ...schema } = JSON.parse(cleanJson(text, redact)) as JsonObject; // it came as JSON
    return schema["type"] === "object" && isSchema(schema) ? schema : anything;
  } catch {
    return anything; // nested until the stack is full
  }
}

/** Control characters stand in JSON as escapes; what a reader cannot see is taken out of the texts. */
const cleanJson = (text: string, redact: (text: string) => string): string =>
  JSON.stringify(JSON.parse(text, (_, value: unknown) => (typeof value === "string" ? redact(cleanText(value)) : value)));

const types: ReadonlySet<unknown> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** A provider refuses a request with a schema that is none, and the run would end with it. Throws where it is nested until the stack is full. */
function isSchema(given: unknown): boolean {
  if (typeof given === "boolean") return true;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  const { type, properties, required, items, enum: values, anyOf, oneOf, allOf } = given as JsonObject; // it came as JSON
  const every = (list: unknown, holds: (one: unknown) => boolean): boolean =>
    list === undefined || (Array.isArray(list) && list.every(holds));
  return (
    (type === undefined || every([type].flat(), (one) => types.has(one))) &&
    (properties === undefined || (typeof properties === "object" && properties !== null && Object.values(properties).every(isSchema))) &&
    every(required, (name) => typeof name === "string") &&
    (items === undefined || isSchema(items)) &&
    every(values, () => true) &&
    [anyOf, oneOf, allOf].every((list) => every(list, isSchema))
  );
}

function outcomeOf({ content, structuredContent, isError }: CallToolResult): ToolOutcome {
  const texts: string[] = [];
  const shown: Part[] = [];
  let left = most.resultChars;
  let images = 0;
  const say = (text: string): void => {
    if (left > 0 && text !== "") texts.push(text.slice(0, left));
    left -= text.length;
  };
  for (const part of content) {
    if (part.type === "text") say(part.text);
    else if (part.type === "image" && isImage(part.mimeType) && images++ < most.images && part.data.length <= 8 * left)
      shown.push({ type: "image", mediaType: part.mimeType, data: part.data });
    else if (part.type === "resource" && "text" in part.resource) say(part.resource.text);
    else say(`[${part.type} that cannot be shown]`);
  }
  if (texts.length === 0 && shown.length === 0 && structuredContent !== undefined) say(JSON.stringify(structuredContent));
  // One text, as of any tool: each is cut, and kept whole in a file, by itself.
  const parts: Part[] = texts.length === 0 ? shown : [{ type: "text", text: texts.join("\n") }, ...shown];
  return {
    status: isError ? "error" : "ok",
    content: parts,
    ...(parts.length === 0 && { note: "The tool gave no output." }),
    ...(isError && { error: "tool_failed" }),
  };
}

const isImage = (type: string): boolean => /^image\/(png|jpeg|gif|webp)$/.test(type);
