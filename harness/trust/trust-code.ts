import { z } from "zod";
import type { ConfigRegistry, NamedServer } from "../config/config-registry.ts";
import type { ConfigOwner } from "../config/config-source.ts";
import { readCode } from "../config/code/import-code.ts";
import { loadUserMiddleware } from "../config/middleware/load-user-middleware.ts";
import { loadUserTool } from "../config/tools/load-user-tool.ts";
import type { CodeSource, ResolvedConfig } from "../contract/resolved-config.ts";
import { CannotError, ConfigError } from "../errors.ts";
import type { User } from "../contract/ports.ts";
import { printable } from "../text/printable.ts";
import type { TrustStore } from "./trust-store.ts";

/** Characters of a hash that a person is shown. */
const shown = 16;

type CodeKind = "middleware" | "tool";

export interface TrustOptions {
  readonly store: TrustStore;
  readonly user: User;
  readonly trust: boolean;
  /** Hears what code is trusted from now on, and its text where the user wants to see it. */
  readonly say: (text: string) => void;
}

/** What loads the files that a configuration names. */
export type Loaders = Pick<ConfigRegistry, "loadUserMiddleware" | "loadUserTool" | "trustServer">;

/**
 * Loads the files that a configuration names. What the user's own configuration names is loaded; what a repository's names only when exactly these
 * sources are trusted: recorded before, said by `trust` (the flag `--trust`), or by the user, who is asked and may read them first.
 * They throw `ConfigError` for code that nobody has trusted; none of it has run then.
 */
export function trustedLoaders(o: TrustOptions): Loaders {
  const trusted =
    <T extends { readonly source: CodeSource }>(kind: CodeKind, load: (specifier: string, folder: string) => Promise<T>) =>
    async (specifier: string, folder: string, owner: ConfigOwner): Promise<T> => {
      if (owner === "repository") await requireTrust(specifier, folder, kind, o);
      const loaded = await load(specifier, folder);
      // So that a replay knows it for the user's own. Where that cannot be written, the replay asks for --trust.
      if (owner === "user" && !(await o.store.has(loaded.source).catch(() => true)))
        await o.store.add(loaded.source).catch(() => undefined);
      return loaded;
    };
  return {
    loadUserMiddleware: trusted("middleware", loadUserMiddleware),
    loadUserTool: trusted("tool", loadUserTool),
    trustServer: async (server, owner) => (owner === "repository" ? requireServer(server, o) : undefined),
  };
}

/**
 * Throws `CannotError` where a recorded configuration names code that is not trusted here: a trace can come from anyone, and a file that fits its hash
 * may have come with it.
 */
export const requireTrusted = ({ middleware }: Pick<ResolvedConfig, "middleware">, store: TrustStore): Promise<void> =>
  requireKnown(
    "middleware",
    middleware.flatMap(({ source }) => source ?? []),
    store,
  );

/** As `requireTrusted`, of the tools of a recorded configuration, where they are to run again. */
export const requireTrustedTools = ({ toolFiles = [] }: Pick<ResolvedConfig, "toolFiles">, store: TrustStore): Promise<void> =>
  requireKnown(
    "tool",
    toolFiles.map(({ source }) => source),
    store,
  );

async function requireKnown(kind: CodeKind, sources: readonly CodeSource[], store: TrustStore): Promise<void> {
  for (const source of sources)
    if (!(await store.has(source)))
      throw new CannotError(
        `The trace runs the ${kind} ${source.path} (sha256 ${source.hash.slice(0, shown)}), and you have not run or trusted this code here; look at it, then use --trust.`,
      );
}

/**
 * Load for looking at: a file that is not trusted gets a stand-in that says so, takes any options and cannot be made, and is added to `untrusted`.
 * Nothing of it runs.
 */
export function lookingLoaders(store: TrustStore, untrusted: CodeSource[]): Loaders {
  const unknown = async (specifier: string, folder: string, owner: ConfigOwner): Promise<CodeSource | undefined> => {
    const source = await readCode(specifier, folder);
    if (owner !== "repository" || (await store.has(source))) return undefined;
    untrusted.push(source);
    return source;
  };
  return {
    async loadUserMiddleware(specifier, folder, owner) {
      const source = await unknown(specifier, folder, owner);
      if (!source) return loadUserMiddleware(specifier, folder);
      return { definition: { name: specifier, version: notTrusted, options: z.looseObject({}), create: notRun(source) }, source };
    },
    async loadUserTool(specifier, folder, owner) {
      const source = await unknown(specifier, folder, owner);
      if (!source) return loadUserTool(specifier, folder);
      return { definition: { name: specifier, description: notTrusted, parameters: z.looseObject({}), run: notRun(source) }, source };
    },
    trustServer: async () => undefined, // looking begins none
  };
}
export const notTrusted = "not trusted";

