import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ConfigError } from "../../errors.ts";
import { listHostFolder } from "../workspace/pack-folder.ts";
import type { CreateOptions, Environment } from "../provider.ts";
import { quote } from "../shell/quote.ts";
import { hashEntries } from "../workspace/hash-entries.ts";
import { fill, parseCopy, parseDockerfile, parseEnv } from "../dockerfile/parse-dockerfile.ts";

/** What a Dockerfile asks for, as far as a sandbox without images can do it, in order. Paths are absolute as in the container. */
export interface Recipe {
  readonly digest: string;
  readonly folder: string;
  readonly file: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly RecipeStep[];
}

export type RecipeStep =
  | { readonly type: "folder"; readonly path: string }
  | {
      readonly type: "copy";
      readonly sources: readonly string[];
      readonly destination: string;
      readonly intoFolder: boolean;
      readonly mode: number | undefined;
      readonly line: number;
    }
  | {
      readonly type: "run";
      readonly command: string;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly line: number;
    };

/** The recipe of an environment. @throws ConfigError for a prebuilt image, a Dockerfile that needs one, and a network that only a gateway can limit. */
export async function recipeOf({ name, folder, gateway }: Environment): Promise<Recipe> {
  if (gateway) throw new ConfigError(limited(`Task ${name}`));
  if (folder !== undefined) return readRecipe(folder);
  throw new ConfigError(`Task ${name} starts from a prebuilt image, which makes it Docker-only; run it with --sandbox docker.`);
}

const limited = (what: string): string =>
  `${what} has a network limited to a list of hosts, which makes it Docker-only; run it with --sandbox docker.`;

/** A list of hosts never runs open. @throws ConfigError */
export function refuseHosts({ hosts }: CreateOptions): void {
  if (hosts) throw new ConfigError(limited("The sandbox"));
}

/** Reads `environment/Dockerfile` as WORKDIR, ENV, COPY and RUN. @throws ConfigError for any other instruction: such a task is Docker-only. */
async function readRecipe(folder: string): Promise<Recipe> {
  const file = join(folder, "Dockerfile");
  const text = dockerfileOf(file);
  const steps: RecipeStep[] = [];
  let workdir = "/";
  let env: Record<string, string> = {};
  const place = (path: string) => posix.resolve(workdir, fill(path, env));
  for (const instruction of parseDockerfile(text)) {
    const { name, rest, line } = instruction;
    if (name === "FROM") continue;
    if (name === "WORKDIR") {
      workdir = place(rest);
      steps.push({ type: "folder", path: workdir });
    } else if (name === "ENV") env = { ...env, ...parseEnv(rest, env) };
    else if (name === "COPY") {
      const { sources, destination, mode } = parseCopy(instruction, file);
      const intoFolder = destination.endsWith("/") || destination === "." || sources.length > 1;
      steps.push({ type: "copy", sources, destination: place(destination), intoFolder, mode, line });
    } else if (name === "RUN" && !rest.startsWith("--")) steps.push({ type: "run", command: runCommand(rest), cwd: workdir, env, line });
    else
      throw new ConfigError(
        `${file}:${line}: ${name === "RUN" ? rest.replace(/^(--[^\s=]+).*$/s, "RUN $1") : name} makes the task Docker-only; run it with --sandbox docker.`,
      );
  }
  const hash = await hashEntries(folder, await listHostFolder(folder), "forge-recipe-1");
  return { digest: `sha256:${hash}`, folder, file, workdir, env, steps };
}

function dockerfileOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new ConfigError(`${file} does not exist; without it only a prebuilt image can be used, which needs --sandbox docker.`);
  }
}

function runCommand(rest: string): string {
  // The exec form is a JSON array of words.
  if (!rest.startsWith("[")) return rest;
  return (JSON.parse(rest) as string[]).map(quote).join(" ");
}
