import type { MakeQuestions } from "../traces/replay/corpus/questions.ts";
import { replayParts } from "./registry.ts";

/** What each run of a corpus can be asked, with the parts of this Forge. To add one: name it here and in `Questions`. */
export const corpusQuestions: MakeQuestions = {
  async judge(options) {
    const { judgeRun } = await import("../traces/replay/corpus/judge-run.ts");
    const parts = replayParts({ trust: options.trust === true });
    return (run) => judgeRun(run, options, parts);
  },
  async dry(options, patience) {
    const { askDry } = await import("../traces/replay/corpus/ask-dry.ts");
    return askDry(options, replayParts(options), patience);
  },
};
