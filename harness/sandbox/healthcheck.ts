import { plural } from "../text/figures.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { InfraError } from "../errors.ts";
import { timerMs } from "../timer-ms.ts";
import type { Sandbox } from "./sandbox.ts";

/**
 * A command run in an environment until it exits 0, as Docker does it: during the start period failures do not count; after it, `retries` failures
 * one after the other are the end.
 */
export interface Healthcheck {
  readonly command: string;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly startPeriodMs: number;
  readonly startIntervalMs: number;
  readonly retries: number;
}

/**
 * Runs a command until it exits 0. During the start period failures do not count; after it, `retries` failures one after the other are the end.
 * Source: Docker docs, "HEALTHCHECK"; Harbor's `run_healthcheck`, which counts the same way.
 * @throws InfraError: what the task was to start in did not come up, which no agent has had a hand in.
 */
export async function waitHealthy(
  sandbox: Sandbox,
  check: Healthcheck,
  o: { readonly signal?: AbortSignal; readonly user?: string; readonly what?: string } = {},
): Promise<void> {
  const graceEnds = Date.now() + check.startPeriodMs;
  const user = o.user === undefined ? {} : { user: o.user };
  const signal = o.signal ? { signal: o.signal } : {};
  for (let failures = 0; ;) {
    const inGrace = Date.now() < graceEnds;
    const ran = await sandbox.exec(check.command, { timeoutMs: Math.max(1, check.timeoutMs), maxBytes: 4096, ...user, ...signal });
    if (ran.status === "exited" && ran.exitCode === 0) return;
    if (!inGrace) failures += 1;
    if (failures >= Math.max(1, check.retries)) {
      const said = Buffer.concat([ran.stdout, ran.stderr]).toString().trim().slice(-300);
      const how = ran.status === "timeout" ? `took longer than ${check.timeoutMs} ms` : `ended with ${ran.exitCode ?? ran.status}`;
      throw new InfraError(
        `The health check of ${o.what ?? "the environment"} failed ${plural(failures, "time")}, at last it ${how}: ${check.command.slice(0, 200)}${said ? ` (${said})` : ""}.`,
      );
    }
    await sleep(timerMs(inGrace ? check.startIntervalMs : check.intervalMs), undefined, signal);
  }
}