const notRun = (source: CodeSource) => (): never => {
  throw new ConfigError(`${source.path} is not trusted, and only its place is known.`);
};

async function requireTrust(specifier: string, folder: string, kind: CodeKind, { store, user, trust, say }: TrustOptions): Promise<void> {
  // Read again after each answer: a file that changed while the question stood is another one.
  for (let source = await readCode(specifier, folder); !(await store.has(source)); source = await readCode(specifier, folder)) {
    if (trust || (await isTrusted(source, kind, user, say))) await store.add(source);
    if (trust) say(`trusted from now on: ${printable(source.path)} (sha256 ${source.hash.slice(0, shown)})`);
  }
}

async function requireServer({ path, hash, server }: NamedServer, { store, user, trust, say }: TrustOptions): Promise<void> {
  if (await store.has({ path, hash })) return;
  const { name, folder: _, ...how } = server;
  const text = [
    "This repository's configuration names an MCP server that would be used with your rights, outside of the sandbox.",
    `  place: ${path}`,
    `  how:   ${JSON.stringify(how)}`,
    "  The question covers these words, not what the program does. Forge asks again when they change. Trust it?",
  ].join("\n");
  const asked = { kind: "question" as const, text, choices: ["no", "trust it"] };
  if (!trust && (await user.ask(asked, new AbortController().signal)) !== "trust it")
    throw new ConfigError(
      `${path}: this repository's configuration names the MCP server "${name}", which you have not trusted, so it was not started; look at it, then run with --trust, or switch it off with {off: true}`,
    );
  await store.add({ path, hash });
  if (trust) say(`trusted from now on: ${printable(path)} (sha256 ${hash.slice(0, shown)})`);
}

/** Asks; throws where the answer is no, or nobody is there. */
async function isTrusted(source: CodeSource, kind: CodeKind, user: User, say: TrustOptions["say"]): Promise<true> {
  const question = {
    kind: "question" as const,
    text: describeCode(source, kind),
    choices: ["no", "show the code", "trust it"],
  };
  for (;;) {
    const answer = await user.ask(question, new AbortController().signal);
    if (answer === "trust it") return true;
    if (answer !== "show the code")
      throw new ConfigError(
        `${source.path} (sha256 ${source.hash.slice(0, shown)}) is code that this repository's configuration names and you have not trusted, so it was not loaded; look at it, then run with --trust, or switch it off with {name: …, off: true}`,
      );
    for (const [file, text] of Object.entries(source.files)) say(`── ${printable(file)}\n${printable(text)}`);
  }
}

const whatItIs: Readonly<Record<CodeKind, string>> = {
  middleware: "middleware, which sees and may change every model and tool call",
  tool: "a tool, which runs on this machine, outside of the sandbox, when the model calls it",
};

function describeCode({ path, hash, files }: CodeSource, kind: CodeKind): string {
  const names = Object.keys(files);
  const packages = packagesOf(files);
  return [
    "This repository's configuration names code that would run with your rights.",
    `  file:   ${path}${names.length > 1 ? ` (and ${names.length - 1} it imports: ${names.slice(1, 6).join(", ")}${names.length > 6 ? ", …" : ""})` : ""}`,
    `  sha256: ${hash}`,
    `  what:   ${whatItIs[kind]}`,
    ...(packages.length > 0 ? [`  it imports ${packages.join(", ")}: the hash does not cover what these do`] : []),
    "Forge asks again when it changes. Trust it?",
  ].join("\n");
}

/** Packages by name; Forge's own are not worth a word. */
function packagesOf(files: CodeSource["files"]): string[] {
  const statement = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^."'\n][^"'\n]*)\1/g;
  const names = Object.values(files).flatMap((text) => [...text.matchAll(statement)].map((match) => match[2] ?? ""));
  return [...new Set(names)].filter((name) => !/^(forge-lab(\/testing)?|zod)$/.test(name));
}
