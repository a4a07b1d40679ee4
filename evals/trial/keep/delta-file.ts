import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { z } from "zod";
import { DamagedError } from "../../../harness/errors.ts";
import { leavesTree } from "./diff-trees.ts";

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const mode = z.int().min(0).max(0o7777);

/** A path inside a tree, by its text: relative, nothing empty, no `.` or `..`. */
const inside = z
  .string()
  .refine(
    (path) => !path.includes("\0") && path.split("/").every((part) => part !== "" && part !== "." && part !== ".."),
    "leaves its folder",
  );

/** What an agent changed under one path, contents by digest. Paths are relative to `base`. */
const keptPathSchema = z.looseObject({
  /** The declared path and what the others are relative to, absolute in the container's terms. */
  path: z.string().startsWith("/"),
  base: z.string().startsWith("/"),
  removed: z.array(inside),
  folders: z.array(z.looseObject({ path: inside, mode })),
  files: z.array(z.looseObject({ path: inside, mode, digest })),
  links: z.array(z.looseObject({ path: inside, target: z.string() })),
  /** Not carried anywhere, each with its reason. */
  refused: z.array(z.string()),
});
export type KeptPath = z.infer<typeof keptPathSchema>;

/** `delta.json` of an attempt. The contents lie in the job's `blobs/`. */
const keptDeltaSchema = z.looseObject({ v: z.literal(1), paths: z.array(keptPathSchema) });
export type KeptDelta = z.infer<typeof keptDeltaSchema>;

/** Reads the `delta.json` of an attempt whose record says that it is there. @throws DamagedError */
export async function readKeptDelta(attempt: string): Promise<KeptDelta> {
  const at = join(attempt, "delta.json");
  const text = await readFile(at, "utf8").catch(() => {
    throw new DamagedError(`${at} is missing, although its trial's record names it; restore it from a copy of the job.`);
  });
  return parseKeptDelta(text, at);
}

/** Reads the text of a `delta.json`, whoever wrote it. @throws DamagedError for what is none, or would write outside its folders. */
export function parseKeptDelta(text: string, from: string): KeptDelta {
  let delta: KeptDelta;
  try {
    delta = keptDeltaSchema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? `${error.issues[0]?.path.join(".")}: ${error.issues[0]?.message}` : "it is not JSON";
    throw new DamagedError(`${from} is not a delta that can be used (${why}); restore it from a copy of the job.`);
  }
  for (const { base, links } of delta.paths)
    for (const { path, target } of links)
      if (posix.normalize(base) !== base || leavesTree(path, target, base))
        throw new DamagedError(
          `${from} has a link that leaves ${base}: ${JSON.stringify(path.slice(0, 200))}; restore it from a copy of the job.`,
        );
  return delta;
}
