import { beforeAll, describe, expect, it } from "vitest";
import { isCited } from "../../../analyzer/detectors/citation.ts";
import { detectors } from "../../../analyzer/detectors/detectors.ts";
import { findFaults } from "../../../analyzer/detectors/find-faults.ts";
import { attacks } from "../attacks.ts";
import { sampled } from "../../needs.ts";
import { makeRun, type MadeRun } from "../make-run.ts";
import { fixtures } from "./fixtures/all-fixtures.ts";

const places = ["before", "behind"] as const;

/** The attack in the task, before each reply's words, in the verifier's report and beside what each call printed. */
const attacked = (made: MadeRun, attack: string, place: (typeof places)[number] = "behind"): MadeRun => ({
  ...made,
  ...(made.report === undefined || made.report.startsWith("{") ? {} : { report: beside(made.report, attack, place) }), // a grader's own file is all JSON
  instruction: `${made.instruction ?? "Make it work."}\n${attack.slice(0, 5_000)}`,
  turns: made.turns.map((turn) => ({
    ...turn,
    ...(turn.text === undefined || attack.length > 5_000 || /"(?:tool|name)"/.test(attack) ? {} : { text: `${attack}\n\n${turn.text}` }),
    ...(turn.calls === undefined
      ? {}
      : {
          calls: turn.calls.map((call) =>
            call.output !== undefined && call.output !== ""
              ? { ...call, output: beside(call.output, attack, made.imported === undefined ? place : "behind") }
              : call,
          ),
        }),
  })),
});

const beside = (text: string, attack: string, place: (typeof places)[number]): string =>
  place === "behind" ? `${text}\n${attack}` : `${attack}\n${text}`;

const runs = Object.values(fixtures).flatMap((one) => one.for);
const undisturbed: Promise<unknown[]>[] = [];
beforeAll(() => void undisturbed.push(...runs.map(found)));
const found = async (made: MadeRun): Promise<unknown[]> =>
  findFaults(await makeRun(made), detectors).faults.map(({ detector, kind, step, confidence }) => ({ detector, kind, step, confidence }));

describe("what a run says", () => {
  it("is at least 20 runs here, each with a fault", () => {
    expect(runs.length).toBeGreaterThanOrEqual(20);
  });

  const all = attacks.flatMap((attack, i) => places.map((place) => [i, place, attack] as const));
  /** Each attack in one of the places, in turns. */
  const few = all.filter(([i, place]) => place === places[i % 2]);
  it.each(sampled(all, few))("changes no finding: attack %i %s what is there", async (_, place, attack) => {
    for (const [i, made] of runs.entries())
      expect(await found(attacked(made, attack, place)), JSON.stringify(made).slice(0, 500)).toEqual(await undisturbed[i]);
  });

  it("is never cited from where it is not", async () => {
    for (const made of runs) {
      const run = await makeRun(attacked(made, attacks[2] ?? ""));
      const { faults, uncited } = findFaults(run, detectors);
      expect(uncited).toEqual([]);
      expect(faults.every((fault) => isCited(run, fault) && fault.seq > 0)).toBe(true);
    }
  });
});
