import type { ToolSchema } from "../../contract/messages.ts";
import type { ToolFile } from "../../contract/resolved-config.ts";
import { ConfigError } from "../../errors.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import { parametersSchema } from "../../tools/parameters-schema.ts";
import type { ConfigRegistry, UserTool } from "../config-registry.ts";
import { keyPath } from "../read/describe-issue.ts";
import type { Stack } from "../stack/stack-config.ts";
import { isOwnFile } from "../stack/stack-sources.ts";

interface ResolvedTools {
  readonly tools: readonly ToolSchema[];
  readonly toolFiles?: readonly ToolFile[];
}

/** Looks up each tool, loads those of the user's own, and answers what the model is told of them, in the configuration's order. */
export async function resolveTools(
  tools: Stack["tools"],
  unset: readonly string[],
  registry: Pick<ConfigRegistry, "tools" | "loadUserTool">,
  loop: 1 | 2,
): Promise<ResolvedTools> {
  const entries = tools?.value ?? unset;
  const found: { readonly name: string; readonly user?: UserTool; readonly at: string }[] = [];
  for (const [i, entry] of entries.entries()) {
    const at = keyPath([...(tools?.path ?? ["tools"]), i]);
    const place = tools ? ` (${tools.from.place([...tools.path, i])})` : "";
    const user = isOwnFile(entry) && tools ? await loadTool(entry, tools, registry, { at, place }) : undefined;
    const name = user?.definition.name ?? entry;
    if (!user && !registry.tools.names.includes(name)) throw unknown(name, registry, { at, place });
    if (user && registry.tools.names.includes(name))
      throw new ConfigError(`${at}: ${entry} exports a tool named "${name}", as a built-in tool is; rename yours${place}`);
    const twin = found.find((other) => other.name === name);
    if (twin)
      throw new ConfigError(
        user || twin.user
          ? `${at}: two tools are named "${name}" (${twin.at} is the other); rename yours${place}`
          : `${at}: the tool "${name}" is listed twice; take one out${place}`,
      );
    found.push({ name, at, ...(user ? { user } : {}) });
  }
  const builtin = registry.tools.schemas(
    found.flatMap(({ name, user }) => (user ? [] : [name])),
    loop,
  );
  const schemas = found.map(({ name, user }) => (user ? schemaOf(user) : builtin.find((one) => one.name === name)));
  const toolFiles = found.flatMap(({ name, user }) => (user ? [{ name, source: user.source }] : []));
  return { tools: schemas.filter((one) => one !== undefined), ...(toolFiles.length > 0 ? { toolFiles } : {}) };
}

const schemaOf = ({ definition: { name, description, parameters } }: UserTool): ToolSchema => ({
  name,
  description,
  parameters: parametersSchema(parameters),
});

interface Place {
  readonly at: string;
  readonly place: string;
}

async function loadTool(
  entry: string,
  { from }: NonNullable<Stack["tools"]>,
  registry: Pick<ConfigRegistry, "loadUserTool">,
  { at, place }: Place,
): Promise<UserTool> {
  try {
    return await registry.loadUserTool(entry, from.folder, from.owner);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${at}: ${error.message}${place}`);
  }
}

function unknown(name: string, registry: Pick<ConfigRegistry, "tools">, { at, place }: Place): ConfigError {
  const looksLikeFile = /\.[cm]?[jt]s$/.test(name) ? ` (a file of yours begins with "./")` : "";
  return new ConfigError(
    `${at}: there is no tool "${name}"${looksLikeFile}, ${didYouMean(name, registry.tools.names, "there are")}${place}`,
  );
}
