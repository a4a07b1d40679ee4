import { readFile } from "node:fs/promises";
import { z } from "zod";
import { describeIssue, keyPath } from "../../harness/config/read/describe-issue.ts";
import { ConfigError, messageOf } from "../../harness/errors.ts";
import { issueDraftSchema } from "./issue-draft.ts";

const happened = ["found", "grown", "shrunk", "same", "gone", "back", "accepted", "rejected", "edited", "applied"] as const;

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
});
export type IssueEvent = z.infer<typeof eventSchema>;

/** An issue in a store, one JSON file. A person may change title, suggestion, patch and status. */
export const storedIssueSchema = issueDraftSchema.extend({
  v: z.literal(1),
  /** What a person calls it: given once, in the order in which issues were found. */
  number: z.int().min(1),
  history: z.array(eventSchema).min(1),
});
export type StoredIssue = z.infer<typeof storedIssueSchema>;

/** Reads an issue's file, which a person may have edited. @throws ConfigError with place, value and cure */
export async function readIssue(path: string): Promise<StoredIssue> {
  const text = await readFile(path, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${path}: it is no JSON (${messageOf(error)}); mend it, or remove it: the next forge analyze writes it again.`);
  }
  const wrong = describeIssue(storedIssueSchema, value);
  if (wrong)
    throw new ConfigError(
      `${path}${wrong.path.length === 0 ? "" : `: ${keyPath(wrong.path)}`}: ${wrong.clause}; mend it, or remove the file: the next forge analyze writes it again.`,
    );
  return storedIssueSchema.parse(value);
}
