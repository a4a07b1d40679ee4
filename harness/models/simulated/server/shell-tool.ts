import type { AssistantPart, Message, ToolCall, ToolSchema } from "../../../contract/messages.ts";
import type { Json, JsonObject } from "../../../json.ts";

/** How an agent calls its shell: plans speak of `bash` and its `command`. */
export interface ShellTool {
  readonly name: string;
  readonly key: string;
  /** It takes a list of words and not a line. */
  readonly words: boolean;
  /** Other arguments that it cannot do without, with something in them. */
  readonly filled: JsonObject;
}

const shellName = /bash|shell|terminal|exec|command|run/i;
const keys = ["command", "cmd", "script", "code", "input"];

/** The tool that runs a command line, as far as name and parameters tell; undefined where there is none. */
export function findShell(tools: readonly ToolSchema[]): ShellTool | undefined {
  const ranked = [
    ...tools.filter(({ name }) => name === "bash"),
    ...tools.filter(({ name }) => /^bash$/i.test(name)),
    ...tools.filter(({ name }) => shellName.test(name)),
  ];
  for (const { name, parameters } of ranked) {
    const properties = asObject(parameters["properties"]);
    const key = keys.find((each) => Object.hasOwn(properties, each)) ?? (name === "bash" ? "command" : undefined);
    if (key === undefined) continue;
    const required = Array.isArray(parameters["required"]) ? parameters["required"] : [];
    const filled = required.filter(
      (each): each is string => typeof each === "string" && each !== key && asObject(properties[each])["type"] === "string",
    );
    return {
      name,
      key,
      words: asObject(properties[key])["type"] === "array",
      filled: Object.fromEntries(filled.map((each) => [each, "step of the task"])),
    };
  }
  return undefined;
}

const asObject = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};

/** A call of `bash` as the agent's own shell takes it. Under Forge's own name nothing changes. */
export function toShell(call: ToolCall, shell: ShellTool | undefined): ToolCall {
  if (call.name !== "bash" || !shell || isOurs(shell)) return call;
  const { command, ...others } = call.args;
  if (typeof command !== "string") return { ...call, name: shell.name, args: others };
  return { ...call, name: shell.name, args: { ...shell.filled, [shell.key]: shell.words ? ["bash", "-lc", command] : command } };
}

/** The conversation with the agent's shell called `bash` again. */
export function fromShell(messages: readonly Message[], shell: ShellTool | undefined): Message[] {
  if (!shell || isOurs(shell)) return [...messages];
  return messages.map((message): Message => {
    if (message.role === "tool") return message.name === shell.name ? { ...message, name: "bash" } : message;
    if (message.role !== "assistant") return message;
    const content = message.content.map((part): AssistantPart =>
      part.type === "call" && part.name === shell.name ? { ...part, name: "bash" } : part,
    );
    return { ...message, content };
  });
}

const isOurs = ({ name, key, words }: ShellTool): boolean => name === "bash" && key === "command" && !words;
