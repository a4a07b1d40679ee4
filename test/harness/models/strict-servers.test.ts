import { describe, expect, it } from "vitest";
import { allRows } from "../../../harness/models/families/find-row.ts";
import { type Case, efforts, presetNames } from "../../../scripts/campaigns/strict/case.ts";
import { converse } from "../../../scripts/campaigns/strict/converse.ts";

/** Each model once, with efforts and presets in turn; `scripts/campaigns/strict-servers.ts` has all of them. */
const cases = allRows().map(([model], index): Case => ({
  model,
  effort: efforts[index % efforts.length] ?? "",
  preset: presetNames[index % presetNames.length] ?? "",
}));

describe("a server that refuses what its provider refuses", () => {
  it.each(cases)("refuses nothing of a whole conversation with $model, effort $effort, preset $preset", async (one) => {
    expect(await converse([one])).toEqual([{ ...one, solved: true, refusals: [], sent: expect.any(Array) as string[] }]);
  });
});
