import { parse } from "yaml";
import { describeIssue, keyPath } from "../../harness/config/read/describe-issue.ts";
import { configSchema } from "../../harness/config/schema.ts";
import { CannotError, ConfigError, messageOf } from "../../harness/errors.ts";
import { patchText } from "../issues/draft-issues.ts";
import type { StoredIssue } from "../issues/stored-issue.ts";

interface Deciding {
  readonly by: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Remembers why a change is not wanted: it is not proposed again. @throws ConfigError without a reason */
export function rejectIssue(issue: StoredIssue, { reason, by, at }: Deciding & { readonly reason: string }): StoredIssue {
  if (reason.trim() === "") throw new ConfigError("A rejection needs a reason, which is recorded: --reason TEXT.");
  return { ...issue, status: "rejected", history: [...issue.history, { what: "rejected", at, by, reason: reason.trim() }] };
}

/** Records that a test on tasks which the change never saw has shown it better; a second time changes nothing. */
export function completeIssue(issue: StoredIssue, { at, improvement }: { readonly at: number; readonly improvement: string }): StoredIssue {
  if (issue.status !== "accepted" || issue.history.some((event) => event.improvement === improvement)) return issue;
  return { ...issue, status: "completed", history: [...issue.history, { what: "completed", at, improvement }] };
}

/**
 * Puts another patch in an issue's place.
 * @param o.path for messages
 * @throws ConfigError with place, value and cure for what is no configuration
 */
export function editPatch(
  issue: StoredIssue,
  { text, path, by, at }: Deciding & { readonly text: string; readonly path: string },
): StoredIssue {
  if (issue.base === null)
    throw new CannotError(
      `${issue.id} is about runs whose configuration Forge does not know, so it can have no patch; follow its recommendation by hand.`,
    );
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new ConfigError(`${path}: it is not YAML (${messageOf(error).split("\n", 1)[0]?.replace(/:$/, "")}); correct it and edit again.`);
  }
  const wrong = describeIssue(configSchema, value);
  if (wrong)
    throw new ConfigError(
      `${path}${wrong.path.length === 0 ? "" : `: ${keyPath(wrong.path)}`}: ${wrong.clause}; correct it and edit again.`,
    );
  const { extends: _, ...change } = configSchema.parse(value);
  if (Object.keys(change).length === 0) throw new ConfigError(`${path}: it changes nothing; write at least one key, or reject the issue.`);
  const patch = patchText(issue.title, issue.suggestion, issue.base.name, change);
  return { ...issue, change, patch, radius: null, status: "open", history: [...issue.history, { what: "edited", at, by }] };
}
