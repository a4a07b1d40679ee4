import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { performance } from "node:perf_hooks";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../../assembly/registry.ts";
import { findAgent } from "../../../evals/agents/find-adapter.ts";
import { startGateway } from "../../../evals/gateway/start-gateway.ts";
import { runTrial } from "../../../evals/trial/attempt/run-trial.ts";
import { createSuiteMemory, type TrialPlan } from "../../../evals/trial/trial-plan.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import type { ConfigFile } from "../../../harness/config/schema.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import { micros, systemClock } from "../../../harness/system-ports.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { observeRun } from "../../../traces/observed/observe-run.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import type { Measure, Measured } from "../measure.ts";
import { median } from "../median.ts";

const requests = 200;
const rounds = 9;
const taskName = "greet";
const whatStart = "start of an installed agent's second trial in Docker against that of Forge's own";

/** Other agents: what the gateway adds to a request, and how soon a trial begins whose agent is installed in a layer. */
export async function measureAgents(
  root: string,
  folder: string,
  say: (line: string) => void,
  withoutDocker: { reason: string; cure: string } | undefined,
): Promise<Measure[]> {
  const added = [await gatewayAdds(root, folder, say, false), await gatewayAdds(root, folder, say, true)];
  if (withoutDocker) return [...added, { what: whatStart, skipped: `${withoutDocker.reason}; provided by: ${withoutDocker.cure}` }];
  return [...added, await secondStart(root, folder, say)];
}

const resolve = (root: string, config: ConfigFile): Promise<ResolvedConfig> =>
  loadConfig([{ kind: "values", label: "bench", folder: root, config: { model: "sim/perfect", ...config } }], {
    ...configRegistry,
    agents: findAgent,
  });

/**
 * The same request to the same server, once directly and once through the gateway, in turns: a conversation that grows by two messages each time. The
 * gateway records as in a bench but does not wait for the disk, which it does before the last byte of a reply: the note has that wait.
 */
async function gatewayAdds(root: string, folder: string, say: (line: string) => void, stream: boolean): Promise<Measured> {
  say(`gateway: ${requests} pairs of requests, ${stream ? "streamed" : "whole"}`);
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
      response.end(stream ? streamed : whole);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const direct = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`; // it listens
  const gateway = await startGateway();
  const config = await resolve(root, { agent: { command: "true", wire: "openai-chat" } });
  const identity = { provider: "bench", name: "m", protocol: "native", priceTable: null } as const;
  const measured = async (sync: boolean, pairs: number): Promise<{ added: number; alone: number }> => {
    const trace = recordTrace(join(folder, `gateway-${stream ? "streamed" : "whole"}-${sync ? "sync" : "quick"}`), {
      clock: systemClock,
      micros,
      sync,
    });
    const run = observeRun({ config, task: "hello", model: identity, meta: {} }, { sink: trace });
    const upstream = {
      type: "pass",
      wire: "openai-chat",
      url: direct,
      headers: {},
      identity,
      price: { input: 1, output: 1, cached: 0 },
    } as const;
    const door = gateway.open(
      { model: "m", upstream, run, limits: {}, clock: systemClock, note: () => undefined, overrun: () => undefined },
      "t",
    );
    const through = `http://127.0.0.1:${gateway.port}/v1/chat/completions`;
    const messages: object[] = [{ role: "system", content: "You are a coding agent. ".repeat(200) }];
    const ask = async (url: string): Promise<number> => {
      const body = JSON.stringify({ model: "m", stream, messages });
      const before = performance.now();
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: "Bearer t", "content-type": "application/json" },
        body,
      });
      await response.text();
      return performance.now() - before;
    };
    const pairsOf: [direct: number, through: number][] = [];
    for (let i = 0; i < pairs; i++) {
      messages.push(
        { role: "user", content: `Step ${i}. ${"what it is about ".repeat(10)}` },
        { role: "assistant", content: `Said ${i}.` },
      );
      const first = i % 2 === 0;
      const one = await ask(first ? direct : through);
      const other = await ask(first ? through : direct);
      pairsOf.push(first ? [one, other] : [other, one]);
    }
    await door.close();
    trace.close();
    const warm = pairsOf.slice(20);
    return { added: median(warm.map(([a, b]) => b - a)), alone: median(warm.map(([a]) => a)) };
  };
  try {
    const { added, alone } = await measured(false, requests);
    const durable = await measured(true, requests / 2);
    return {
      what: `what the gateway adds to a request${stream ? " that is streamed" : ""}`,
      value: added,
      unit: "ms",
      limit: { at: "most", value: 3 },
      note: `median of ${requests} pairs; ${alone.toFixed(2)} ms without it; ${durable.added.toFixed(2)} ms added where each reply waits for the disk`,
    };
  } finally {
    await gateway.close();
    server.closeAllConnections();
    server.close();
  }
}

