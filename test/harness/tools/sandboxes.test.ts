import { join } from "node:path";
import { createBubblewrapProvider } from "../../../harness/sandbox/bubblewrap/bubblewrap-provider.ts";
import { createDockerProvider } from "../../../harness/sandbox/docker/docker-provider.ts";
import { createLocalProvider } from "../../../harness/sandbox/local/local-provider.ts";
import type { SandboxProvider } from "../../../harness/sandbox/provider.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { needs } from "../../needs.ts";
import { toolContract } from "./contract.ts";

/** The tools act the same in every kind of sandbox. */
const from = (provider: () => SandboxProvider) => async (): Promise<Sandbox> => {
  const prepared = await provider().prepare({ name: "tools", folder: join(import.meta.dirname, "fixture") });
  return prepared.create({ labels: { job: `tools-${process.pid}`, trial: "1" } });
};

toolContract("the local sandbox", from(createLocalProvider));
toolContract("bubblewrap", from(createBubblewrapProvider), needs("bubblewrap"));
toolContract("Docker", from(createDockerProvider), needs("docker"));
