import type Docker from "dockerode";
import { join } from "node:path";
import { connect, connectionFromEnvironment } from "../../../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import { needs } from "../../../needs.ts";
import { sandboxContract } from "../contract.ts";

const missing = needs("docker");
const provider = createDockerProvider();
const label = `contract-${process.pid}`;

sandboxContract("docker", missing, () => ({
  async create() {
    const prepared = await provider.prepare({ name: "contract", folder: join(import.meta.dirname, "../fixture") });
    const sandbox = await prepared.create({ labels: { job: label, trial: "1" } });
    return sandbox;
  },
  async leftovers() {
    const docker: Docker = connect(connectionFromEnvironment());
    const left = await docker.listContainers({ all: true, filters: { label: [`forge.job=${label}`] } });
    return left.map(({ Id }) => Id);
  },
}));
