import { plural } from "../../harness/text/figures.ts";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { serve } from "@hono/node-server";
import { ConfigError } from "../../harness/errors.ts";
import { profileOf } from "../../harness/models/simulated/profiles.ts";
import type { ServedTask } from "../../harness/models/simulated/server/served-tasks.ts";
import { createSimApp } from "../../harness/models/simulated/server/sim-app.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { interruptible } from "../shared/interruptible.ts";
import { closed, listening } from "../shared/serving.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { faultsNamed } from "./corpus-from-options.ts";
import type { ServeFlags } from "./options.ts";

/** Carries out `forge sim serve`: serves until it is interrupted, which is its proper end; answers the exit code. */
export async function serveFromOptions(suiteName: string, flags: ServeFlags): Promise<number> {
  if (flags.profile !== undefined) profileOf(flags.profile);
  if (flags.profile !== undefined && flags.faults !== undefined)
    throw new ConfigError(
      "--faults and --profile exclude each other: a run commits one of the faults named, or those that its profile draws.",
    );
  const faults = flags.faults === undefined ? undefined : faultsNamed(flags.faults);
  const suite = await loadSuite(suiteName, { variables: process.env });
  const tasks = suite.tasks.flatMap(({ name, instruction, plan, metadata }): ServedTask[] => {
    const { family, difficulty } = metadata;
    return plan ? [{ name, instruction, plan, family, difficulty }] : [];
  });
  if (tasks.length === 0)
    throw new ConfigError(
      `suite "${suiteName}": no task has solution/plan.yaml, which the simulated model plays. Serve a suite whose tasks have one.`,
    );
  const app = createSimApp({
    tasks,
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
    ...(faults === undefined ? {} : { faults }),
    ...(flags.realtime === true ? { clock: systemClock } : {}),
  });
  return interruptible(async ({ stop }) => {
    const server = serve({ fetch: app.fetch, hostname: flags.host, port: flags.port }) as Server; // made without options of its own, it is node:http's
    await listening(server, flags.host, flags.port);
    const { port: bound } = server.address() as AddressInfo; // a listening TCP server has one
    const origin = `http://${flags.host.includes(":") ? `[${flags.host}]` : flags.host}:${bound}`;
    announce({ origin, tasks: tasks.length, suite: suiteName, json: flags.json === true });
    if (!stop.aborted) await once(stop, "abort");
    await closed(server);
    return 0;
  });
}

function announce(o: { origin: string; tasks: number; suite: string; json: boolean }): void {
  const openai = `${o.origin}/v1`;
  if (o.json) {
    process.stdout.write(`${JSON.stringify({ openai, anthropic: o.origin, tasks: o.tasks })}\n`);
    return;
  }
  process.stdout.write(
    `${plural(o.tasks, "task")} of ${o.suite}, model sim-<seed>\n  OpenAI's format:    ${openai}\n  Anthropic's format: ${o.origin}\nCtrl-C ends it.\n`,
  );
}
