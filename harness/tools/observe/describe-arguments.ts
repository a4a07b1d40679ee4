import type { z } from "zod";
import { describeIssue, keyPath } from "../../config/read/describe-issue.ts";

/** What is wrong with the arguments of a call, in one clause that names the argument and what was expected. */
export function describeArguments(schema: z.ZodType, args: unknown): string {
  const issue = describeIssue(schema, args);
  if (!issue) return "its arguments do not fit";
  const path = keyPath(issue.path);
  return path === "" ? issue.clause : `argument "${path}": ${issue.clause}`;
}
