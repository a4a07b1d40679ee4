import pc from "picocolors";
import { registryFor } from "../../assembly/registry.ts";
import { findAgent } from "../../evals/agents/find-adapter.ts";
import type { AgentReplay } from "../../evals/reopen/replay-agent.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import type { ResolvedAgent, ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { ConfigError } from "../../harness/errors.ts";
import { nobody } from "../../harness/system-ports.ts";
import { plural } from "../../harness/text/figures.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import type { ToolsFlags } from "./options.ts";

type WithAgent = ResolvedConfig & { readonly agent: ResolvedAgent };

/** Lines of a diff that a person is shown, and characters of each. */
const mostLines = 20;
const mostChars = 200;

/** The configuration that `--config` and `--agent` name for a run of another agent, with the recorded model where they name none; undefined: the recorded one. */
export async function otherAgent({ config, agent, trust }: ToolsFlags, recorded: WithAgent): Promise<WithAgent | undefined> {
  if (config === undefined && agent === undefined) return undefined;
  if (config === undefined) {
    const { command: _, install: _install, ...kept } = recorded.agent;
    const named = await findAgent(agent ?? "").catch((error: unknown) => {
      throw error instanceof ConfigError ? new ConfigError(`--agent: ${error.message}`) : error;
    });
    return { ...recorded, agent: { ...kept, ...named } };
  }
  // the rest of a model's settings is for Forge's own loop
  const { name, baseUrl } = recorded.model;
  const sources = [
    { kind: "values" as const, label: "the recording", config: { model: { name, ...(baseUrl === undefined ? {} : { baseUrl }) } } },
    { kind: "config" as const, value: config, folder: process.cwd(), owner: "user" as const },
    ...(agent === undefined ? [] : [{ kind: "values" as const, label: "--agent", config: { agent } }]),
  ];
  const found = await loadConfig(sources, { ...registryFor({ user: nobody, trust: trust === true }), agents: findAgent });
  const { agent: other } = found;
  if (!other) throw new ConfigError(`${config} names no agent of its own, and this run is another agent's: write agent: into it.`);
  return { ...found, agent: other };
}

/** Whether all came out as recorded. */
export const isExact = ({ class: kind, work }: AgentReplay): boolean =>
  kind === "exact" && work?.sameWorkspace !== false && !(work?.score !== undefined && work.score !== work.recorded);

export function showAgentReplay(run: string, answer: AgentReplay, flags: Pick<ToolsFlags, "json">): void {
  const good = isExact(answer);
  const { class: kind, what, requests, asked, sameBytes, levelled, other, next, changed, work, notes, redacted } = answer;
  if (flags.json) {
    process.stdout.write(
      `${jsonLine({
        type: "run",
        run,
        verdict: good ? "exact" : "diverged",
        exitCode: good ? 0 : 1,
        class: kind,
        what,
        requests: { recorded: requests, asked, sameBytes },
        levelled,
        firstDifference: other ?? null,
        notAsked: next ?? null,
        changed,
        workspace: work?.sameWorkspace ?? null,
        verifier: work && work.score !== undefined ? { recorded: work.recorded ?? null, again: work.score } : null,
        redacted,
        notes,
      })}\n`,
    );
    return;
  }
  const parts = [
    kind === "exact" ? `${asked} of ${plural(requests, "request")} exact, ${sameBytes} byte for byte` : `${kind}: ${what}`,
    ...(kind === "exact" ? workWords(work) : []),
    ...(changed.length > 0 ? [`not as recorded: ${changed.join(", ")}`] : []),
    ...(redacted ? ["secrets were masked in recorded replies, which the agent was given so"] : []),
    ...notes,
  ];
  const lines = [
    `${good ? pc.green("✓") : pc.red("✗")} ${oneLine(run)}: ${printable(parts.join("; "))}`,
    ...levelled.map(
      ({ name, times, example }) =>
        `    levelled: ${name}, ${plural(times, "text")} (${oneLine(example.recorded)} → ${oneLine(example.now)})`,
    ),
    ...(other ? diffLines(other.diff).map((line) => `    ${printable(line)}`) : []),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function workWords(work: AgentReplay["work"]): string[] {
  if (!work) return [];
  const { score, recorded, sameWorkspace } = work;
  return [
    ...(sameWorkspace === undefined ? [] : [sameWorkspace ? "the same workspace" : "another workspace"]),
    ...(score === undefined
      ? ["no verdict to compare"]
      : [score === recorded ? "the same verdict" : `another verdict (${recorded ?? "none"} then, ${score ?? "none"} now)`]),
  ];
}

/** The beginning of a diff, its headers left out. */
function diffLines(diff: string): string[] {
  const lines = diff.trimEnd().split("\n");
  const begins = lines.findIndex((line) => line.startsWith("@@"));
  const body = lines.slice(Math.max(0, begins));
  const shown = body.slice(0, mostLines).map((line) => (line.length > mostChars ? `${line.slice(0, mostChars - 1)}…` : line));
  return body.length > mostLines ? [...shown, `… ${plural(body.length - mostLines, "more line")}; --json has them all`] : shown;
}
