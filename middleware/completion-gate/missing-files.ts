import { basename } from "node:path/posix";
import type { Run } from "../../harness/contract/middleware.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";

/**
 * Which of the paths do not exist in the sandbox. A relative path may be meant from a folder further down, so a file that ends on it
 * anywhere in the working folder counts as there. Nothing is missing when the sandbox gave no answer: no fact, no refusal.
 */
export async function missingFiles(run: Run, paths: readonly string[]): Promise<Set<string>> {
  const asked = [...new Set(paths)];
  if (asked.length === 0) return new Set();
  const result = await run.exec(asked.map(probe).join("\n"), { timeoutMs: 10_000 });
  if (result.status !== "exited" || result.exitCode !== 0) return new Set();
  const gone = new Set(result.stdout.split("\n"));
  return new Set(asked.filter((_, i) => gone.has(`missing ${i}`)));
}

function probe(path: string, i: number): string {
  const absent = `echo 'missing ${i}'`;
  const there = `[ -e ${quote(path)} ]`;
  if (path.startsWith("/")) return `${there} || ${absent}`;
  const found = `find . -maxdepth 6 \\( -name .git -o -name node_modules \\) -prune -o -name ${quote(basename(path))} -print 2>/dev/null | grep -qF ${quote(`/${path.replace(/^(\.{1,2}\/)+/, "")}`)}`;
  return `${there} || { ${found}; } || ${absent}`;
}
