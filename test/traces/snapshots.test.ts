import { afterEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { ScriptedReply } from "../../harness/models/scripted/scripted-model.ts";
import { runFixture } from "../../testing.ts";
import { bench } from "../tools/call-tool.ts";
import { createHostSandbox } from "../tools/host-sandbox.ts";

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
});
