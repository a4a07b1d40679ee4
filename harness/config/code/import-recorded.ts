import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CodeSource } from "../../contract/resolved-config.ts";
import { CannotError } from "../../errors.ts";
import { collectSources, sourcesHash, type SourceFiles } from "./collect-sources.ts";

/**
 * Imports a file as a trace recorded it: from where it was while it is unchanged, else, with `trust`, from its recorded text (code out of a trace: only
 * for traces one trusts). Throws `CannotError` where it has changed and is not trusted.
 * @param kind what it is, for messages
 * @param use imports the file at a path, whose sources are these
 */
export async function importRecorded<T>(
  source: CodeSource,
  o: { readonly trust: boolean; readonly kind: "middleware" | "tool" },
  use: (path: string, files: SourceFiles) => Promise<T>,
): Promise<T> {
  const there = await collectSources(source.path).catch((): SourceFiles => ({}));
  if (sourcesHash(there) === source.hash) return use(source.path, there);
  if (o.trust) return fromText(source, use);
  throw new CannotError(
    `The ${o.kind} ${source.path} (source hash ${source.hash.slice(0, 12)}) has changed or is gone; restore the file, or use --trust to run its recorded text.`,
  );
}

/** Files that the entry imports from folders above it need as many folders above its copy. */
async function fromText<T>({ path, files }: CodeSource, use: (path: string, files: SourceFiles) => Promise<T>): Promise<T> {
  const entry = Object.keys(files).find((file) => path.split(/[/\\]/).at(-1) === file);
  if (entry === undefined) throw new CannotError(`The text of ${path} was not recorded, and the file has changed or is gone.`);
  const above = Math.max(...Object.keys(files).map((file) => file.split("/").filter((part) => part === "..").length));
  const root = await mkdtemp(join(tmpdir(), "forge-code-"));
  try {
    const folder = join(root, ...Array.from({ length: above }, () => "up"));
    for (const [file, content] of Object.entries(files)) {
      const target = join(folder, file);
      if (!target.startsWith(root)) throw new CannotError(`The recorded file ${file} is outside its own folder.`);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
    }
    return await use(join(folder, entry), files);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
