import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { ConfigRegistry } from "./config-registry.ts";
import type { CodeSource } from "../contract/resolved-config.ts";
import { loadConfig } from "./load-config.ts";
import { readCode } from "./code/import-code.ts";

/**
 * The files that a configuration is made of: its own, those that it extends, and those of its middlewares and tools with what they import. None of their code
 * runs. Of a configuration that is broken, those that could be found; a file that is named and missing is among them.
 * @param path absolute
 */
export async function filesOfConfig(path: string, registry: ConfigRegistry): Promise<ReadonlySet<string>> {
  const files = new Set([path]);
  const look = async (specifier: string, folder: string): Promise<CodeSource> => {
    if (!specifier.startsWith("npm:")) files.add(specifier.startsWith("file:") ? fileURLToPath(specifier) : resolve(folder, specifier));
    const none = { path: `${specifier} in ${folder}`, hash: "", files: {} };
    // what is wrong with it is said by whoever runs it
    const source = await readCode(specifier, folder).catch(() => none);
    for (const name of Object.keys(source.files)) files.add(resolve(dirname(source.path), name));
    return source;
  };
  const notRun = (): never => {
    throw new Error("The file was only looked at.");
  };
  const schema = z.looseObject({});
  const loaders: Pick<ConfigRegistry, "loadUserMiddleware" | "loadUserTool" | "trustServer"> = {
    async loadUserMiddleware(specifier, folder) {
      const source = await look(specifier, folder);
      return { definition: { name: source.path, version: "0", options: schema, create: notRun }, source };
    },
    async loadUserTool(specifier, folder) {
      const source = await look(specifier, folder);
      return { definition: { name: source.path, description: "", parameters: schema, run: notRun }, source };
    },
    trustServer: async () => undefined,
  };
  const sources = [
    { kind: "values" as const, label: "the recording", config: { model: { name: "sim/default" } } },
    { kind: "config" as const, value: path, folder: dirname(path), owner: "user" as const },
  ];
  const reading = (file: string): void => void files.add(resolve(file));
  await loadConfig(sources, { ...registry, ...loaders, reading }).catch(() => undefined); // as above
  return files;
}
