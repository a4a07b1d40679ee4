import { describe, expect, it } from "vitest";
import { asTold, createPhaseBoard, phaseLook, phaseOn, writePhases } from "../../../../traces/replay/corpus/phase-board.ts";
import type { PhasePlace } from "../../../../traces/replay/timed-middleware.ts";

const place = (middleware: string): PhasePlace => ({ middleware, phase: "tool", lane: "main", turn: 1, call: "ü".repeat(3) });

/** Who is called stuck after `act`, where nothing happens any more. */
function stuckAfter(act: (write: ReturnType<typeof writePhases>) => void): string | undefined {
  const board = createPhaseBoard();
  act(writePhases(board));
  const look = phaseLook(board);
  const looks = Array.from({ length: 30 }, () => look());
  expect(looks.slice(0, 10)).not.toContain(true);
  return looks.includes(true) ? (phaseOn(board)?.middleware ?? "not known") : undefined;
}

describe("a thread that does not come out of a phase", () => {
  it("is stuck in the one that went in or on last and is not waiting for another's work", () => {
    const [a, b] = [place("a"), place("b")];
    expect(stuckAfter(({ onPhase }) => onPhase(a, true))).toBe("a");
    expect(stuckAfter(({ onPhase }) => (onPhase(a, true), onPhase(b, true)))).toBe("b");
    expect(stuckAfter(({ onPhase }) => (onPhase(a, true), onPhase(b, true), onPhase(a, false)))).toBe("b");
    expect(stuckAfter(({ onPhase }) => (onPhase(a, true), onPhase(b, true), onPhase(b, false)))).toBe("a");
  });

  it("is none where it is in no phase, as while it reads a trace, or began another run", () => {
    const one = place("a");
    expect(stuckAfter(({ onPhase }) => (onPhase(one, true), onPhase(one, false)))).toBeUndefined();
    expect(stuckAfter(({ onPhase, clear }) => (onPhase(one, true), clear()))).toBeUndefined();
    expect(stuckAfter(() => undefined)).toBeUndefined();
  });

  it.each(["x", "ü", "\u0000", "\ud800", "🙂"])(
    "is told whatever a model called its call, and however long that is: 5,000 of %j",
    (char) => {
      const board = createPhaseBoard();
      const [lane, call] = [`main/${char.repeat(5_000)}`, char.repeat(5_000)];
      const long: PhasePlace = { middleware: char.repeat(5_000), phase: "tool", lane, turn: 2 ** 31, call };
      writePhases(board).onPhase(long, true);
      expect(phaseOn(board)).toEqual({ ...long, middleware: asTold(call), lane: asTold(lane), call: asTold(call) });
    },
  );

  it("is stuck also where its place cannot be read", () => {
    expect(
      stuckAfter(({ onPhase }) => onPhase({ ...place("a"), turn: { toJSON: () => "x".repeat(5_000) } as never }, true)), // larger than the board
    ).toBe("not known");
  });

  it("has no place that is half the one before and half the next", () => {
    const board = createPhaseBoard();
    writePhases(board).onPhase(place("a"), true);
    Atomics.add(new Int32Array(board.counts), 1, 1); // as while it is written
    expect(phaseOn(board)).toBeUndefined();
  });

  it("is none as long as phases come and go, or its event loop goes round", () => {
    const board = createPhaseBoard();
    const { onPhase } = writePhases(board);
    const look = phaseLook(board);
    const looks = Array.from({ length: 40 }, (_, i) => {
      onPhase(place(`${i}`), true);
      return look();
    });
    const alive = Array.from({ length: 40 }, () => {
      Atomics.add(new Int32Array(board.counts), 0, 1);
      return look();
    });
    expect([...looks, ...alive]).not.toContain(true);
  });
});
