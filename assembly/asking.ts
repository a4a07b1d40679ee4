import { askRuns } from "../traces/replay/corpus/ask-runs.ts";
import type { Questions } from "../traces/replay/corpus/questions.ts";
import { corpusQuestions } from "./corpus-questions.ts";

/** From source, as tests run it, there is no file that a thread could load. */
const worker = import.meta.url.endsWith(".js") ? new URL("./ask-worker.js", import.meta.url) : undefined;

/** `askRuns` with the questions and the thread of this Forge. */
export const askCorpus = <Name extends keyof Questions>(
  runs: readonly string[],
  name: Name,
  options: Questions[Name]["options"],
  o: { readonly apart?: boolean } = {},
): ReturnType<typeof askRuns<Name>> => askRuns(runs, name, options, { ...o, questions: corpusQuestions, worker });
