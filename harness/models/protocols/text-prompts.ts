import type { ToolSchema } from "../../contract/messages.ts";
import type { Json } from "../../json.ts";

/**
 * What a model without native calls is told. Short, and an exchange to imitate: a model of 1.5 B parameters (Qwen2.5-Coder) repeated a prompt
 * that explained in prose word for word as its answer, and followed this one.
 */
export function protocolPrompt(tools: readonly ToolSchema[]): string {
  if (tools.length === 0) return "";
  const others = tools.filter((tool) => tool.name !== "bash");
  const lines = others.map(toolLine).join("\n");
  if (others.length === tools.length) return `${jsonPrompt}\n\nThe tools are:\n${lines}`;
  return others.length === 0 ? bashPrompt : `${bashPrompt}\n\n${alsoTools}\n${lines}`;
}

const bashPrompt = `Every reply is exactly one shell command in a bash block. The command is run, and the next message shows its real output. An example:

User: How many lines has notes.txt? Write the number to count.txt.
You:
\`\`\`bash
wc -l < notes.txt > count.txt && cat count.txt
\`\`\`
User: <output>
12
</output>
You: DONE

One command a reply; a command may have several lines. Never write the output yourself. As soon as an output shows that the task is finished, reply with the single word DONE.`;

const jsonPrompt = `Every reply is exactly one call of a tool in a json block. The call is made, and the next message shows its real result. An example:

User: (a task)
You:
\`\`\`json
{"tool": "NAME", "args": {}}
\`\`\`
User: <output>
(the result)
</output>
You: DONE

One call a reply. Never write the result yourself. As soon as a result shows that the task is finished, reply with the single word DONE.`;

const alsoTools = `In the place of the bash block a reply may hold one call of another tool, in a json block:
\`\`\`json
{"tool": "NAME", "args": {}}
\`\`\`
These tools are:`;

/** One line a tool: name, arguments with their types (`?` marks an optional one), what it does. */
function toolLine(tool: ToolSchema): string {
  const properties = asObject(tool.parameters["properties"]);
  const required = Array.isArray(tool.parameters["required"]) ? tool.parameters["required"] : [];
  const args = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeName(asObject(schema))}`,
  );
  return `- ${tool.name} {${args.join(", ")}}: ${tool.description.replace(/\s+/g, " ").trim()}`;
}
function typeName(schema: Record<string, Json>): string {
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  if (typeof schema["type"] !== "string") return "any";
  if (schema["type"] !== "array") return schema["type"];
  const item = asObject(schema["items"]);
  const fields = Object.keys(asObject(item["properties"]));
  return fields.length > 0 ? `{${fields.join(", ")}}[]` : `${typeName(item)}[]`;
}
function asObject(value: Json | undefined): Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Answers to a reply that held a call which could not be taken. They reach the model as the call's observation. */
export const unusable = {
  cutOff: "Your reply was cut off before the block ended, so nothing was run. Send a shorter one: write long files in several parts.",
  empty: "The block was empty, so nothing was run. Put one command into it, or reply DONE when the task is finished.",
  badJson: (why: string) => `The JSON of the call cannot be read (${why}), so nothing was run. Send the call again as valid JSON.`,
  tooMuch: (why: string) => `The call cannot be read: ${why}. Nothing was run. Send a smaller call, or several.`,
} as const;

/** Added to the observation of a call that was not alone in its reply. */
export const onlyFirst = "(Only the first block of your reply was run. Send one block a reply.)";
/** Added where a reply claimed the end together with a command. */
export const doneTooEarly = "(DONE counts only in a reply without a block.)";
