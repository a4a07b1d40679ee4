import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { listForks } from "../../../cli/traces/list-runs.ts";
import { runFixture } from "../../../testing.ts";
import { writeRun } from "../../traces/write-run.ts";
import { said } from "../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-lone-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the tree of a fork whose parent is not there", () => {
  it("says that its root went on from another run, from which and at which turn", async () => {
    const { events } = await runFixture({ script: [{ text: "done" }] });
    const parent = { run: "jobs/far/away", start: "a".repeat(64), step: 3, answered: false };
    const forked = events.map((event) => (event.t === "run.start" ? { ...event, d: { ...event.d, meta: { parent } } } : event));
    writeRun(join(root, "fork"), forked);
    const { out, code } = await said(() => listForks([root], {}));
    expect(code).toBe(0);
    expect(out.replaceAll(/\n +/g, " ")).toContain("fork at turn 3 of jobs/far/away, which is not among these runs\n");
    writeRun(join(root, "plain"), events);
    expect((await said(() => listForks([join(root, "plain")], { all: true }))).out).not.toContain("fork");
  });
});
