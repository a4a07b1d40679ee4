import { InfraError, messageOf } from "../../harness/errors.ts";
import type { TrialRecord } from "../trial/trial-record.ts";
import { judgeKept, type RegradeSetting } from "./judge-kept.ts";
import { verifiedApart } from "./what-was-kept.ts";
import { regradedRecord } from "./regraded-record.ts";
import { regradeSteps, type StepsToRegrade } from "./regrade-steps.ts";

/**
 * Verifies a trial again from its kept delta or artifacts: in a fresh sandbox, with the task's tests of now, without the agent. Answers the trial's record with
 * its new verdict. What the machinery fails at is an answer of class `infra`.
 * @throws DamagedError for a delta that is not the one that was kept; CannotError where the task of now needs what was not
 */
export async function regradeTrial(before: TrialRecord, o: RegradeSetting, steps?: StepsToRegrade): Promise<TrialRecord> {
  const imageDigest = verifiedApart(o.task) ? before.imageDigest : o.prepared.digest || null;
  try {
    const judgement = await (steps ? regradeSteps(before, steps, o) : judgeKept(before, o));
    const { class: kind } = judgement;
    const rewards = "rewards" in judgement ? judgement.rewards : null;
    const score = "score" in judgement ? judgement.score : null;
    const why = "why" in judgement ? judgement.why : undefined;
    const says = kind === "verifier" ? (why ?? "no reward") : `The verifier's score is ${score}.`;
    const evidence = [{ kind: kind === "verifier" ? ("verifier" as const) : ("reward" as const), says, regraded: true }];
    return regradedRecord(before, o, {
      class: kind,
      rewards: rewards && { ...rewards },
      score,
      evidence,
      imageDigest,
      ...(why === undefined ? {} : { error: why }),
    });
  } catch (error) {
    o.signal.throwIfAborted();
    if (!(error instanceof InfraError)) throw error;
    const evidence = [{ kind: "host" as const, says: error.message, regraded: true }];
    return regradedRecord(before, o, { class: "infra", rewards: null, score: null, error: messageOf(error), evidence, imageDigest });
  }
}
