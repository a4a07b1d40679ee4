import { readFileSync } from "node:fs";

/** The share of passed attempts by agent and task: what the simulations draw trials from. */
export interface OutcomeRates {
  readonly tasks: number;
  /** One array an agent, a number a task. */
  readonly agents: readonly Float64Array[];
}

/** Reads a table of published trials (`agent_run,task,attempt,resolved,…`). A task counts if every agent tried it. */
export function outcomeRates(path: string): OutcomeRates {
  const cells = new Map<string, Map<string, [passed: number, tried: number]>>();
  const names = new Set<string>();
  for (const row of readFileSync(path, "utf8").trim().split("\n").slice(1)) {
    const [agent = "", task = "", , resolved = ""] = row.split(",");
    names.add(task);
    const tasks = cells.get(agent) ?? new Map<string, [number, number]>();
    const [passed, tried] = tasks.get(task) ?? [0, 0];
    cells.set(agent, tasks.set(task, [passed + Number(resolved === "1"), tried + 1]));
  }
  const tasks = [...names].filter((task) => [...cells.values()].every((agent) => agent.has(task)));
  const rate = (cell: [number, number] | undefined): number => (cell ? cell[0] / cell[1] : 0);
  return { tasks: tasks.length, agents: [...cells.values()].map((agent) => Float64Array.from(tasks, (task) => rate(agent.get(task)))) };
}
