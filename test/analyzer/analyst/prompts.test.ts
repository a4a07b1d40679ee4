import { expect, it } from "vitest";
import { answerSchema, schemaOf } from "../../../analyzer/analyst/claims.ts";
import { belongSystem, proposeSystem } from "../../../analyzer/analyst/prompts/clusters.ts";
import { answerNow, oneCallSystem, promptVersion } from "../../../analyzer/analyst/prompts/one-call.ts";
import { lookAtRun, toolsSystem } from "../../../analyzer/analyst/prompts/with-tools.ts";
import { toolsQuestion } from "../../../analyzer/analyst/with-tools.ts";
import { canonicalJson } from "../../../harness/hash/canonical-json.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import { toolSchema } from "../../../harness/tools/tool-schemas.ts";
import { analystAt } from "./reading.ts";
import { makeRun } from "../make-run.ts";

it("gives the prompts a new version when a word of them changes, so that an earlier analysis is not taken for one of theirs", async () => {
  const { tools } = toolsQuestion({ run: await makeRun({ turns: [] }), sibling: undefined }, [], analystAt(""));
  const words = [toolsSystem, lookAtRun, oneCallSystem, answerNow, proposeSystem, belongSystem];
  const digest = sha256(...words, canonicalJson([tools.map(toolSchema), schemaOf(answerSchema)])).slice(0, 12);
  expect(
    { [promptVersion]: digest },
    "raise promptVersion in analyzer/analyst/prompts/one-call.ts and put its digest here; then npx jiti scripts/demo-analyst.ts records the demonstration again",
  ).toEqual({ "2": "053580742818" });
});
