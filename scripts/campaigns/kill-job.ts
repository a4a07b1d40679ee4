/**
 * Kills a bench with SIGKILL at random moments and resumes it, again and again: every trial must count once, the table must be that of a run nobody
 * disturbed, and no container, network, volume or snapshot may be left. Build first (`npm run build`), then
 * `npx jiti scripts/campaigns/kill-job.ts [--kills 50] [--seed 1] [--sandbox docker]`. Prints one line a job, a JSON summary last; exit code 1 where
 * something did not hold.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { killCampaign } from "./kill-campaign.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    sandbox: { type: "string", default: "docker" },
  },
});
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = await mkdtemp(join(tmpdir(), "forge-kills-"));
try {
  const summary = await killCampaign({
    main: join(root, "dist", "cli", "main.js"),
    folder,
    kills: Number(values.kills),
    seed: Number(values.seed),
    sandbox: values.sandbox,
    say: (line) => void process.stdout.write(`${line}\n`),
  });
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  process.exitCode = summary.problems.length > 0 ? 1 : 0;
} finally {
  await rm(folder, { recursive: true, force: true });
}
