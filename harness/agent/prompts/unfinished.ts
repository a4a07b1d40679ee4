import type { ToolSchema } from "../../contract/messages.ts";
import type { ResolvedModel } from "../../contract/resolved-config.ts";

type Protocol = ResolvedModel["protocol"];

export const cut = (limit: string): string =>
  `Your reply was cut off at the limit of ${limit}, and nothing of it was run. Go on with a shorter reply: make the next call, with long files written in several parts, or finish in a few sentences. A reply that is cut off again ends the work.`;

export const empty = (protocol: Protocol): string =>
  `Your reply was empty. ${protocol === "native" ? "Make the next call, or say in a sentence what you did when the task is finished." : "Send the next block, or DONE when the task is finished."} A second empty reply ends the work.`;

/** How calls are made, in a few words: what the protocol's own explanation says at length. */
export function printed(protocol: Protocol, tools: readonly ToolSchema[]): string {
  const names = tools.map(({ name }) => name);
  const known = `The tools are: ${names.join(", ")}.`;
  if (protocol === "native")
    return `Your reply holds a call written as text, and nothing was run. Make calls through the tool interface, never in the text of a reply. ${known} When the task is finished, say so without a call.`;
  const block = names.includes("bash") ? "a shell command in a bash block" : "";
  const json = names.some((name) => name !== "bash") ? '{"tool": "NAME", "args": {…}} as valid JSON in a json block' : "";
  const how = [block, json].filter(Boolean).join(", or ");
  return `The call in your reply cannot be read, and nothing was run. A call is ${how}. ${known} When the task is finished, reply DONE without a block.`;
}
