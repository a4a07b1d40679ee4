import { describe, expect, it } from "vitest";
import { kinds } from "../../../analyzer/contract.ts";
import { propose } from "../../../analyzer/proposals/propose.ts";

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
});
