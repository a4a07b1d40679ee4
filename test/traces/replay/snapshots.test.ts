import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { ScriptedReply } from "../../../harness/models/scripted/scripted-model.ts";
import { runAgent } from "../../../harness/agent/run-agent.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { createFixtureSandbox, createScriptedModel, runFixture } from "../../../testing.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { forkPorts } from "../../../traces/replay/fork/fork-ports.ts";
import { bench } from "../../harness/tools/call-tool.ts";
import { createHostSandbox } from "../../harness/tools/host-sandbox.ts";

const opened: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

const calls = (...commands: string[]): ScriptedReply => ({ calls: commands.map((command) => ({ name: "bash", args: { command } })) });
const script: ScriptedReply[] = [calls("echo a > a", "echo b > b; rm a"), calls("cat b"), calls("echo c > c"), { text: "Done." }];

async function recorded(snapshots: boolean) {
  const sandbox = await createHostSandbox();
  opened.push(sandbox);
  return runFixture({ script, tools: bench(sandbox, { snapshots }).tools });
}

describe("snapshots in a trace", () => {
  it("stand behind the result of each call that changed something, name it, and replay with it", async () => {
    const run = await recorded(true);
    const found = run.events.filter(({ t }) => t === "fs.snapshot");
    expect(found.map(({ lane, n, cause }) => ({ lane, n, cause }))).toEqual([
      { lane: "fs", n: 0, cause: ["main/1.1#1"] },
      { lane: "fs", n: 1, cause: ["main/1.2#1"] },
      { lane: "fs", n: 2, cause: ["main/3.1#1"] },
    ]);
    expect(found.map(({ d }) => [d["changed"], d["removed"]])).toEqual([
      [["a"], []],
      [["b"], ["a"]],
      [["c"], []],
    ]);
    expect(await run.replay()).toMatchObject({ exact: true });
  });

  it("touch no other lane: a run without them has the same events but these, and replays as well", async () => {
    const [one, other] = [await recorded(true), await recorded(false)];
    const rest = one.events.filter(({ lane }) => lane !== "fs").map(({ t, lane, n, cause }) => ({ t, lane, n, cause }));
    expect(other.events.map(({ t, lane, n, cause }) => ({ t, lane, n, cause }))).toEqual(rest);
    expect((await other.replay()).events).toBe((await one.replay()).events);
    expect(await other.replay()).toMatchObject({ exact: true });
  });

  it("come along where a run goes on live: those of before from the recording, each once", async () => {
    const run = await recorded(true);
    const folder = mkdtempSync(join(tmpdir(), "forge-snapshots-"));
    const clock = { now: () => 0, sleep: async () => undefined };
    const record = (name: string) => recordTrace(join(folder, name), { clock, micros: () => 0, sync: false });
    const first = record("first");
    for (const event of run.events) first.emit(event);
    first.seal(null);
    const trace = await loadTrace(first.folder);
    const sink = record("fork");
    const refuse = (): never => {
      throw new Error("nothing is asked before the fork is live");
    };
    const model = createScriptedModel(() => ({ text: "Live." }));
    const live = {
      model,
      tools: { schemas: [], readOnly: () => false, call: refuse },
      sandbox: createFixtureSandbox(),
      clock,
      random: { next: () => 0 },
      user: { ask: async () => undefined },
      sink,
    };
    const { ports, lost, close } = forkPorts(trace, { step: 3, answered: false }, live);
    const start = trace.events[0]?.d ?? {};
    const config = start["config"] as unknown as ResolvedConfig; // what a run records
    await Promise.race([runAgent(config, ports, { task: "Do it." }, { middleware: [], seed: 1 }), lost]);
    close();
    sink.seal(null);
    const snapshots = ({ events }: { readonly events: readonly RunEvent[] }) => events.filter(({ lane }) => lane === "fs");
    expect(snapshots(await loadTrace(sink.folder))).toEqual(snapshots(trace).slice(0, 2));
    rmSync(folder, { recursive: true });
  });
});
