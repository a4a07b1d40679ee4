import { join } from "node:path";
import { execa } from "execa";
import { z } from "zod";
import type { CellResult } from "./agreement.ts";
import type { EndState } from "./end-states.ts";
import { runRunner } from "./run-runner.ts";
import { trialName } from "./sweep-runners.ts";

/** What of Harbor's `result.json` is read. */
const resultSchema = z.looseObject({
  verifier_result: z.looseObject({ rewards: z.record(z.string(), z.number()).nullable() }).nullish(),
  exception_info: z.looseObject({ exception_type: z.string(), exception_message: z.string() }).nullish(),
});

/** What Harbor raises where its verifier ran and left no reward that can be read: no reward is its verdict then, not a fault of the machine. */
const withoutReward = new Set([
  "RewardFileNotFoundError",
  "RewardFileEmptyError",
  "VerifierOutputParseError",
  "VerifierTimeoutError",
  "AddTestsDirError",
  "ValidationError",
]);

/** Version of the `harbor` command, or undefined where there is none that works. */
export async function harborVersion(harbor: string): Promise<string | undefined> {
  const { failed, stdout } = await execa(harbor, ["--version"], { reject: false, env: quiet });
  return failed ? undefined : stdout.trim();
}

/** Harbor reports every command to its makers otherwise. */
const quiet = { HARBOR_TELEMETRY: "off" };

/** One cell by `harbor trial start`; its container and image go, the builder's cache stays. `work` is the folder of its trials; rebuilt. */
export async function runHarbor(
  harbor: string,
  folder: string,
  agent: EndState["agent"],
  work: string,
  signal: AbortSignal,
): Promise<CellResult> {
  const name = trialName(Math.random().toString(36).slice(2, 10));
  const flags = ["--path", folder, "--agent", agent, "--env", "docker", "--trials-dir", work, "--trial-name", name];
  const file = join(work, name, "result.json");
  const text = await runRunner({ words: [harbor, "trial", "start", ...flags], env: quiet, work, file, signal });
  if (typeof text !== "string") return text;
  const { verifier_result: verified, exception_info: raised } = resultSchema.parse(JSON.parse(text));
  const note = raised ? `${raised.exception_type}: ${raised.exception_message}` : undefined;
  if (verified?.rewards) return { type: "judged", rewards: verified.rewards, ...(note === undefined ? {} : { note }) };
  if (raised && withoutReward.has(raised.exception_type)) return { type: "judged", rewards: null, note: note ?? "" };
  return { type: "not-run", why: note ?? "it left neither a reward nor a reason" };
}
