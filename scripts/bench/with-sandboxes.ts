import type { BenchPorts } from "../../evals/bench-ports.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";

/** Ports whose every sandbox goes through `change` when it is made, with the label of the trial that it was made for ("" where it has none). */
export function withSandboxes(ports: BenchPorts, change: (sandbox: Sandbox, trial: string) => Sandbox): BenchPorts {
  return {
    ...ports,
    provider(kind) {
      const provider = ports.provider(kind);
      return {
        ...provider,
        async prepare(environment, options) {
          const prepared = await provider.prepare(environment, options);
          return { ...prepared, create: async (wish) => change(await prepared.create(wish), wish?.labels?.["trial"] ?? "") };
        },
      };
    },
  };
}
