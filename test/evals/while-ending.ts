import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";

/** By what a waiting agent and waiting tests are found among a container's processes. */
const waits = { agent: "sleep 0.11", tests: "sleep 0.12" } as const;

/** Shell that has certainly begun when `whileEnding` finds it, and goes on when that lets it. */
export const untilLetGo = (who: keyof typeof waits): string => `until [ -e /tmp/go-on ]; do ${waits[who]}; done`;

/** While `work` runs, ends each container of a trial in which waits what `when` names for its attempt, and lets the others go on; answers the attempts that lost one, in order. */
export async function whileEnding<T>(
  task: string,
  work: () => Promise<T>,
  o: { when(attempt: number): keyof typeof waits | undefined; end(container: Docker.Container): Promise<unknown> },
): Promise<{ measured: T; ended: number[] }> {
  const docker = new Docker();
  /** Ended, or let go: nothing waits there again. */
  const done = new Set<string>();
  const ended: number[] = [];
  let working = true;
  const ending = (async () => {
    while (working) {
      await wait(250);
      for (const { Id: id, Labels: labels } of await docker.listContainers({ filters: { label: ["forge=sandbox"] } })) {
        const [of, , , attempt] = (labels["forge.trial"] ?? "").split("/");
        if (of !== task || done.has(id)) continue;
        const container = docker.getContainer(id);
        const top = await container.top().catch(() => ({ Processes: null })); // null of one that has just ended too
        const runs = (what: string): boolean => (top.Processes as string[][] | null)?.some((row) => row.join(" ").includes(what)) ?? false;
        const chosen = o.when(Number(attempt));
        if (chosen !== undefined && runs(waits[chosen])) {
          done.add(id);
          await o.end(container).then(
            () => ended.push(Number(attempt)),
            () => done.delete(id), // looked for again
          );
        } else if (Object.values(waits).some(runs))
          await letGo(container).then(
            () => done.add(id),
            () => undefined,
          );
      }
    }
  })();
  const measured = await work().finally(() => (working = false));
  await ending;
  return { measured, ended };
}

export async function letGo(container: Docker.Container): Promise<void> {
  await (await container.exec({ Cmd: ["touch", "/tmp/go-on"] })).start({ Detach: true });
}
