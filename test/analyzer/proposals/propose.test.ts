import { describe, expect, it } from "vitest";
import { runLine } from "../../../analyzer/analysis/run-line.ts";
import { kinds } from "../../../analyzer/contract.ts";
import { baseConfigOf } from "../../../analyzer/proposals/base-config.ts";
import { propose } from "../../../analyzer/proposals/propose.ts";
import { presets } from "../../../middleware/presets/presets.ts";
import { makeRun } from "../make-run.ts";

describe("what is proposed for runs of other agents", () => {
  // No change of a harness helps against a fault of the task or the machine, and nothing is known where a failure has no class.
  const without = ["test-fault", "infrastructure", "wrong-algorithm", "unclear"];

  it.each(kinds.filter((kind) => !without.includes(kind)))("%s: words that name where they go, never a patch", (kind) => {
    const { change, base, title } = propose(kind, [], [], new Map());
    expect([change, base]).toEqual([null, null]);
    expect(title).toMatch(/^(In AGENTS\.md|A hook|A setting)/);
  });

  it.each(without)("%s: says that no change helps or is known", (kind) => {
    expect(propose(kind as (typeof kinds)[number], [], [], new Map()).title).toMatch(/no change of the harness/i);
  });

  it("names the file that the agent reads", async () => {
    const lines = [runLine(await makeRun({ turns: [{ text: "Done." }], imported: "claude-code", passed: false }), "", [])];
    const titles = kinds.map((kind) => propose(kind, [], lines, new Map()).title);
    expect(titles.filter((title) => title.startsWith("In CLAUDE.md: ")).length).toBeGreaterThan(3);
    expect(titles.filter((title) => title.includes("AGENTS.md"))).toEqual([]);
  });

  it("of a bench: words too, though its configuration was recorded, because no harness of ours made its requests", async () => {
    const proposed = async (throughGateway: boolean) => {
      const run = await makeRun({ turns: [{ text: '{"tool": "sed"}' }], throughGateway, tools: ["bash", "edit"], passed: false });
      const bases = new Map([[run.setup.hash, baseConfigOf(run.setup.config, presets)]]);
      return propose("malformed-call", [], [runLine(run, "", [])], bases).change;
    };
    expect(await proposed(true)).toBeNull();
    expect(await proposed(false)).not.toBeNull();
  });
});
