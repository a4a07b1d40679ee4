import type { Patience } from "../timed-middleware.ts";
import type { DryOptions, DryAnswer } from "./ask-dry.ts";
import type { JudgeOptions, RunAnswer } from "./judge-run.ts";

export type Ask<Answer> = (run: string) => Promise<Answer>;

/** What each question takes and answers: plain data, which other threads can be given. */
export interface Questions {
  readonly judge: { readonly options: JudgeOptions; readonly answer: RunAnswer };
  readonly dry: { readonly options: DryOptions; readonly answer: DryAnswer };
}

type Load<Name extends keyof Questions> = () => Promise<{
  readonly create: (options: Questions[Name]["options"], patience?: Patience) => Ask<Questions[Name]["answer"]>;
}>;

/** What each run of a corpus can be asked, by name, so that a thread can make it too. To add one: name it here and in `Questions`. */
export const questions: { readonly [Name in keyof Questions]: Load<Name> } = {
  judge: () => import("./judge-run.ts"),
  dry: () => import("./ask-dry.ts"),
};