const words = "I look around, and then I write what was asked for. ".repeat(8);
const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
const whole = JSON.stringify({
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: words }, finish_reason: "stop" }],
  usage,
});
const streamed = [
  ...words.split(" ").map((word) => ({ choices: [{ index: 0, delta: { content: `${word} ` } }] })),
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { choices: [], usage },
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .concat("data: [DONE]\n\n")
  .join("");

/** Asks once, and does the work without the answer: what a start takes is Forge's, not an interpreter's. */
const trivialAgent = `cat > /dev/null
body='{"model": "'$FORGE_MODEL'", "messages": [{"role": "user", "content": "Write a shell script greet.sh, one"}]}'
at=\${FORGE_BASE_URL#http://}
exec 3<> "/dev/tcp/\${at%:*}/\${at#*:}"
printf 'POST /v1/chat/completions HTTP/1.1\\r\\nhost: gateway\\r\\nauthorization: Bearer %s\\r\\ncontent-length: %s\\r\\nconnection: close\\r\\n\\r\\n%s' "$FORGE_KEY" "\${#body}" "$body" >&3
cat <&3
echo 'printf "Hello, %s!\\n" "\${1:-world}"' > greet.sh
`;

/**
 * From the attempt's begin, its container included, to the agent's first request; of each, all trials but the first, in turns. What the trial before it made
 * ready is part of its bench, and so of this.
 */
async function secondStart(root: string, folder: string, say: (line: string) => void): Promise<Measured> {
  const suite = await loadSuite("demo", { plan: true, wants: (name) => name === taskName });
  const task = suite.tasks.find(({ name }) => name === taskName);
  if (!task) throw new Error(`The demo suite's task ${taskName} is gone: measure another one.`);
  const arms = await Promise.all([
    resolve(root, { tools: ["bash"] }),
    resolve(root, {
      agent: {
        install: `printf '%s' ${quote(trivialAgent)} > "$FORGE_LAYER/agent.sh"`,
        command: 'bash "$FORGE_LAYER/agent.sh"',
        wire: "openai-chat",
      },
    }),
  ]);
  let begun = 0;
  let asked: number | undefined;
  const made = await createBenchPorts({ XDG_CACHE_HOME: folder }, { sandbox: "docker" });
  const ports: typeof made = {
    ...made,
    run: (request) =>
      made.run({
        ...request,
        onEvent(event) {
          if (event.t === "model.request") asked ??= performance.now();
          request.onEvent?.(event);
        },
      }),
  };
  const prepared = await ports.provider("docker").prepare(task.environment);
  const { signal } = new AbortController();
  const memory = createSuiteMemory();
  const start = async (config: ResolvedConfig, name: string): Promise<number> => {
    const at = join(folder, name);
    await mkdir(at, { recursive: true });
    const plan: TrialPlan = {
      task,
      configuration: config.name,
      config,
      agent: "configured",
      model: await ports.identify(config, "configured"),
      repeat: 1,
      key: "0".repeat(64),
      seed: 1,
      mode: "hardened",
      sandbox: "docker",
    };
    asked = undefined;
    begun = performance.now();
    const { passed, error } = await runTrial(plan, {
      ports,
      prepared,
      memory,
      jobs: 1,
      signal,
      attempt: 1,
      job: "speed",
      folder: at,
      trace: basename(at),
    });
    if (passed !== true || asked === undefined)
      throw new Error(`The measured trial of ${name} did not pass: ${error ?? "its verifier failed it"}`);
    return asked - begun;
  };
  const times: number[][] = [[], []];
  let first = 0;
  for (let round = 0; round <= rounds; round++) {
    say(`agents: round ${round} of ${rounds}`);
    for (const arm of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const config = arms[arm];
      if (!config) continue;
      const ms = await start(config, `start-${arm}-${round}`);
      if (round > 0) times[arm]?.push(ms);
      else if (arm === 1) first = ms;
    }
  }
  await ports.provider("docker").tidy?.("speed");
  const [own, other] = times.map((each) => median(each)) as [number, number]; // two arms
  return {
    what: whatStart,
    value: other / own,
    unit: "×",
    limit: { at: "most", value: 1.3 },
    note: `${other.toFixed(0)} ms against ${own.toFixed(0)} ms to the first request, medians of ${rounds}; its first trial, which installs, ${first.toFixed(0)} ms`,
  };
}
