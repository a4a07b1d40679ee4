/**
 * Writes docs/results/2026-11-22-terminal-bench-core-reanalysis.md from the published outcomes in test/fixtures/outcomes:
 * `npx jiti scripts/reanalyse-terminal-bench.ts`. A test fails when it is stale.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { publishedRuns } from "./reanalysis/published-runs.ts";
import { reanalysisPage } from "./reanalysis/reanalysis-page.ts";

export const page = new URL("../docs/results/2026-11-22-terminal-bench-core-reanalysis.md", import.meta.url);

/** The page as it should stand. */
export async function reanalysis(): Promise<string> {
  const text = reanalysisPage(await publishedRuns("as failures"), await publishedRuns("without a score"));
  const options = (await resolveConfig(fileURLToPath(page))) ?? {};
  return format(text, { ...options, parser: "markdown" });
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) writeFileSync(page, await reanalysis());
