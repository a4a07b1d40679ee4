import type { Patience } from "../timed-middleware.ts";
import type { DryOptions, DryAnswer } from "./ask-dry.ts";
import type { JudgeOptions, RunAnswer } from "./judge-run.ts";

export type Ask<Answer> = (run: string) => Promise<Answer>;

/** What each question takes and answers: plain data, which other threads can be given. */
export interface Questions {
  readonly judge: { readonly options: JudgeOptions; readonly answer: RunAnswer };
  readonly dry: { readonly options: DryOptions; readonly answer: DryAnswer };
}

/** What each run of a corpus can be asked, by name, so that a thread can make it too. */
export type MakeQuestions = {
  readonly [Name in keyof Questions]: (options: Questions[Name]["options"], patience?: Patience) => Promise<Ask<Questions[Name]["answer"]>>;
};
