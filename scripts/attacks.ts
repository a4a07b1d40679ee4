// npm run attacks: every attack against a naive runner and against Forge. Exits 1 when one of them harms nobody or is not withstood.
// Names of attacks · --verify=snapshot · --json · --honest=10 instead: each task's solution so often, of which none may fail.
import { join } from "node:path";
import { honestOracles } from "./attacks/honest-oracles.ts";
import { runCampaign } from "./attacks/run-campaign.ts";
import { missing } from "./setup/missing.mjs";

const args = process.argv.slice(2);
const honest = args.find((arg) => arg.startsWith("--honest="));
const without = missing("docker");
if (without) {
  process.stderr.write(`The attacks need Docker: ${without.reason}. To provide it: ${without.cure}\n`);
  process.exitCode = 2;
} else if (honest) process.exitCode = await honestOracles(Number(honest.slice("--honest=".length)));
else process.exitCode = await runCampaign(args, { root: join(import.meta.dirname, "..") });
