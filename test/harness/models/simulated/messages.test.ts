import { describe, expect, it } from "vitest";
import * as gate from "../../../../middleware/completion-gate/prompt.ts";
import { announcesNextStep } from "../../../../middleware/completion-gate/intention.ts";
import * as loop from "../../../../middleware/loop-detection/prompt.ts";
import { faultKinds, faults, type FaultKind } from "../../../../harness/models/simulated/faults/fault-kinds.ts";
import { listsWhatIsMissing, statesFact } from "../../../../harness/models/simulated/play/heeding.ts";
import { intention } from "../../../../harness/models/simulated/play/lines.ts";

/** Faults that something said can mend. */
const mendable = faults.filter((fault) => (faultKinds[fault] as FaultKind).fact);

describe("what our own middleware says to a simulated model", () => {
  it("is a fact when a gate refuses a finish with its findings", () => {
    for (const finding of [gate.requestedMissing("a.txt"), gate.nothingRun(["a.txt"]), gate.checkFailed("sh t.sh"), gate.intention])
      expect(mendable.filter((fault) => !statesFact(gate.refusal([finding]), fault))).toEqual([]);
  });
  it("is no fact when a checklist asks its questions", () => {
    expect(faults.filter((fault) => statesFact(gate.checklist(gate.questions), fault))).toEqual([]);
  });
  it("is a fact when a loop is named", () => {
    expect(statesFact(loop.warning(loop.failing(3)), "repeats-failing-call")).toBe(true);
    expect(statesFact(loop.refused(loop.identical(4)), "repeats-failing-call")).toBe(true);
    expect(statesFact(loop.nudge("a.txt", 5), "edits-one-file-again-and-again")).toBe(true);
  });
  it("is a list of what is missing when the onboarding has one", () => {
    expect(listsWhatIsMissing("Where you are:\nInstalled: git\nNot installed: pip, jq")).toBe(true);
    expect(listsWhatIsMissing("Where you are:\nInstalled: git")).toBe(false);
  });
  it("meets an ending that a gate can see", () => {
    expect(announcesNextStep(intention)).toBe(true);
  });
});
