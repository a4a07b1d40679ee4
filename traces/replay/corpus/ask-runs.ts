import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { CannotError, codeOf, ForgeError } from "../../../harness/errors.ts";
import type { PhasePlace } from "../timed-middleware.ts";
import { runName } from "../../read/run-name.ts";
import { createPhaseBoard, phaseOn, watchPhases } from "./phase-board.ts";
import type { Ask, MakeQuestions, Questions } from "./questions.ts";
import { cureOf, stuckError, whereIn, whoIn } from "./stuck-error.ts";

/** Starting a thread takes as long as asking so many runs. */
const runsPerThread = 25;
const mostThreads = 8;
/**
 * What a run leaves is garbage at once; a young generation that grew with the corpus would hold it for nothing. A heap that may not take several GB is
 * also swept sooner: by Node's own limit a corpus of ten thousand took up to twice the memory of one of a thousand. A thread that is the only one has Node's own
 * limit all the same: nothing else is left to ask a run in that takes more.
 */
const young = { maxYoungGenerationSizeMb: 12 };
const mostOldMb = 2_000;
/** Answers that wait for an earlier one, for each thread. */
const ahead = 16;

/**
 * Asks every run, in as many threads as the machine has processors where there are runs enough, and answers in the order of the runs. The first is asked
 * here: what is wrong with the question itself, or has to be asked of a person, comes up once and before any thread is started. `apart`: no run is, for what is
 * asked may never come back, and only a thread can be ended. `worker`: the program of a thread; left out, no thread is started.
 * Throws what asking throws, and `ConfigError` for a middleware that keeps a thread.
 */
export async function* askRuns<Name extends keyof Questions>(
  runs: readonly string[],
  name: Name,
  options: Questions[Name]["options"],
  o: { readonly apart?: boolean; readonly questions: MakeQuestions; readonly worker: URL | undefined },
): AsyncGenerator<{ run: string; answer: Questions[Name]["answer"] }> {
  const { worker } = o;
  const [first, ...others] = runs;
  if (first === undefined) return;
  const threads = Math.min(availableParallelism(), mostThreads, Math.floor(others.length / runsPerThread));
  if (o.apart && worker) {
    yield* inThreads<Questions[Name]["answer"]>(runs, Math.max(1, threads), worker, { name, options });
    return;
  }
  const ask: Ask<Questions[Name]["answer"]> = await o.questions[name](options);
  yield { run: first, answer: await ask(first) };
  if (threads < 2 || !worker) for (const run of others) yield { run, answer: await ask(run) };
  else yield* inThreads<Questions[Name]["answer"]>(others, threads, worker, { name, options });
}

async function* inThreads<Answer>(
  runs: readonly string[],
  threads: number,
  program: URL,
  workerData: object,
): AsyncGenerator<{ run: string; answer: Answer }> {
  const answers = new Map<number, Answer>();
  const idle: (() => void)[] = [];
  let failed: { error: unknown } | undefined;
  let heard: () => void = () => undefined;
  let next = 0;
  let told = 0;
  const unwatch: (() => void)[] = [];
  const resourceLimits = threads === 1 ? young : { ...young, maxOldGenerationSizeMb: mostOldMb };
  const workers = Array.from({ length: threads }, () => {
    const board = createPhaseBoard();
    const worker = new Worker(program, {
      workerData: { ...workerData, board },
      resourceLimits,
    });
    let at = -1;
    const askNext = (): void => {
      if (next >= runs.length) return;
      if (next - told >= ahead * threads) return void idle.push(askNext);
      at = next++;
      worker.postMessage(runs[at]);
    };
    worker.on("message", (answer: Answer) => {
      answers.set(at, answer);
      askNext();
      heard();
    });
    const fail = (error: unknown): void => {
      failed ??= { error };
      heard();
    };
    unwatch.push(watchPhases(board, (place) => void stuckError(runs[at] ?? "", place).then(fail, fail)));
    worker.on("error", (error) =>
      fail(codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY" ? new CannotError(tooLarge(runs[at] ?? "", threads)) : error),
    );
    worker.on("exit", () => fail(new ForgeError(endedText(runs[at] ?? "", phaseOn(board)))));
    askNext();
    return worker;
  });
  try {
    while (told < runs.length) {
      if (failed) throw failed.error;
      if (!answers.has(told)) {
        await new Promise<void>((resolve) => (heard = resolve));
        continue;
      }
      const [run = "", answer] = [runs[told], answers.get(told) as Answer]; // it has one
      answers.delete(told++);
      yield { run, answer };
      for (const askNext of idle.splice(0)) askNext();
    }
  } finally {
    for (const stop of unwatch) stop();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

const tooLarge = (run: string, threads: number): string =>
  threads === 1
    ? `${runName(run)} takes more memory to replay than Node gives a program here; NODE_OPTIONS=--max-old-space-size=16000 gives it 16 GB.`
    : `${runName(run)} takes more than ${mostOldMb} MB to replay, the limit of a thread where several work. Name that run alone: then it may take as much as Node gives.`;

function endedText(run: string, place: PhasePlace | undefined): string {
  const thread = `A thread ended while it replayed ${runName(run)}`;
  return place
    ? `${thread}: ${whoIn(place)} ends its process ${whereIn(place)}. ${cureOf(place)}`
    : `${thread}: a middleware there ends its process. ${cureOf(undefined)}`;
}
