import type { Issue } from "./describe-issue.ts";

/**
 * For `- loop-detection: {fileSoft: 4}` in a middleware list, where the name was written as a key: what to write instead. Any other issue
 * stays as it is.
 * @param value the whole configuration
 */
export function misplacedOptions(issue: Issue, value: unknown): Issue {
  const [list, index, key] = issue.path;
  if (list !== "middleware" || typeof index !== "number" || key !== "name" || issue.path.length !== 3) return issue;
  const entry = at(at(value, list), index);
  const [name, ...others] = typeof entry === "object" && entry !== null ? Object.keys(entry) : [];
  if (name === undefined || name === "name" || name === "off" || others.length > 0) return issue;
  const options = at(entry, name);
  if (options !== null && typeof options !== "object") return issue;
  const keys = options === null ? [] : Object.keys(options);
  const instead = `{name: ${name}${keys.length > 0 ? ", …" : ""}}`;
  return {
    path: [list, index],
    clause: `the name of a middleware is not a key, and its options are beside it; write ${instead}`,
    onKey: false,
  };
}

function at(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null ? Object.entries(value).find(([each]) => each === String(key))?.[1] : undefined;
}
