import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asTold } from "../../../../traces/replay/corpus/phase-board.ts";
import { stuckError } from "../../../../traces/replay/corpus/stuck-error.ts";
import type { RunEvent } from "../../../../harness/events/schema.ts";
import { runFixture } from "../../../../testing.ts";
import type { PhasePlace } from "../../../../traces/replay/timed-middleware.ts";
import { writeRun } from "../../write-run.ts";

const root = mkdtempSync(join(tmpdir(), "forge-stuck-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const run = join(root, "run");
const long = "c".repeat(5_000);
let events: readonly RunEvent[] = [];
beforeAll(async () => {
  const ls = (id: string) => ({ id, name: "bash", args: { command: "ls" } });
  const calls = [{ calls: [ls("same"), ls(long)] }, { calls: [ls("same")] }, { text: "done" }];
  ({ events } = await runFixture({ script: calls }));
  writeRun(run, events);
});
const saidOf = async (place: Partial<PhasePlace>, folder = run): Promise<string> =>
  (await stuckError(folder, { middleware: "a", phase: "model", lane: "main", turn: 1, ...place })).message;
const seqs = (t: RunEvent["t"]): number[] => events.flatMap((event, seq) => (event.t === t ? [seq] : []));

describe("the place at which a middleware kept its thread", () => {
  it("is the request of its turn, the call with its id in that turn, or the reply before it finished", async () => {
    const [requests, calls, replies] = [seqs("model.request"), seqs("tool.call"), seqs("model.response")];
    expect([requests.length, calls.length, replies.length]).toEqual([3, 3, 3]);
    expect(await saidOf({ phase: "start", turn: 0 })).toContain(`in its start phase at ${run}:0: `);
    for (const turn of [1, 2, 3]) expect(await saidOf({ turn })).toContain(`in its model phase at ${run}:${requests[turn - 1]}: `);
    expect(await saidOf({ phase: "tool", call: "same" })).toContain(`in its tool phase at ${run}:${calls[0]}: `);
    expect(await saidOf({ phase: "tool", call: asTold(long) })).toContain(`${run}:${calls[1]}: `);
    expect(await saidOf({ phase: "tool", call: "same", turn: 2 })).toContain(`${run}:${calls[2]}: `);
    expect(await saidOf({ phase: "finish", turn: 3 })).toContain(`in its finish phase at ${run}:${replies[2]}: `);
  });

  it("is the run alone where the recording has nothing there, or is gone; who it was is said all the same", async () => {
    expect(await saidOf({ turn: 4 })).toContain(`The middleware "a" did not come back in its model phase at ${run}: it kept`);
    const gone = join(root, "gone");
    expect(await saidOf({}, gone)).toContain(`The middleware "a" did not come back in its model phase at ${gone}: it kept`);
    expect(await saidOf({ middleware: "", phase: "load" })).toContain(
      `A middleware of the configuration did not come back while it was loaded at ${run}: it kept`,
    );
    expect((await stuckError(run, undefined)).message).toContain(`A middleware did not come back at ${run}: it kept`);
  });
});
