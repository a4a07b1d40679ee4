import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CannotError, messageOf } from "../../errors.ts";
import type { AnyMiddleware, AnyMiddlewareDefinition } from "../../contract/middleware.ts";
import { collectSources, sourcesHash, type SourceFiles } from "./collect-sources.ts";
import { importDefinition } from "./load-user-middleware.ts";
import type { ResolvedConfig, ResolvedMiddleware } from "../../contract/resolved-config.ts";

/**
 * The middleware of a resolved configuration, outermost first: of one just loaded or of one that a trace recorded. A user's file is loaded
 * from where it was while it is unchanged, else, with `trust`, from its recorded text (code out of a trace: only for traces one trusts).
 * Throws `CannotError` when this Forge has not the recorded middleware, or has another version of it.
 */
export function createMiddleware(
  config: Pick<ResolvedConfig, "middleware">,
  known: Readonly<Record<string, AnyMiddlewareDefinition>>,
  o: { trust: boolean },
): Promise<AnyMiddleware[]> {
  return Promise.all(
    config.middleware.map(async (recorded) => {
      const definition = recorded.source
        ? await definitionOf(recorded.source, o.trust)
        : [`${recorded.name}@${recorded.version}`, recorded.name].flatMap((name) => (Object.hasOwn(known, name) ? [known[name]] : []))[0];
      const have = definition?.name === recorded.name ? definition.version : undefined;
      if (!definition || have !== recorded.version)
        throw new CannotError(
          `The configuration needs middleware "${recorded.name}" version ${recorded.version}, and this Forge has ${have === undefined ? "none of this name" : `version ${have}`}; use the Forge that recorded it.`,
        );
      return made(definition, recorded);
    }),
  );
}

/** As ours takes them: one that came later has its default. A user's own schema may have made them of something else, and they stay as they are. */
function optionsOf({ options: schema }: AnyMiddlewareDefinition, { name, options, source }: ResolvedMiddleware): unknown {
  if (source) return options;
  const { data, error } = schema.safeParse(options);
  const [issue] = error?.issues ?? [];
  if (!issue) return data;
  throw new CannotError(
    `The middleware "${name}" does not take the recorded options ${JSON.stringify(options).slice(0, 200)}: ${[...(issue.path.length > 0 ? [issue.path.join(".")] : []), issue.message].join(": ")}. Use the Forge that recorded it.`,
  );
}

/** What is recorded may be anything: a middleware that cannot begin with it is not there for this run. */
function made(definition: AnyMiddlewareDefinition, recorded: ResolvedMiddleware): AnyMiddleware {
  const options = optionsOf(definition, recorded);
  try {
    return definition.create(options);
  } catch (error) {
    throw new CannotError(
      `The middleware "${recorded.name}" does not take the options ${JSON.stringify(options).slice(0, 200)}: ${messageOf(error)}.`,
    );
  }
}

async function definitionOf(source: NonNullable<ResolvedMiddleware["source"]>, trust: boolean): Promise<AnyMiddlewareDefinition> {
  const there = await collectSources(source.path).catch((): SourceFiles => ({}));
  if (sourcesHash(there) === source.hash) return importDefinition(source.path, there);
  if (trust) return fromText(source);
  throw new CannotError(
    `The middleware ${source.path} (source hash ${source.hash.slice(0, 12)}) has changed or is gone; restore the file, or use --trust to run its recorded text.`,
  );
}

/** Files that the entry imports from folders above it need as many folders above its copy. */
async function fromText({ path, files }: NonNullable<ResolvedMiddleware["source"]>): Promise<AnyMiddlewareDefinition> {
  const entry = Object.keys(files).find((file) => path.split(/[/\\]/).at(-1) === file);
  if (entry === undefined) throw new CannotError(`The text of ${path} was not recorded, and the file has changed or is gone.`);
  const above = Math.max(...Object.keys(files).map((file) => file.split("/").filter((part) => part === "..").length));
  const root = await mkdtemp(join(tmpdir(), "forge-middleware-"));
  try {
    const folder = join(root, ...Array.from({ length: above }, () => "up"));
    for (const [file, content] of Object.entries(files)) {
      const target = join(folder, file);
      if (!target.startsWith(root)) throw new CannotError(`The recorded file ${file} lies outside its own folder.`);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
    }
    return await importDefinition(join(folder, entry), files);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
