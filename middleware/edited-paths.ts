import { normalize } from "node:path/posix";
import type { CallRecord } from "../harness/contract/middleware.ts";

/**
 * What a call edited, each path once and in one spelling; without what interpreters and test runners leave behind, which nobody edits.
 * Taken from the registry's answer, so it holds for edits through the shell too.
 */
export function editedPaths(record: Pick<CallRecord, "result">): string[] {
  const paths = (record.result?.effects.edited ?? []).map((path) => normalize(path));
  return [...new Set(paths)].filter((path) => !leftBehind.test(path));
}

const leftBehind =
  /(^|\/)(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.cache|node_modules|\.git|target|\.venv|\.coverage|\.forge)(\/|$)|\.(pyc|pyo|class|o|tmp|swp)$/;
