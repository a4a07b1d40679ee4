import { join } from "node:path";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { attacks } from "../../evals/gate/attacks/attacks.ts";
import type { Task } from "../../tasks/task.ts";
import { missing } from "../setup/missing.mjs";
import { machineOf, tasksOwn, victimOf } from "./campaign-plan.ts";
import { faceAttack, type Faced } from "./face-attack.ts";
import { describeAttacks } from "./describe-attacks.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";

/** Runs the named attacks, or all; prints the table (`--json`: one object a line); answers 1 when one of them tests nothing, is not withstood or could not be tried. */
export async function runCampaign(args: string[], o: { root: string }): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith("--"));
  const verify = args.find((arg) => arg.startsWith("--verify="))?.slice("--verify=".length) ?? "workdir";
  if (verify !== "workdir" && verify !== "snapshot" && verify !== "live") throw new Error(`--verify=${verify}`);
  const asked = attacks.filter(({ name }) => (names.length > 0 ? names.includes(name) : !tasksOwn.has(name)));
  const noMachine = missing("cgroups");
  const chosen = asked.filter(({ name }) => !noMachine || !machineOf(name));
  for (const { name } of asked.filter((one) => !chosen.includes(one)))
    process.stderr.write(`${name} was not tried: ${noMachine?.reason}. To try it: ${noMachine?.cure}\n`);
  const ports = await createBenchPorts({});
  const faced: Faced[] = [];
  const queue = [...chosen];
  const work = async (): Promise<void> => {
    for (let attack = queue.shift(); attack; attack = queue.shift()) {
      const victim = victimOf(attack.name);
      const loaded = await loadTask(join(o.root, "test", "fixtures", "victims", victim), { own: true });
      const task: Task = { ...loaded, forge: { ...loaded.forge, local: false, verify } };
      const line = await faceAttack(attack, task, victim, ports);
      faced.push(line);
      if (args.includes("--json")) process.stdout.write(`${JSON.stringify(line)}\n`);
      else process.stderr.write(`${line.harms && line.holds ? "ok  " : "FAIL"} ${line.attack}${line.harms ? "" : " harms nobody"}\n`);
    }
  };
  await Promise.all([work(), work()]);
  if (!args.includes("--json")) process.stdout.write(describeAttacks(attacks, faced));
  return chosen.length === asked.length && faced.every(({ harms, holds }) => harms && holds) ? 0 : 1;
}
