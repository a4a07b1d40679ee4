import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { diffRuns } from "../../../cli/traces/diff-runs.ts";
import { bundleRuns } from "../../../cli/traces/share/bundle-runs.ts";
import { dryReplay } from "../../../cli/replay/dry-replay.ts";
import { exportRuns } from "../../../cli/traces/share/export-runs.ts";
import { pinRuns } from "../../../cli/traces/keep/keep-traces.ts";
import { listForks, listRuns } from "../../../cli/traces/list-runs.ts";
import { replay } from "../../../cli/replay/replay-runs.ts";
import { reportError } from "../../../cli/shared/report-error.ts";
import { searchRuns } from "../../../cli/traces/search-runs.ts";
import { showRun } from "../../../cli/traces/show-run.ts";
import { tailRun } from "../../../cli/traces/tail-run.ts";
import { traceStats } from "../../../cli/traces/trace-stats.ts";
import { runFixture } from "../../../testing.ts";
import { writeRun } from "../../traces/write-run.ts";
import { said } from "../said.ts";

const root = mkdtempSync(join(tmpdir(), "forge-named-"));
const file = join(root, "a $& b.tgz");
const config = join(root, "other.yaml");
beforeAll(async () => {
  const script = [{ calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "a needle" }];
  for (const [name, said] of [["one", "x"], ["two", "y"]] as const) writeRun(join(root, "runs", name), (await runFixture({ script, exec: () => said })).events); // prettier-ignore
  await said(() => bundleRuns([join(root, "runs")], { out: file }));
  writeFileSync(config, "limits:\n  turns: 1\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
const one = `${file}#runs_one`;

describe("a run of a bundle", () => {
  it("is named by the bundle and its own name in all that is said of it, never by the folder it was unpacked to", async () => {
    const out = join(root, "out");
    const commands: Record<string, () => Promise<number>> = {
      list: () => listRuns([file], {}),
      tree: () => listForks([file], { all: true }),
      replay: () => replay([file], { all: true }),
      verify: () => replay([file], { verify: true, all: true }),
      "dry of one": () => dryReplay([one], { config }),
      search: () => searchRuns("needle", [file], {}),
      diff: () => diffRuns([file], {}),
      show: () => showRun(one, {}),
      tail: () => tailRun(one, {}),
    };
    for (const [name, act] of Object.entries(commands)) {
      const { out: text } = await said(act);
      expect(text, name).not.toMatch(/forge-opened-/);
      // The list has ids, and ends with how one is named.
      if (name === "list") expect(text).toMatch(/^Read one: forge traces show '.*\/a \$& b\.tgz#[0-9a-f]{4,}'$/m);
      else expect(text.replaceAll(/\n +/g, " "), name).toContain(one);
    }
    const machine = [
      () => listRuns([file], { json: true }),
      () => replay([file], { json: true }),
      () => dryReplay([file], { json: true, config }),
      () => searchRuns("needle", [file], { json: true }),
      () => exportRuns([file], { json: true, format: "atif", out }),
      () => showRun(one, { json: true }),
    ];
    for (const act of machine) {
      const { out: text, lines } = await said(act);
      expect(text).not.toMatch(/forge-opened-/);
      expect(lines.map(({ run, folder }) => run ?? folder)).toContain(one);
    }
    expect((await said(() => traceStats([file], { json: true }))).out).not.toMatch(/forge-opened-/);
    const pages = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
    for (const page of pages) expect(readFileSync(join(out, page), "utf8")).not.toMatch(/forge-opened-/);
    expect(pages).toHaveLength(2);
  });

  it("can be named so wherever a run's folder can, and one that is not there is refused with the way to see which are", async () => {
    expect((await said(() => replay([one], {}))).out).toMatch(/runs_one: exact\s+(\d+)\/\1\n$/);
    expect((await said(() => diffRuns([one, `${file}#runs_two`], {}))).code).toBe(1);
    for (const name of ["three", "../runs/runs_one", "/runs_one"])
      await expect(replay([`${file}#${name}`], {})).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining(`has no run ${name}`) as unknown }); // prettier-ignore
    await expect(pinRuns([one], {})).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining("a bundle stays as it is") as unknown }); // prettier-ignore
  });

  it("is named so in what ends a command too", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      const wrong = await showRun(one, { step: 99 }).catch((error: unknown) => error);
      reportError(wrong, false);
      expect(stderr.mock.calls.flat().join("")).toContain(`There is no turn 99 in ${one}`);
    } finally {
      stderr.mockRestore();
    }
  });

  it("does not stand in the way of a folder of such a name", async () => {
    const folder = `${file}#folder`;
    mkdirSync(folder);
    writeRun(join(folder, "run"), (await runFixture({ script: [{ text: "done" }] })).events);
    expect((await said(() => replay([folder], {}))).out).toMatch(/exact/);
  });
});
