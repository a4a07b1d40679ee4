import type { PhasePlace } from "../timed-middleware.ts";

const mostBytes = 4096;
/** Of each text. All three fit into the bytes even where every character is written as an escape of six. */
const mostChars = 200;
/** Looks in a row, a second apart, in which a thread did nothing but be in one phase. Counted, not measured: a machine that slept has not looked. */
const mostLooks = 10;

/** What a thread that is asked about runs and the one that waits for it both see, though the first may never come back to its event loop. */
export interface PhaseBoard {
  readonly counts: SharedArrayBuffer;
  readonly text: SharedArrayBuffer;
}
const [beats, changes, length] = [0, 1, 2];

export const createPhaseBoard = (): PhaseBoard => ({ counts: new SharedArrayBuffer(3 * 4), text: new SharedArrayBuffer(mostBytes) });

/** A name, lane or id as it stands on the board: of what a model or a trace says, so much. */
export const asTold = (text: string): string => text.slice(0, mostChars);

/** The phase that a thread is in, or ended in; undefined where it is in none, or is just noting another one. */
export function phaseOn(board: PhaseBoard): PhasePlace | undefined {
  const counts = new Int32Array(board.counts);
  const at = Atomics.load(counts, changes);
  const text = new TextDecoder().decode(new Uint8Array(board.text).slice(0, Atomics.load(counts, length)));
  if (text === "" || at % 2 !== 0 || Atomics.load(counts, changes) !== at) return undefined;
  try {
    return JSON.parse(text) as PhasePlace; // as written below
  } catch {
    return undefined;
  }
}

/** For the thread that is asked: `onPhase` notes in which phase it is, and that it is alive as long as its event loop goes round. */
export function writePhases(board: PhaseBoard): { onPhase(place: PhasePlace, inside: boolean): void; clear(): void } {
  const counts = new Int32Array(board.counts);
  const open = new Set<PhasePlace>();
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(mostBytes);
  const write = (): void => {
    const last = [...open].at(-1);
    const { written } = last ? encoder.encodeInto(JSON.stringify(shortened(last)), bytes) : { written: 0 };
    Atomics.add(counts, changes, 1); // odd while it is written
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

const shortened = ({ middleware, lane, call, ...place }: PhasePlace): PhasePlace => ({
  ...place,
  middleware: asTold(middleware),
  lane: asTold(lane),
  ...(call === undefined ? {} : { call: asTold(call) }),
});

/**
 * For the one that waits: calls `stuck` once, where the other thread has not come out of a phase's own code for too long; without the place where that cannot be
 * read. Answers how to stop looking.
 */
export function watchPhases(board: PhaseBoard, stuck: (place: PhasePlace | undefined) => void): () => void {
  const look = phaseLook(board);
  const timer = setInterval(() => {
    if (!look()) return;
    clearInterval(timer);
    stuck(phaseOn(board));
  }, 1_000);
  return () => clearInterval(timer);
}

/** One look: true where so many in a row saw the other thread do nothing but be in one phase. */
export function phaseLook(board: PhaseBoard): () => boolean {
  const counts = new Int32Array(board.counts);
  let [before, same] = ["", 0];
  return () => {
    const now = `${Atomics.load(counts, beats)} ${Atomics.load(counts, changes)}`;
    same = now === before && Atomics.load(counts, length) > 0 ? same + 1 : 0;
    before = now;
    return same >= mostLooks;
  };
}
