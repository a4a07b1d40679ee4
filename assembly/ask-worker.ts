import { parentPort, workerData } from "node:worker_threads";
import { writePhases, type PhaseBoard } from "../traces/replay/corpus/phase-board.ts";
import type { Ask, Questions } from "../traces/replay/corpus/questions.ts";
import { corpusQuestions } from "./corpus-questions.ts";

/** A thread of `ask-runs.ts`. Asks one run at a time; what is thrown ends the thread, and with it the command. */
const { name, options, board } = workerData as { name: keyof Questions; options: never; board: PhaseBoard }; // from ask-runs.ts: those of that question
const phases = writePhases(board);
const ask: Ask<unknown> = await corpusQuestions[name](options, phases);
parentPort?.on("message", (run: string) => {
  phases.clear();
  void ask(run).then((answer) => parentPort?.postMessage(answer));
});
