import type { Detector } from "./detector.ts";
import { malformedCall } from "./calls/malformed-call.ts";
import { unknownTool } from "./calls/unknown-tool.ts";
import { unreadCall } from "./calls/unread-call.ts";
import { finishedAgainstFailure } from "./checks/finished-against-failure.ts";
import { lookedOnly } from "./checks/looked-only.ts";
import { misreadOutput } from "./checks/misread-output.ts";
import { noCheck } from "./checks/no-check.ts";
import { outputNotReadOn } from "./checks/output-not-read-on.ts";
import { contextFilled } from "./ending/context-filled.ts";
import { gaveUp } from "./ending/gave-up.ts";
import { infrastructure } from "./ending/infrastructure.ts";
import { lostInstruction } from "./ending/lost-instruction.ts";
import { outOfBudget } from "./ending/out-of-budget.ts";
import { overThinking } from "./ending/over-thinking.ts";
import { refusal } from "./ending/refusal.ts";
import { replyCut } from "./ending/reply-cut.ts";
import { stalled } from "./ending/stalled.ts";
import { stopsEarly } from "./ending/stops-early.ts";
import { waits } from "./ending/waits.ts";
import { alternatingCalls } from "./loops/alternating-calls.ts";
import { editThrash } from "./loops/edit-thrash.ts";
import { goingRound } from "./loops/going-round.ts";
import { repeatedCall } from "./loops/repeated-call.ts";
import { repeatedError } from "./loops/repeated-error.ts";
import { nothingRuns } from "./verdict/nothing-runs.ts";
import { ownTests } from "./verdict/own-tests.ts";
import { regression } from "./verdict/regression.ts";
import { statedRequirement } from "./verdict/stated-requirement.ts";
import { unnamedInterface } from "./verdict/unnamed-interface.ts";
import { unrelatedTest } from "./verdict/unrelated-test.ts";
import { unstatedRequirement } from "./verdict/unstated-requirement.ts";
import { verifierBroken } from "./verdict/verifier-broken.ts";
import { claimedNotDone } from "./task/claimed-not-done.ts";
import { forbiddenEdit } from "./task/forbidden-edit.ts";
import { missingArtefact } from "./task/missing-artefact.ts";
import { missingDependency } from "./task/missing-dependency.ts";
import { rewardReach } from "./task/reward-reach.ts";
import { workUndone } from "./task/work-undone.ts";
import { wrongPlace } from "./task/wrong-place.ts";

/** In the order of their say: of two that are equally sure the first explains the run, so causes stand before what they lead to. */
export const detectors: readonly Detector[] = [
  // not the agent
  verifierBroken,
  infrastructure,
  // hints of the report: never before what is surer, and before other hints, which long runs are full of
  ownTests,
  statedRequirement,
  unstatedRequirement,
  // what ended the run, and what it was busy with until then
  rewardReach,
  refusal,
  unreadCall,
  replyCut,
  unknownTool,
  malformedCall,
  contextFilled,
  misreadOutput,
  missingDependency,
  waits,
  alternatingCalls,
  repeatedCall,
  editThrash,
  goingRound,
  overThinking,
  repeatedError,
  lostInstruction,
  // what it left
  claimedNotDone,
  stopsEarly,
  finishedAgainstFailure,
  wrongPlace,
  missingArtefact,
  workUndone,
  forbiddenEdit,
  // what the tests say
  unrelatedTest,
  nothingRuns,
  regression,
  unnamedInterface,
  // symptoms
  gaveUp,
  outOfBudget,
  stalled,
  noCheck,
  lookedOnly,
  outputNotReadOn,
];
