import { describe, expect, it } from "vitest";
import { agreementOf, verdictOf, type Cell, type CellResult } from "../../../scripts/parity/agreement.ts";
import { parityTable } from "../../../scripts/parity/parity-table.ts";

const judged = (rewards: Record<string, number> | null): CellResult => ({ type: "judged", rewards });
const cell = (forge: CellResult, other?: CellResult, state = "oracle"): Cell => ({
  task: "t",
  state,
  forge,
  runner: "Harbor",
  ...(other && { other }),
});

describe("two runners agree on an end state", () => {
  it("when each reward has the same name and value", () => {
    expect(verdictOf(cell(judged({ reward: 1 }), judged({ reward: 1 })))).toBe("agree");
    expect(verdictOf(cell(judged({ a: 0.1, b: 1 }), judged({ b: 1, a: 0.1 })))).toBe("agree");
    expect(verdictOf(cell(judged({ reward: 1 }), judged({ reward: 0 })))).toBe("differ");
    expect(verdictOf(cell(judged({ a: 1 }), judged({ a: 1, b: 0 })))).toBe("differ");
  });

  it("when one has no reward and the other 0, but not when the other has something", () => {
    expect(verdictOf(cell(judged(null), judged(null)))).toBe("agree");
    expect(verdictOf(cell(judged(null), judged({ reward: 0 })))).toBe("agree");
    expect(verdictOf(cell(judged({ reward: 0.5 }), judged(null)))).toBe("differ");
  });

  it("not at all when one of them did not run it: that counts neither way", () => {
    const cells = [
      cell(judged({ reward: 1 }), judged({ reward: 1 })),
      cell({ type: "not-run", why: "the image does not build" }, judged({ reward: 1 }), "nop"),
      cell(judged({ reward: 1 }), undefined, "emptied"),
    ];
    expect(agreementOf(cells)).toEqual({ agree: 1, compared: 1, notCompared: 2, share: 1 });
    expect(agreementOf([])).toMatchObject({ share: null });
  });
});

describe("the table", () => {
  it("shows both rewards where they differ, with what each runner said of it, and the share", () => {
    const text = parityTable([
      cell(judged({ reward: 1 }), judged({ reward: 1 })),
      cell(judged({ reward: 1 }), { type: "judged", rewards: null, note: "RewardFileEmptyError:\nempty" }, "nop"),
    ]);
    expect(text).toContain("| t | 1 | **1 ≠ none** |");
    expect(text).toContain("- t, nop: Forge gives 1; Harbor has no reward (RewardFileEmptyError: empty)");
    expect(text).toContain("1 of 2 rewards agree (50.0 %), 1 tasks");
  });
});
