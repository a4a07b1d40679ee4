import type { Group } from "./scenarios.ts";
import type { Result, Scenario } from "./simulate.ts";

export interface SimulatedGroup extends Omit<Group, "scenarios"> {
  readonly rows: readonly { readonly scenario: Scenario; readonly result: Result }[];
}

const percent = (share: number): string => (share * 100).toFixed(1);
const or = (share: number | null): string => (share === null ? "" : percent(share));

/** The tables as Markdown, all numbers in percent: Forge's rule, and beside it the tests that take every trial for a coin of its own. */
export function describeSimulation(groups: readonly SimulatedGroup[]): string {
  return groups.map((group) => `#### ${sentence(group.title)}\n\n${tableOf(group)}`).join("\n\n");
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Column = readonly [head: string, cell: (result: Result, scenario: Scenario) => string];

const asked: Readonly<Record<Group["asks"], readonly Column[]>> = {
  "false verdicts": [
    ["better", (r) => percent(r.better)],
    ["worse", (r) => percent(r.worse)],
    ["either", (r) => percent(r.better + r.worse)],
    ["covered", (r) => percent(r.coverage)],
  ],
  coverage: [
    ["new tasks covered", (r) => percent(r.coverage)],
    ["this suite covered", (r) => or(r.coverageSuite)],
  ],
  power: [["better", (r) => percent(r.better)]],
};
const naive: Readonly<Record<Group["asks"], readonly Column[]>> = {
  "false verdicts": [
    ["trials: z, either", (r) => percent(r.naive.better + r.naive.worse)],
    ["trials: McNemar, either", (r) => percent(r.naive.pairs)],
    ["trials: covered", (r) => percent(r.naive.coverage)],
  ],
  coverage: [["trials: covered", (r) => percent(r.naive.coverage)]],
  power: [["trials: z, better", (r) => percent(r.naive.better)]],
};
const ofEarly: readonly Column[] = [["share of tasks run", (r) => percent(r.spent)]];
const ofReused: readonly Column[] = [
  ["any of 20", (r) => or(r.family)],
  ["any of 20, Holm", (r) => or(r.familyHolm)],
  ["trials: z, any of 20", (r) => or(r.naive.family)],
];

function tableOf({ asks, rows }: SimulatedGroup): string {
  const way = rows[0]?.scenario.way;
  const columns: readonly Column[] = [
    ["tasks", (_, { tasks }) => String(tasks)],
    ["K", (_, { repeats }) => String(repeats)],
    ...asked[asks],
    ...(way === "early" ? ofEarly : []),
    ...naive[asks],
    ...(way === "reused" ? ofReused : []),
  ];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(([head]) => head)),
    line(columns.map(() => "---:")),
    ...rows.map(({ scenario, result }) => line(columns.map(([, cell]) => cell(result, scenario)))),
  ].join("\n");
}
