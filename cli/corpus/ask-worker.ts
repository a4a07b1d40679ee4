import { parentPort, workerData } from "node:worker_threads";
import { questions, type Ask, type Questions } from "./questions.ts";

/** A thread of `ask-runs.ts`. Asks one run at a time; what is thrown ends the thread, and with it the command. */
const { name, options } = workerData as { name: keyof Questions; options: never }; // from ask-runs.ts: those of that question
const ask: Ask<unknown> = (await questions[name]()).create(options);
parentPort?.on("message", (run: string) => {
  void ask(run).then((answer) => parentPort?.postMessage(answer));
});
