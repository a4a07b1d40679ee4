import type { BenchPorts } from "../../evals/bench-ports.ts";
import type { CreateOptions } from "../../harness/sandbox/provider.ts";

/** Ports whose containers are private copies on this machine, as far as anybody can see who asks for one; `hear` gets what each was asked to be. */
export function asContainers(ports: BenchPorts, hear: (wish: CreateOptions) => void): BenchPorts {
  const local = ports.provider("local");
  return {
    ...ports,
    provider: () => ({
      ...local,
      kind: "docker",
      async prepare(environment, options) {
        const prepared = await local.prepare(environment, options);
        return {
          ...prepared,
          create(wish = {}) {
            hear(wish);
            return prepared.create(wish);
          },
        };
      },
    }),
  };
}
