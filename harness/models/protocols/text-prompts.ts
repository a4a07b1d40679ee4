import type { ToolSchema } from "../../agent/messages.ts";
import type { Json } from "../../json.ts";

/**
 * What a model without native calls is told. Short and concrete, with an example: a small model follows what it sees, and loses what is long.
 */
export function protocolPrompt(tools: readonly ToolSchema[]): string {
  const bash = tools.some((tool) => tool.name === "bash");
  const others = tools.filter((tool) => tool.name !== "bash");
  const parts = bash ? [bashPrompt] : [];
  if (others.length > 0) parts.push((bash ? alsoTools : onlyTools) + others.map(toolLine).join("\n"));
  if (parts.length > 0) parts.push(donePrompt);
  return parts.join("\n\n");
}

const bashPrompt = `You act by shell commands. Each reply is one short sentence and then exactly one command in a bash block:

I look at the files first.
\`\`\`bash
ls -la
\`\`\`

Then stop. The command is run, and the next message shows its real output. Never write the output yourself. Write files with the shell:

\`\`\`bash
cat > hello.py <<'EOF'
print("hello")
EOF
python3 hello.py
\`\`\``;

const alsoTools = `Other tools are called by one JSON block in the place of the bash block, such as {"tool": "NAME", "args": {…}} in \`\`\`json. They are:
`;
const onlyTools = `You act by calling tools. Each reply is one short sentence and then exactly one call in a json block:

\`\`\`json
{"tool": "NAME", "args": {}}
\`\`\`

Then stop. The next message shows the real result. Never write the result yourself. The tools are:
`;
const donePrompt = `When the task is finished and you have seen that it works, reply with the single word DONE and no block.`;

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
} as const;

/** Added to the observation of a call that was not alone in its reply. */
export const onlyFirst = "(Only the first block of your reply was run. Send one block a reply.)";
/** Added where a reply claimed the end together with a command. */
export const doneTooEarly = "(DONE counts only in a reply without a block.)";
