import { join } from "node:path";
import { createBubblewrapProvider } from "../../../harness/sandbox/bubblewrap/bubblewrap-provider.ts";
import { createDockerProvider } from "../../../harness/sandbox/docker/docker-provider.ts";
import { createLocalProvider } from "../../../harness/sandbox/local/local-provider.ts";
import type { SandboxProvider } from "../../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { needs, sampled } from "../../needs.ts";
import { toolContract } from "./contract.ts";

/** The tools act the same in every kind of sandbox; in plain child processes in tools.test.ts. */
const from = (provider: () => SandboxProvider) => async (): Promise<Sandbox> => {
  const prepared = await provider().prepare({ name: "tools", folder: join(import.meta.dirname, "fixture") });
  return prepared.create({ labels: { job: `tools-${process.pid}`, trial: "1" } });
};

for (const provider of sampled([createLocalProvider], [])) toolContract("the local sandbox", from(provider));
for (const provider of sampled([createBubblewrapProvider], [])) toolContract("bubblewrap", from(provider), needs("bubblewrap"));
toolContract("Docker", from(createDockerProvider), needs("docker"));
