import { expect, it } from "vitest";
import { chooseSandbox } from "../../../evals/bench/choose-sandbox.ts";
import type { BenchPorts } from "../../../evals/bench-ports.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";

/** Ports on a machine whose Docker does not answer, and what was reported. */
function machine(dockerNamed: boolean): { ports: BenchPorts; said: string[] } {
  const said: string[] = [];
  const available = { docker: "No daemon listens.", bubblewrap: true, local: true } as const;
  const ports = {
    dockerNamed,
    onFallback: (sentence: string) => void said.push(sentence),
    provider: (kind: keyof typeof available) => ({ available: async () => available[kind] }),
  } as unknown as BenchPorts; // nothing else of it is asked here
  return { ports, said };
}
const { tasks } = await loadSuite("demo");

it("a sandbox that takes Docker's place is reported with the reason", async () => {
  const { ports, said } = machine(false);
  expect(await chooseSandbox(undefined, tasks, { ports, harmless: true })).toBe("bubblewrap");
  expect(said).toEqual(["The tasks run in bubblewrap instead of Docker. docker: No daemon listens."]);
});

it("a sandbox that was asked for is no fall-back", async () => {
  const { ports, said } = machine(true);
  expect(await chooseSandbox("bubblewrap", tasks, { ports, harmless: true })).toBe("bubblewrap");
  expect(said).toEqual([]);
});

it("a daemon that DOCKER_HOST names is not replaced", async () => {
  const { ports, said } = machine(true);
  await expect(chooseSandbox(undefined, tasks, { ports, harmless: true })).rejects.toThrow(
    /^No daemon listens\. DOCKER_HOST names this daemon/,
  );
  expect(said).toEqual([]);
});
