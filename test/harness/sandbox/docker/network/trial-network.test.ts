import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baseImage } from "../../../../../harness/sandbox/docker/image/base-image.ts";
import { connect, connectionFromEnvironment } from "../../../../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../../../../harness/sandbox/docker/docker-provider.ts";
import { DockerSandbox } from "../../../../../harness/sandbox/docker/container/docker-sandbox.ts";
import { trialNetwork, trialNetworkName } from "../../../../../harness/sandbox/docker/network/trial-network.ts";
import type { CreateOptions } from "../../../../../harness/sandbox/provider.ts";
import { needs } from "../../../../needs.ts";

describe.skipIf(needs("docker"))("the network of sandboxes", { timeout: 120_000 }, () => {
  const docker = connect(connectionFromEnvironment());
  const provider = createDockerProvider();
  let victim: DockerSandbox;
  let attacker: DockerSandbox;
  const create = async (o: CreateOptions): Promise<DockerSandbox> => {
    const prepared = await provider.prepare({ name: "network", image: baseImage });
    const sandbox = await prepared.create({ labels: { job: `network-${process.pid}` }, ...o });
    if (!(sandbox instanceof DockerSandbox)) throw new Error("It is another kind of sandbox.");
    return sandbox;
  };
  beforeAll(async () => {
    // Begun without, as under a task that has no network for its agent.
    victim = await create({ network: false });
    await victim.setNetwork({ mode: "public" });
    attacker = await create({ network: true });
  }, 120_000);
  afterAll(async () => {
    for (const sandbox of [victim, attacker]) await sandbox?.close();
  });
  const out = async (sandbox: DockerSandbox, command: string): Promise<string> =>
    Buffer.from((await sandbox.exec(command)).stdout)
      .toString()
      .trim();
  const addressOf = async (sandbox: DockerSandbox): Promise<string> => {
    const { NetworkSettings: settings } = await docker.getContainer(sandbox.id).inspect();
    return settings.Networks[trialNetworkName]?.IPAddress ?? "";
  };
  /** A listener that says what it is, once it is there. */
  const listen = async (sandbox: DockerSandbox): Promise<string> => {
    await sandbox.exec(
      "grep -q :1E61 /proc/net/tcp || { mkdir -p /tmp/page && cd /tmp/page && echo here > index.html && (setsid python3 -m http.server 7777 >/dev/null 2>&1 &); }; until grep -q :1E61 /proc/net/tcp; do sleep 0.1; done",
    );
    expect(await out(sandbox, said("127.0.0.1:7777"))).toBe("here");
    return `${await addressOf(sandbox)}:7777`;
  };
  const said = (at: string): string =>
    `python3 -c 'import urllib.request as r; print(r.urlopen("http://${at}/", timeout=3).read().decode().strip())' 2>&1 | tail -n 1`;

  it("leads each of them outside, and none to a neighbour", async () => {
    const at = await listen(victim);
    expect(await out(attacker, said(at))).toMatch(/timed out/);
    const server = createServer((_, reply) => reply.end("outside"));
    await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
    try {
      // The daemon's machine, by the way that leads to everything else.
      const gateway = await out(attacker, "python3 -c 'import socket,struct; print(next(socket.inet_ntoa(struct.pack(\"<L\", int(l.split()[2], 16))) for l in open(\"/proc/net/route\") if l.split()[1] == \"00000000\"))'"); // prettier-ignore
      const { port } = server.address() as AddressInfo; // of a TCP server
      expect(await out(attacker, said(`${gateway}:${port}`))).toBe("outside");
    } finally {
      server.close();
    }
  });

  it("keeps them apart, too, where they lost their network and have it again", async () => {
    await victim.setNetwork({ mode: "no-network" });
    await victim.setNetwork({ mode: "public" });
    await attacker.setNetwork({ mode: "no-network" });
    expect(await addressOf(attacker)).toBe("");
    await attacker.setNetwork({ mode: "public" });
    await attacker.setNetwork({ mode: "public" }); // once more changes nothing
    expect(await out(attacker, said(await listen(victim)))).toMatch(/timed out/);
    expect(await out(victim, "cat /etc/resolv.conf")).toContain("nameserver");
  });

  it("stays when sandboxes are swept, and is found again", async () => {
    const id = await trialNetwork(docker);
    await provider.sweep();
    await provider.tidy?.(`network-${process.pid}`);
    expect(await trialNetwork(connect(connectionFromEnvironment()))).toBe(id);
  });

  it("is one where several runners make it at once, and is made again where somebody removed it", async () => {
    const name = `forge-trials-test-${process.pid}`;
    const runners = Array.from({ length: 6 }, () => connect(connectionFromEnvironment()));
    const left = async () => (await docker.listNetworks({ filters: { name: [name] } })).map(({ Id: id }) => id);
    try {
      await Promise.all(runners.map((runner) => trialNetwork(runner, name)));
      const now = await Promise.all(runners.map((runner) => trialNetwork(runner, name)));
      expect([...new Set(now)]).toEqual(await left());
      await docker.getNetwork(now[0] ?? "").remove();
      expect(await left()).toEqual([]);
      expect([await trialNetwork(docker, name)]).toEqual(await left());
    } finally {
      for (const id of await left()) await docker.getNetwork(id).remove();
    }
  });
});
