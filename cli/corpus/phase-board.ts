import type { PhasePlace } from "../../traces/replay/timed-middleware.ts";

const mostBytes = 4096;
/** Looks in a row, a second apart, in which a thread did nothing but be in one phase. Counted, not measured: a machine that slept has not looked. */
const mostLooks = 10;

/** What a thread that is asked about runs and the one that waits for it both see, though the first may never come back to its event loop. */
export interface PhaseBoard {
  readonly counts: SharedArrayBuffer;
  readonly text: SharedArrayBuffer;
}
const [beats, changes, length] = [0, 1, 2];

export const createPhaseBoard = (): PhaseBoard => ({ counts: new SharedArrayBuffer(3 * 4), text: new SharedArrayBuffer(mostBytes) });

/** For the thread that is asked: `onPhase` notes in which phase it is, and that it is alive as long as its event loop goes round. */
export function writePhases(board: PhaseBoard): { onPhase(place: PhasePlace, inside: boolean): void; clear(): void } {
  const counts = new Int32Array(board.counts);
  const open = new Set<PhasePlace>();
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(mostBytes);
  const write = (): void => {
    const last = [...open].at(-1);
    const { written } = last ? encoder.encodeInto(JSON.stringify(last), bytes) : { written: 0 };
    new Uint8Array(board.text).set(bytes.subarray(0, written));
    Atomics.store(counts, length, written);
    Atomics.add(counts, changes, 1);
  };
  setInterval(() => Atomics.add(counts, beats, 1), 500).unref();
  return {
    onPhase(place, inside) {
      if (inside) open.add(place);
      else open.delete(place);
      write();
    },
    clear() {
      open.clear(); // what a replay left where it waits
      write();
    },
  };
}

/** For the one that waits: calls `stuck` once, where the other thread has not come out of a phase's own code for too long. Answers how to stop looking. */
export function watchPhases(board: PhaseBoard, stuck: (place: PhasePlace) => void, everyMs = 1_000): () => void {
  const counts = new Int32Array(board.counts);
  let [before, same] = ["", 0];
  const timer = setInterval(() => {
    const now = `${Atomics.load(counts, beats)} ${Atomics.load(counts, changes)}`;
    const bytes = Atomics.load(counts, length);
    same = now === before && bytes > 0 ? same + 1 : 0;
    before = now;
    if (same < mostLooks) return;
    clearInterval(timer);
    stuck(JSON.parse(new TextDecoder().decode(new Uint8Array(board.text).slice(0, bytes))) as PhasePlace); // as written above
  }, everyMs);
  return () => clearInterval(timer);
}
