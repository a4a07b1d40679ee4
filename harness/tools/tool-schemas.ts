import type { ToolSchema } from "../contract/messages.ts";
import { nearest } from "../text/did-you-mean.ts";
import { ConfigError } from "../errors.ts";
import { builtinTools } from "./builtin-tools.ts";
import { parametersSchema } from "./parameters-schema.ts";
import type { Tool } from "./tool.ts";

/** What the model is told of a tool. */
export function toolSchema(tool: Tool): ToolSchema {
  if (tool.schema) return { name: tool.name, description: tool.description, parameters: tool.schema };
  return { name: tool.name, description: tool.description, parameters: parametersSchema(tool.parameters) };
}

/**
 * The built-in tools of these names, in this order. `bash` offers no background without the tools that read and end it, and says after a timeout
 * what still runs; in a loop of version 1 it always offered it, and did not say.
 * @throws ConfigError for a name that is not one, with the list of those that are
 */
export function pickTools(names: readonly string[], o: { readonly maxTimeoutMs?: number; readonly loop?: 1 | 2 | undefined } = {}): Tool[] {
  const { loop = 1, ...limits } = o;
  const background = loop === 1 || (names.includes("bash_output") && names.includes("kill_shell"));
  const options = { ...limits, background, reportsRunning: loop > 1 };
  return names.map((name) => {
    const make = Object.hasOwn(builtinTools, name) ? builtinTools[name] : undefined;
    if (make) return make(options);
    const near = nearest(name, toolNames);
    throw new ConfigError(
      `tools: there is no tool "${name}"${near ? `, did you mean "${near}"?` : "."} The tools are: ${toolNames.join(", ")}.`,
    );
  });
}

/** @throws ConfigError for an unknown name. */
export const toolSchemas = (names: readonly string[], loop: 1 | 2 = 1): ToolSchema[] =>
  pickTools(names, { loop }).map((tool) => toolSchema(tool));

export const toolNames: readonly string[] = Object.keys(builtinTools);
