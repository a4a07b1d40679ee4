import type { Mode } from "../trial/trial-record.ts";
import { snapshotLane } from "../../harness/agent/call-tools.ts";
import type { Tools } from "../../harness/contract/ports.ts";
import { isServerTool } from "../../harness/extensions/mcp/mcp-server.ts";
import { createPolicy } from "../../harness/policy/policy.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import { createTools } from "../../harness/tools/registry.ts";
import { pickTools } from "../../harness/tools/tool-schemas.ts";
import type { Task } from "../../tasks/task.ts";
import type { OpenedTrial } from "./open-trial.ts";
import { redactorFor } from "../../harness/secrets/redactor-for-environment.ts";
import { nobody, systemClock } from "../../harness/system-ports.ts";

/** The tools of a trial in a sandbox of today, redacted as they were when it was recorded, or every key would look like a difference. */
export function trialTools(trial: OpenedTrial, sandbox: Sandbox): Tools {
  return createTools({
    // Servers of the task are not begun: their calls show as differing, with what was recorded of them.
    tools: pickTools(
      trial.tools.filter((name) => !isServerTool(name)),
      trial.agent === "configured" ? {} : { maxTimeoutMs: trial.deadlineMs },
    ),
    sandbox,
    policy: createPolicy({ mode: "bypass", confined: true }),
    user: nobody,
    clock: systemClock,
    redact: redactorFor(process.env, { trial: { modelAt: "", sandbox: trial.sandbox } }),
    snapshots: trial.events.some(({ t, lane }) => t === "fs.snapshot" && lane === snapshotLane),
  });
}

/** A recorded text as it would be in this sandbox. */
export const asHere =
  (trial: OpenedTrial, sandbox: Sandbox) =>
  (text: string): string =>
    trial.workdir === "" ? text : text.replaceAll(trial.workdir, sandbox.workdir);

/** How the trial was verified, which also says what its agent found in the sandbox. */
export const modeOf = ({ mode }: Pick<OpenedTrial, "mode">, { forge }: Pick<Task, "forge">): Mode =>
  mode ?? (forge ? "hardened" : "official");
