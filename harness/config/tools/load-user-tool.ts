import { ConfigError, messageOf } from "../../errors.ts";
import type { AnyToolDefinition } from "../../contract/tool-definition.ts";
import { parametersSchema } from "../../tools/parameters-schema.ts";
import type { SourceFiles } from "../code/collect-sources.ts";
import { importCode, readCode } from "../code/import-code.ts";
import type { UserTool } from "../config-registry.ts";

/** What a call may be given at most, milliseconds: as for `bash`. */
const longest = 600_000;

/**
 * Loads a tool that Forge does not ship: a `.ts` or `.js` file whose default export is what `tool(…)` returned.
 * @param specifier `./x.ts`, `/abs/x.ts`, or `npm:package`, looked up from `folder`.
 * Throws `ConfigError` naming the file and the cure when it is missing, throws itself, or exports something else.
 */
export async function loadUserTool(specifier: string, folder: string): Promise<UserTool> {
  const source = await readCode(specifier, folder);
  return { definition: (await importTool(source.path, source.files)).definition, source };
}

/** A tool and where in its file an error of it came from. */
export interface ImportedTool {
  readonly definition: AnyToolDefinition;
  placeOf(error: unknown): string | undefined;
}

/** The definition that a file exports, checked. `files` are its sources, read before. */
export async function importTool(path: string, files: SourceFiles): Promise<ImportedTool> {
  const { exported, placeOf } = await importCode(path, files);
  if (exported === undefined) throw new ConfigError(`${path} has no default export; ${howTo}`);
  const fault = toolFault(exported);
  if (fault !== undefined) throw new ConfigError(`${path} exports no tool: ${fault}; ${howTo}`);
  return { definition: exported as AnyToolDefinition, placeOf }; // looked through just now
}

const howTo = `write: export default tool({ name, description, parameters: z.strictObject({ … }), run }), with tool and z from "forge-lab"`;

/** What makes a value no tool, in one clause; undefined where it is one. */
export function toolFault(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return `expected an object, got ${value === null ? "null" : typeof value}`;
  const { name, description, parameters, readOnly, timeoutMs, run } = value as Partial<Record<keyof AnyToolDefinition, unknown>>; // any object may be read so
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    return `name: expected letters, digits, _ and -, at most 64, got ${shown(name)}`;
  if (name.startsWith("mcp__")) return `name: ${shown(name)} begins with mcp__, which names tools of MCP servers; rename it`;
  if (typeof description !== "string" || description.trim() === "") return `description: expected a text, got ${shown(description)}`;
  if (typeof run !== "function") return `run: expected a function, got ${shown(run)}`;
  if (readOnly !== undefined && typeof readOnly !== "boolean") return `readOnly: expected true or false, got ${shown(readOnly)}`;
  const isTime = typeof timeoutMs === "number" && Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= longest;
  if (timeoutMs !== undefined && !isTime) return `timeoutMs: expected a whole number from 1 to ${longest}, got ${shown(timeoutMs)}`;
  return schemaFault(parameters);
}

function schemaFault(parameters: unknown): string | undefined {
  const isSchema = typeof parameters === "object" && parameters !== null && "safeParse" in parameters && "_zod" in parameters;
  if (!isSchema) return `parameters: expected a zod schema of an object, got ${shown(parameters)}`;
  try {
    const { type } = parametersSchema(parameters as AnyToolDefinition["parameters"]); // seen to be one of zod
    return type === "object" ? undefined : `parameters: expected a schema of an object, got one of ${shown(type)}`;
  } catch (error) {
    return `parameters: no JSON Schema can be made of it (${messageOf(error)})`;
  }
}

const shown = (value: unknown): string => (value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value).slice(0, 80));
