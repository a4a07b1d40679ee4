import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import pc from "picocolors";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { replayParts } from "../../assembly/registry.ts";
import { bench } from "../../evals/bench/bench.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { CannotError } from "../../harness/errors.ts";
import { harnessHash } from "../../harness/config/harness-hash.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { forgeWord } from "../../reports/text/next-steps.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { judgeRun } from "../../traces/replay/corpus/judge-run.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { loadArm } from "../bench/load-arm.ts";
import { interruptible } from "../shared/interruptible.ts";
import type { CheckFlags } from "./options.ts";

interface Line {
  readonly what: string;
  readonly holds: boolean;
  readonly says: string;
}

/** A task that the simulated model plays without a fault. */
const suiteName = "demo";
const taskName = "greet";
const fewTurns = 2;

/** Carries out `forge agents check`; answers the exit code. */
export async function checkAgent(asked: string, flags: CheckFlags): Promise<number> {
  const lines: Line[] = [];
  const add = (what: string, holds: boolean, says: string): void => {
    lines.push({ what, holds, says });
    if (!flags.json) process.stdout.write(`${holds ? pc.green("✓") : pc.red("✗")} ${what}: ${oneLine(says)}\n`);
  };
  const arm = { model: "sim/perfect" };
  const config = existsSync(asked) ? await loadArm(arm, asked) : await loadArm({ ...arm, agent: asked }, "bare");
  const { agent } = config;
  if (!agent) throw new CannotError(`${asked} names no agent of its own: write agent: into it, or give a name of forge agents list.`);
  const sandbox = flags.sandbox === "docker" ? "docker" : "local";
  const ports = await createBenchPorts(process.env, { sandbox });
  const before = Date.now();
  const layers = Object.values((await ports.layers?.(config, sandbox)) ?? {});
  if (layers[0] !== undefined)
    add("installed", true, `${agent.package} ${agent.version}, ${((Date.now() - before) / 1000).toFixed(0)} s, in ${layers[0]}`);
  const out = flags.out ?? join("jobs", "agents", `${agent.name}-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}`);
  const { records, limited } = await tryTwice(config, { ports, sandbox: flags.sandbox, out });
  for (const record of [...(records ? [records] : []), ...(limited ? [limited] : [])]) {
    const isLimited = record === limited;
    const folder = join(out, record.trace);
    const { events } = await loadTrace(folder);
    const counts = ["model.request", "model.response", "tool.call", "tool.result", "model.attempt", "agent.spawn"]
      .map((t) => [events.filter((event) => event.t === t).length, t] as const)
      .filter(([count]) => count > 0)
      .map(([count, t]) => `${count} ${t}`);
    const ended = record.outcome?.type === "limit" ? `limit ${String(record.outcome["limit"])}` : (record.outcome?.type ?? "did not start");
    if (isLimited) {
      const after = events.findIndex(({ t }) => t === "limit.hit");
      const holds = ended === "limit turns" && record.turns === fewTurns && after >= 0;
      add(
        "limit",
        holds,
        `turns ${fewTurns}: ended by ${ended} after ${record.turns} turns, ${(record.wallMs / 1000).toFixed(1)} s${record.error === undefined ? "" : `; ${record.error}`}`,
      );
    } else {
      add(
        "trial",
        record.passed === true,
        `${record.class}, ${ended}, ${record.turns} turns, ${record.tokens.in}/${record.tokens.out} tokens, ${(record.wallMs / 1000).toFixed(1)} s${record.error === undefined ? "" : `; ${record.error}`}`,
      );
      const isWhole = counts.some((count) => count.endsWith("tool.result"));
      add("trace", isWhole, counts.join(", ") || "no request reached the gateway");
    }
    const answer = await judgeRun(folder, {}, replayParts({ trust: true }));
    add(isLimited ? "replay of the limited run" : "replay", answer.exitCode === 0, answer.text);
  }
  if (flags.json) process.stdout.write(`${JSON.stringify({ agent: agent.name, version: agent.version ?? null, out, checks: lines })}\n`);
  else
    process.stdout.write(
      `The trials are in ${out}: ${(await readdir(out)).length > 0 ? `${forgeWord()} traces show ${join(out, records?.trace ?? "")}` : "none"}\n`,
    );
  return lines.length > 2 && lines.every(({ holds }) => holds) ? 0 : 1;
}

async function tryTwice(
  config: ResolvedConfig,
  o: { readonly ports: Awaited<ReturnType<typeof createBenchPorts>>; readonly sandbox: CheckFlags["sandbox"]; readonly out: string },
): Promise<{ records: TrialRecord | undefined; limited: TrialRecord | undefined }> {
  const suite = await loadSuite(suiteName, { variables: process.env, plan: true, wants: (name) => name === taskName });
  const short = { ...config, limits: { ...config.limits, turns: fewTurns } };
  const limited = `${config.name}-limited`;
  const configurations = [config, { ...short, name: limited, hash: harnessHash(short) }];
  const records: TrialRecord[] = [];
  const request = {
    suite,
    configurations,
    agent: "configured" as const,
    repeats: 1,
    sandbox: o.sandbox,
    jobs: 1,
    out: o.out,
    cwd: process.cwd(),
    asked: { suite: suiteName },
  };
  await interruptible(({ stop, signal }) =>
    bench(request, o.ports, { stop, signal, onEvent: (event) => void (event.type === "trial.end" && records.push(event.record)) }),
  );
  const of = (name: string): TrialRecord | undefined => records.find(({ configuration }) => configuration === name);
  return { records: of(config.name), limited: of(limited) };
}
