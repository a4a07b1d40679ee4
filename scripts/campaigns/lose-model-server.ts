/**
 * Takes the model's server away from a running bench and brings it back: for a moment, for longer than a call is tried, by refusals (429), by errors (500),
 * by answers that break off, and until the time of the tasks is over. The server is one of its own on this machine, and speaks the OpenAI wire format.
 * `npx jiti scripts/campaigns/lose-model-server.ts [--sandbox bubblewrap]`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startModelServer, type ModelServer } from "../../test/servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../test/servers/scripted-reply.ts";
import { campaign, type Scene, type Stage } from "./stage/campaign.ts";
import { jobFacts, listed } from "./stage/job-facts.ts";
import { leftInDocker, leftInFolder } from "./stage/left-overs.ts";
import { startBench, type EndedBench } from "./stage/start-bench.ts";
import { writeSuite } from "./stage/write-suite.ts";

/** Works on the task in two turns. */
function work({ body }: ReceivedRequest): ScriptedReply {
  const messages = body["messages"] as readonly { readonly role: string }[]; // the wire format's
  const acted = messages.some(({ role }) => role === "tool");
  return acted ? { text: "Written." } : { calls: [{ name: "bash", args: { command: "sleep 1; echo done > out.txt" } }] };
}

/** What the server does to some requests in mid-job. */
const ways: Readonly<Record<string, ScriptedReply>> = {
  "refuses 8 requests (429, retry after 1 s)": { status: 429, headers: { "retry-after": "1" }, body: { error: { message: "slow down" } } },
  "fails 8 requests (500)": { status: 500, body: { error: { message: "oops" } } },
  "breaks 8 answers off": { text: "This sentence will not be finished, whoever", breakAfterBytes: 60 },
};

/** What it does to one request until the time of its task is over, and then to no further one. */
const outages: Readonly<Record<string, ScriptedReply>> = {
  "does not answer until the task's time is over": { silence: "hang" },
  "begins an answer and says no more until the task's time is over": {
    text: "This sentence will not be finished, whoever",
    hangAfterBytes: 300,
  },
  "asks for a wait that is longer than the task's time (429, retry after 1 h)": {
    status: 429,
    headers: { "retry-after": "3600" },
    body: { error: { message: "slow down" } },
  },
};
const patientSeconds = 10;

await campaign(async function* (stage) {
  writeSuite(join(stage.folder, "tasks"), { one: "echo done > out.txt", two: "echo done > out.txt" });
  writeFileSync(join(stage.folder, "arm.yaml"), "extends: bare\nmodel: {name: local/scripted}\n");
  yield await absent(stage, "away for 6 s", 6_000);
  yield await absent(stage, "away until the job has ended", undefined);
  for (const [name, reply] of Object.entries(ways)) yield await misbehaving(stage, name, reply, { from: 5, to: 12 });
  writeSuite(join(stage.folder, "tasks"), { one: "echo done > out.txt", two: "echo done > out.txt" }, { agentSeconds: patientSeconds });
  for (const [name, reply] of Object.entries(outages)) yield await misbehaving(stage, name, reply, { from: 4, to: 4 });
});

/** `forMs` undefined: until the bench gives up. */
async function absent(stage: Stage, name: string, forMs: number | undefined): Promise<Scene> {
  let server = await startModelServer({ always: work });
  const port = Number(new URL(server.url).port);
  const address = server.url;
  const first = run(stage, name, address);
  await served(server, 3);
  await server.close();
  if (forMs !== undefined) await wait(forMs);
  else await first;
  server = await startModelServer({ always: work, port });
  const ended = await first;
  const again = ended.code === 0 ? undefined : await run(stage, name, address);
  await server.close();
  return sceneOf(stage, name, ended, again);
}

/** `from`, `to`: the requests that get this reply, counted from 1. */
async function misbehaving(
  stage: Stage,
  name: string,
  reply: ScriptedReply,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Scene> {
  let served = 0;
  const server = await startModelServer({
    always(request) {
      served += 1;
      return served >= from && served <= to ? reply : work(request);
    },
  });
  const ended = await run(stage, name, server.url);
  const again = ended.code === 0 ? undefined : await run(stage, name, server.url);
  await server.close();
  return sceneOf(stage, name, ended, again);
}

function run({ main, folder, temporary, sandbox }: Stage, name: string, address: string): Promise<EndedBench> {
  const words = ["tasks", "--config", "arm.yaml", "--base-url", address, "--yes", "--repeats", "2", "--jobs", "2", "--sandbox", sandbox];
  return startBench([...words, "--out", outOf(name)], { main, cwd: folder, env: { TMPDIR: temporary } }).ended;
}
function outOf(name: string): string {
  return name.replaceAll(/[^a-z0-9]+/g, "-");
}

async function served(server: ModelServer, requests: number): Promise<void> {
  for (let waited = 0; server.requests.length < requests && waited < 120_000; waited += 50) await wait(50);
}

async function sceneOf(stage: Stage, name: string, ended: EndedBench, again: EndedBench | undefined): Promise<Scene> {
  const facts = jobFacts(join(stage.folder, outOf(name)));
  const { result } = facts;
  const pauses = ended.events.filter(({ type }) => type === "provider.pause").length;
  const unscored = ended.result?.unscored ?? 0;
  const first = `exit ${ended.code}${unscored > 0 ? ` with ${unscored} of ${result.trials} trials without a score` : ""}`;
  return {
    done: `the model's server ${name}`,
    classes: listed(facts.classes),
    recovery: `${first}${pauses > 0 ? `, held back ${pauses} times` : ""}${again ? `; same command: exit ${again.code}` : ""}, ${result.recorded}/${result.trials} trials`,
    left: [...(stage.sandbox === "docker" ? await leftInDocker(result.job) : []), ...leftInFolder(stage.temporary)],
    problems: [
      ...facts.problems,
      ...(again && again.code !== 0 ? [`the same command ended with ${again.code}: ${again.stderr.slice(-200)}`] : []),
    ],
  };
}
