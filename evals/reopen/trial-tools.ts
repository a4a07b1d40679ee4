import type { Mode } from "../trial/trial-record.ts";
import { snapshotLane } from "../../harness/agent/call-tools.ts";
import type { Tools } from "../../harness/contract/ports.ts";
import { isServerTool } from "../../harness/extensions/mcp/mcp-server.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { Task } from "../../tasks/task.ts";
import type { BenchPorts } from "../bench-ports.ts";
import type { OpenedTrial } from "./open-trial.ts";

/** The tools of a trial in a sandbox of now. Servers of the task are not started: their calls show as differing, with what was recorded of them. */
export const trialTools = (trial: OpenedTrial, sandbox: Sandbox, ports: BenchPorts): Promise<Tools> =>
  ports.tools({
    names: trial.tools.filter((name) => !isServerTool(name)),
    toolFiles: trial.toolFiles,
    sandbox,
    recordedIn: trial.sandbox,
    loop: trial.agent === "configured" ? trial.loop : 1,
    maxTimeoutMs: trial.agent === "configured" ? undefined : trial.deadlineMs,
    snapshots: trial.events.some(({ t, lane }) => t === "fs.snapshot" && lane === snapshotLane),
  });

/** A recorded text as it would be in this sandbox. */
export const asHere =
  (trial: OpenedTrial, sandbox: Sandbox) =>
  (text: string): string =>
    trial.workdir === "" ? text : text.replaceAll(trial.workdir, sandbox.workdir);

/** How the trial was verified, which also says what its agent found in the sandbox. */
export const modeOf = ({ mode }: Pick<OpenedTrial, "mode">, { forge }: Pick<Task, "forge">): Mode =>
  mode ?? (forge ? "hardened" : "official");
