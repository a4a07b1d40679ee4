import { afterAll, describe, expect, it } from "vitest";
import { takenFromOutside } from "../../../../evals/trial/evidence/evidence.ts";
import { baseImage } from "../../../../harness/sandbox/docker/image/base-image.ts";
import type { Service } from "../../../../harness/sandbox/compose.ts";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import { needs } from "../../../needs.ts";

const plain: Omit<Service, "name"> = {
  image: baseImage,
  environment: {},
  dependsOn: [],
  networks: [{ name: "default", aliases: [] }],
  volumes: [],
  tmpfs: [],
  readOnly: false,
  init: false,
  capAdd: [],
  capDrop: [],
};

describe.skipIf(needs("docker"))("a service that claims far more than its storage at a stroke", { timeout: 120_000 }, () => {
  let made: Sandbox | undefined;
  afterAll(() => made?.close());

  it("is removed with its group, which is nobody's doing outside", async () => {
    const provider = createDockerProvider();
    const services: Service[] = [
      { ...plain, name: "main" },
      { ...plain, name: "greedy", command: ["sleep", "600"] },
    ];
    const compose = { file: "compose.yaml", main: "main", services, networks: [{ name: "default", internal: false }], volumes: [] };
    const prepared = await provider.prepare({ name: `removal-${process.pid}`, image: baseImage, compose });
    made = await prepared.create({ labels: { job: `removal-${process.pid}` }, services: { memoryMb: 256, storageMb: 20, pids: 60 } });
    const sandbox = made;
    await sandbox
      .service?.("greedy")
      ?.exec("fallocate -l 200M /var/tmp/claimed; sleep 20", { timeoutMs: 15_000 })
      .catch(() => undefined);
    await expect.poll(async () => (await sandbox.evidence?.())?.state).toBe("gone");
    // What the daemon says of it comes within a moment.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const seen = await sandbox.evidence?.();
    expect(seen?.storageExceeded).toMatchObject([{ limitBytes: 20 * 1024 ** 2 }]);
    expect(takenFromOutside(seen)).toBeUndefined();
  });
});
