import { posix } from "node:path";
import type { Clock } from "../../harness/contract/ports.ts";
import type { AgentWireName, ResolvedAgent, ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { LimitName, RunResult } from "../../harness/contract/run-result.ts";
import { ConfigError, InfraError } from "../../harness/errors.ts";
import type { EventSink } from "../../harness/contract/ports.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { ExecResult, Sandbox } from "../../harness/sandbox/sandbox.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import type { ObservedRun } from "../../traces/observed/observe-run.ts";
import type { Gateway } from "../gateway/start-gateway.ts";
import type { Upstream } from "../gateway/upstream.ts";
import type { AgentAdapter, AgentStart, StartOptions } from "./agent-adapter.ts";
import type { Crash } from "../bench-ports.ts";
import { outcomeOfAgent } from "./outcome-of-agent.ts";

export interface AgentProcess {
  readonly config: ResolvedConfig & { readonly agent: ResolvedAgent };
  readonly adapter: AgentAdapter | undefined;
  /** The instruction. */
  readonly task: string;
  readonly sandbox: Sandbox;
  /** Where what was installed is, as the sandbox sees it; empty where nothing was. */
  readonly layer: string;
  readonly gateway: Gateway;
  /** By which the gateway knows the run; the agent holds it as its key. */
  readonly token: string;
  readonly upstream: Upstream;
  /** What the agent calls its model. */
  readonly model: string;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Begins the recording; its events go to the sink that `watch` makes of the trace's. */
  observe(watch: (sink: EventSink) => EventSink): ObservedRun;
  note(text: string, more?: JsonObject): void;
}

/** The note in the trace that has its exit code and the end of its output. */
export const howItEnded = "How the agent's process ended.";
/** Of standard output and error, each: an agent that floods them is not slowed, and the middle is not kept. */
const mostOutput = 256 * 1024;
const lastWords = 600;
/** The same in each container, which is fresh: where it is shown, two runs show the same. */
const homeInside = "/var/tmp/forge-agent";
/** Of an agent that runs in this sandbox. */
export const agentHome = ({ kind, workdir }: Pick<Sandbox, "kind" | "workdir">): string =>
  kind === "docker" ? homeInside : posix.join(posix.dirname(workdir), "forge-agent-home");

/** Runs another agent on a task, every request of it through the gateway. How it ended is in the answer. @throws InfraError, ConfigError for what was not its run */
export async function runAgentProcess(o: AgentProcess): Promise<{ readonly result: RunResult; readonly crash?: Crash }> {
  const { sandbox, gateway, clock, signal } = o;
  const seen = watchRun();
  const over = new AbortController();
  const run = o.observe(seen.watch);
  const door = gateway.open(
    {
      model: o.model,
      upstream: o.upstream,
      run,
      limits: o.config.limits,
      clock,
      ...(o.adapter?.laneOf ? { laneOf: (headers) => o.adapter?.laneOf?.(headers) } : {}),
      note(text, more) {
        seen.refused(text);
        o.note(text, more);
      },
      overrun: () => over.abort(new Error("The agent continued after its limit was reported.")),
    },
    o.token,
  );
  const home = agentHome(sandbox);
  let port: { readonly port: number; close(): Promise<void> } | undefined;
  let ended: ExecResult | undefined;
  let thrown: unknown;
  try {
    port = sandbox.openPort ? await sandbox.openPort({ port: gateway.port }) : { port: gateway.port, close: async () => undefined };
    const url = `http://127.0.0.1:${port.port}`;
    ended = await carryOut(o, { url, token: o.token, home, signal: AbortSignal.any([signal, over.signal]) });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (!over.signal.aborted) thrown = error;
  } finally {
    await door.close(); // before the run's end is recorded: a cut request comes first
    await port?.close();
  }
  const stdout = textOf(ended?.stdout);
  const stderr = textOf(ended?.stderr);
  if (ended)
    o.note(howItEnded, {
      exitCode: ended.exitCode,
      stdout: stdout.slice(-4_000),
      stderr: stderr.slice(-4_000),
      ...(ended.dropped > 0 ? { dropped: ended.dropped } : {}),
    });
  const { outcome, cancel, crash } = outcomeOfAgent({
    name: o.adapter?.name ?? o.config.name,
    ...(ended
      ? { process: { status: ended.status, exitCode: ended.exitCode, said: (stderr.trim() || stdout.trim()).slice(-lastWords) } }
      : {}),
    ...(thrown === undefined ? {} : { thrown }),
    signal,
    ...seen.state(),
    error: o.adapter?.errorIn?.(stdout),
  });
  const result = run.end(outcome, cancel);
  await run.flush();
  return { result, ...(crash ? { crash } : {}) };
}

interface Inside {
  readonly url: string;
  readonly token: string;
  readonly home: string;
  readonly signal: AbortSignal;
}

async function carryOut(o: AgentProcess, { url, token, home, signal }: Inside): Promise<ExecResult> {
  const { sandbox, adapter, layer, model, deadlineMs } = o;
  const { agent } = o.config;
  const options = { url, token, model, home, layer };
  const start = adapter ? adapter.start(options) : startCommand(agent.command ?? "false", agent.wire, options);
  const made = await sandbox.exec(`rm -rf ${quote(home)} && mkdir -p ${quote(home)}`, { cwd: "/", signal });
  if (made.exitCode !== 0) throw new InfraError(`The agent's home ${home} could not be made: ${textOf(made.stderr).trim()}.`);
  const env = { HOME: home, ...start.env, ...agent.env };
  for (const [path, text] of Object.entries(start.files ?? {})) await sandbox.writeFile(posix.join(home, path), Buffer.from(text));
  for (const [path, text] of Object.entries(agent.files))
    await sandbox.writeFile(path.startsWith("~/") ? posix.join(home, path.slice(2)) : posix.join(sandbox.workdir, path), Buffer.from(text));
  const command = [start.command, ...agent.args.map(quote)].join(" ");
  return sandbox.exec(command, { env, signal, stdin: Buffer.from(o.task), timeoutMs: deadlineMs + 60_000, maxBytes: mostOutput });
}

/** A program of the user's own: the variables that clients of its wire read, and the instruction on standard input. */
function startCommand(command: string, wire: AgentWireName, { url, token, model, layer }: StartOptions): AgentStart {
  const of =
    wire === "anthropic-messages"
      ? { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: token }
      : { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: token };
  const own = { FORGE_BASE_URL: url, FORGE_KEY: token, FORGE_MODEL: model, ...(layer === "" ? {} : { FORGE_LAYER: layer }) };
  return { command, env: { ...of, ...own } };
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("utf8");

/** What the end of a run is decided by, gathered from its events as they pass. */
function watchRun() {
  let limit: LimitName | undefined;
  let requests = 0;
  let calls = 0;
  let refused: string | undefined;
  let failure: { kind: string; message: string } | undefined;
  return {
    state: () => ({ limit, requests, calls, refused, failure }),
    /** Hears each note of a request that was refused. */
    refused: (text: string) => void (refused ??= text.replace(/^.*?: /, "")),
    watch: (sink: EventSink): EventSink => ({
      ...sink,
      emit(event) {
        const { t, lane, d } = event;
        if (t === "limit.hit")
          limit = d["limit"] as LimitName; // of `ObservedRun.limit`
        else if (t === "model.request") requests++;
        else if (t === "tool.call") calls++;
        else if (t === "model.attempt" && lane === "main" && d["kind"] !== "cut")
          failure = { kind: String(d["kind"]), message: String(d["message"]) };
        else if (t === "model.response" && lane === "main") failure = undefined;
        sink.emit(event);
      },
    }),
  };
}
