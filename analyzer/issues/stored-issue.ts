import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { describeIssue, keyPath } from "../../harness/config/read/describe-issue.ts";
import { codeOf, messageOf } from "../../harness/errors.ts";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import type { Json, JsonObject } from "../../harness/json.ts";
import { issueDraftSchema } from "./issue-draft.ts";

const happened = ["found", "grown", "shrunk", "same", "gone", "back", "accepted", "rejected", "edited", "applied", "completed"] as const;

const eventSchema = z.strictObject({
  what: z.enum(happened),
  /** Unix milliseconds. */
  at: z.number(),
  /** The analysis that saw it, or the person who did it. */
  analysis: z.string().optional(),
  by: z.string().optional(),
  /** Why it was rejected. */
  reason: z.string().optional(),
  failed: z.int().optional(),
  runs: z.int().optional(),
  /** Harness hash of the configuration before and after the patch, and the files that were written. */
  hashBefore: z.string().optional(),
  hashAfter: z.string().optional(),
  files: z.array(z.string()).optional(),
  /** The improvement whose test showed it. */
  improvement: z.string().optional(),
});
export type IssueEvent = z.infer<typeof eventSchema>;

/** An issue in a store, one JSON file. A person may change title, suggestion and status. */
export const storedIssueSchema = z.strictObject({
  ...issueDraftSchema.shape,
  v: z.literal(1),
  /** What a person calls it: given once, in the order in which issues were found. */
  number: z.int().min(1),
  history: z.array(eventSchema).min(1),
  /** Title and suggestion as the last analysis wrote them: what differs is a person's. */
  written: z.strictObject({ title: z.string(), suggestion: z.string() }).optional(),
});
export type StoredIssue = z.infer<typeof storedIssueSchema>;

/** Whether its change may be laid into a configuration and improved upon: a person accepted it, whether or not a test has shown it since. */
export const isAccepted = ({ status }: Pick<StoredIssue, "status">): boolean => status === "accepted" || status === "completed";

/** The jobs that an issue was last found in, by the paths under which they were given; of runs in no job their folders. */
export const jobsOf = ({ runs }: Pick<StoredIssue, "runs">): string[] =>
  [...new Set(runs.map((run) => (/^(.+?)[/#]trials\//.exec(run) ?? [])[1] ?? dirname(run)))].toSorted();

/** An issue's file that cannot be read as one, and what can be made out of it, so that nothing takes its place until it is repaired. */
export interface BrokenIssue {
  /** By its name. */
  readonly id: string;
  readonly number: number | undefined;
  /** Empty where they cannot be made out. */
  readonly keys: readonly string[];
  readonly file: string;
  /** A sentence with place, value and cure. */
  readonly why: string;
}

const cure = "correct it, or remove the file: the next forge analyze writes it again.";

/** Reads an issue's file, which a person may have edited. */
export async function readIssue(path: string): Promise<StoredIssue | BrokenIssue> {
  const broken = (why: string, value: unknown, text: string): BrokenIssue => ({
    id: basename(path, ".json"),
    file: path,
    why: `${path}${why}`,
    ...remainsOf(value, text),
  });
  let text = "";
  let value: unknown;
  try {
    text = await readFile(path, "utf8");
    value = JSON.parse(text);
  } catch (error) {
    const notJson = error instanceof SyntaxError;
    if (!notJson && codeOf(error) === undefined) throw error;
    return broken(`: it ${notJson ? "is no JSON" : "cannot be read"} (${messageOf(error)}); ${cure}`, undefined, text);
  }
  const wrong = describeIssue(storedIssueSchema, value);
  if (wrong) return broken(`${wrong.path.length === 0 ? "" : `: ${keyPath(wrong.path)}`}: ${wrong.clause}; ${cure}`, value, text);
  const issue = storedIssueSchema.parse(value);
  if (issue.id !== basename(path, ".json"))
    return broken(`: id: expected "${basename(path, ".json")}", the name of the file, got "${issue.id}"; put it back.`, value, text);
  if (!patchFits(issue))
    return broken(
      `: patch: expected the keys of "change" in YAML; put both back, then edit the patch by forge issues edit ${issue.id} --patch FILE.`,
      value,
      text,
    );
  return issue;
}

export const isBroken = (issue: StoredIssue | BrokenIssue): issue is BrokenIssue => "why" in issue;

function remainsOf(value: unknown, text: string): Pick<BrokenIssue, "number" | "keys"> {
  const looked = z.looseObject({ number: z.int().min(1).catch(0), keys: z.array(z.string()).catch([]) }).safeParse(value).data;
  const number = looked?.number ?? Number(/^ {2}"number": (\d{1,6}),?$/m.exec(text)?.[1] ?? 0);
  return { number: number === 0 ? undefined : number, keys: looked?.keys ?? [] };
}

/** The patch's text is what is shown, its change what is written: a person who changes one of them alone would accept something else. */
function patchFits({ patch, change }: StoredIssue): boolean {
  if (patch === null || change === null) return patch === null && change === null;
  try {
    const { extends: _, ...keys } = parse(patch) as Record<string, Json>; // what else it is differs from a change
    return canonicalJson(keys) === canonicalJson(change as JsonObject); // read from JSON
  } catch {
    return false; // no YAML, or no map
  }
}
