import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { parseEnv } from "node:util";
import { glob } from "tinyglobby";
import type { Tools } from "../contract/ports.ts";
import { lookingLikeSecrets } from "./redact-text.ts";
import { urlCredentials } from "./url-credentials.ts";
import { envFilesNamed } from "./env-files-in-call.ts";
import { redactorFor } from "./redactor-for-environment.ts";

/** Folders below the run's own that are looked into, and bytes of a file. */
const bounds = { depth: 5, files: 200, bytes: 256 * 1024, ms: 2_000 };
const secretName = /KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|PRIVATE|AUTH|DSN/i;
/** Files that show how the real one is to be written. */
const onlyShows = /\.(example|sample|template|dist|defaults?)$/i;

export interface EnvFileSecrets {
  /** As `redactorFor`, and takes the values out that `.env` files hold. */
  readonly redact: (text: string) => string;
  /** False where the folder is too large to be looked through: then only files at its top, and those that calls name, are known. */
  readonly complete: boolean;
  /** The same tools; a `.env` file that a call names, wherever it lies, is known before the call is carried out. */
  guarded(tools: Tools): Tools;
}

/**
 * What `.env` files of the user hold must stand in no record, although an agent may read them. Those below the folder are read when the run begins, others
 * when a call names them. Not those that the agent writes itself: what it makes up is no secret, and it has to be able to read it again.
 */
export async function envFileSecrets(folder: string, env: NodeJS.ProcessEnv): Promise<EnvFileSecrets> {
  const begun = Date.now();
  const seen = new Set<string>();
  const values = new Set<string>();
  let redact = redactorFor(env);
  const learn = (paths: readonly string[]): void => {
    const before = values.size;
    for (const path of paths) {
      if (seen.has(path)) continue;
      seen.add(path);
      for (const value of secretsIn(path, begun)) values.add(value);
    }
    if (values.size > before) redact = redactorFor(env, { known: [...values] });
  };
  const { found, complete } = await filesBelow(folder);
  learn(found);
  return {
    redact: (text) => redact(text),
    complete,
    guarded: (tools) => ({
      schemas: tools.schemas,
      readOnly: (name) => tools.readOnly(name),
      call(call, context) {
        learn(envFilesNamed(call.args, folder));
        return tools.call(call, context);
      },
    }),
  };
}

async function filesBelow(folder: string): Promise<{ readonly found: string[]; readonly complete: boolean }> {
  const ignore = ["node_modules", ".git", ".forge", ".venv", "venv", "__pycache__", "target", ".cache"].map((name) => `**/${name}/**`);
  const look = { cwd: folder, dot: true, ignore, absolute: true, followSymbolicLinks: false };
  const names = ["**/.env", "**/.env.*", "**/*.env", "**/.envrc", "**/.envrc.*", "**/.flaskenv"];
  try {
    const found = await glob(names, { ...look, deep: bounds.depth, signal: AbortSignal.timeout(bounds.ms) });
    return { found: found.slice(0, bounds.files), complete: found.length <= bounds.files };
  } catch {
    return { found: await glob(names, { ...look, deep: 1 }).catch(() => []), complete: false };
  }
}

function secretsIn(path: string, before: number): string[] {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > bounds.bytes || stat.mtimeMs > before || onlyShows.test(basename(path))) return [];
    return Object.entries(parseEnv(readFileSync(path, "utf8"))).flatMap(([name, value = ""]) => {
      if (!secretName.test(name))
        return [...urlCredentials(value).map(({ from, to }) => value.slice(from, to)), ...lookingLikeSecrets(value)];
      return [value, ...value.split("\n").filter((line) => line.length >= 16)].filter((text) => !isOrdinary(text));
    });
  } catch {
    return []; // what cannot be read here is nothing that could be taken out
  }
}

/** A word such as `postgres`, a number, or a path would blacken half of what is said. */
const isOrdinary = (value: string): boolean =>
  /^[a-z]{1,15}$/i.test(value) || /^[\d.:-]{1,15}$/.test(value) || /^\.{0,2}\/[\w./-]*$/.test(value);
