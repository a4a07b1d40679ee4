import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connect, connectionFromEnvironment } from "../../../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import type { DockerSandbox } from "../../../../harness/sandbox/docker/container/docker-sandbox.ts";
import type { CreateOptions, PreparedEnvironment } from "../../../../harness/sandbox/provider.ts";
import { needs } from "../../../needs.ts";
import { startInternet, type Internet } from "./gateway/start-internet.ts";

const folder = join(import.meta.dirname, "../fixture");

describe.skipIf(needs("docker"))("a container behind a gateway", { timeout: 240_000 }, () => {
  const docker = connect(connectionFromEnvironment());
  const job = `gateway-${process.pid}`;
  const labels = { job, trial: "t" };
  const only = (...hosts: string[]) => ({ mode: "allowlist", hosts }) as const;
  /** Its first machine has the name server that gateways ask. */
  let internet: Internet | undefined;
  let addresses: readonly string[];
  let prepared: PreparedEnvironment;
  /** Those of one test; two live for several tests, each with a gateway: one whose network is open to a list from its start, one that begins without. */
  const open: DockerSandbox[] = [];
  let listed: DockerSandbox;
  let begunWithout: DockerSandbox;

  const create = async (o: CreateOptions): Promise<DockerSandbox> => {
    const sandbox = (await prepared.create({ labels, ...o })) as DockerSandbox; // the docker provider makes this class
    await sandbox.writeFile("/client.py", await readFile(join(import.meta.dirname, "gateway/client.py")));
    return sandbox;
  };
  /** What came of each try. */
  const said = async (sandbox: DockerSandbox, ...tries: string[]): Promise<string[]> => {
    const { stdout, stderr } = await sandbox.exec("python3 /client.py", { stdin: Buffer.from(`${tries.join("\n")}\n`) });
    expect(Buffer.from(stderr).toString()).toBe("");
    return Buffer.from(stdout).toString().trim().split("\n");
  };
  /** The same, without why not. */
  const tried = async (sandbox: DockerSandbox, ...tries: string[]): Promise<string[]> =>
    (await said(sandbox, ...tries)).map((line) => line.replace(/^no \(.*/, "no"));

  beforeAll(async () => {
    internet = await startInternet(docker, (one, two) => ({
      "one.example": one,
      "shared.example": one,
      "a.wild.example": one,
      "other.example": two,
      "near.example": "169.254.1.1",
    }));
    ({ addresses } = internet);
    prepared = await createDockerProvider({ dns: addresses.slice(0, 1) }).prepare({ name: "contract", folder, gateway: true });
    listed = await create({ network: true, hosts: ["one.example", "*.wild.example", "near.example"] });
    begunWithout = await create({ network: false });
  }, 240_000);
  const onlyLeft = async (count: number): Promise<void> => {
    const left = await docker.listContainers({ all: true, filters: { label: [`forge.job=${job}`] } });
    if (left.length !== count) throw new Error(`left: ${left.map(({ Id: id }) => id).join(", ")}`);
  };
  afterEach(async () => {
    for (const sandbox of open.splice(0)) await sandbox.close();
    await onlyLeft(4); // the two and their gateways, running or killed
  });
  afterAll(async () => {
    await listed?.close();
    await begunWithout?.close();
    await internet?.close();
    await onlyLeft(0);
  });

  it("reaches the names of its list by HTTP, by TLS and by what speaks first, and itself", async () => {
    const sandbox = listed;
    await sandbox.exec("setsid python3 -m http.server 8123 --directory /app > /dev/null 2>&1 &");
    await sandbox.exec("for i in $(seq 50); do (echo > /dev/tcp/127.0.0.1/8123) 2>/dev/null && break; sleep 0.1; done", { shell: "bash" });
    expect(
      await tried(
        sandbox,
        "name one.example",
        "page one.example one.example",
        "page one.example ONE.example.:80",
        "secure one.example one.example",
        "page a.wild.example a.wild.example",
        "listens one.example 22",
        `ask ${addresses[0]} tcp one.example`,
        "page 127.0.0.1 127.0.0.1 8123",
      ),
    ).toEqual([
      addresses[0],
      "a page",
      "a page",
      "a page",
      "a page",
      "a greeting|a word|",
      addresses[0],
      expect.stringContaining("greeting.txt"),
    ]);
  });

  it("reaches nothing else: no other name, address, protocol or name server, and nobody hears what it asked for", async () => {
    const sandbox = listed;
    const [one = "", two = ""] = addresses;
    expect(await tried(sandbox, "name one.example", "page one.example one.example")).toEqual([one, "a page"]);
    const there = [
      "name other.example",
      `ask ${one} udp other.example`,
      `ask ${two} tcp other.example`,
      `page ${two} one.example`,
      `page ${one} shared.example`,
      `page ${one} ${one}`,
      `raw ${one} 80 GET\\x20/\\x20HTTP/1.0\\r\\n\\r\\n`,
      `raw ${one} 80 get\\x20http://shared.example/\\x20http/1.0\\r\\nhost:one.example\\r\\n\\r\\n`,
      `raw ${one} 80 GET\\x20/\\x20HTTP/1.0\\r\\nHost:one.example\\r\\nHost:shared.example\\r\\n\\r\\n`,
      `secure ${one} shared.example`,
      `secure ${one} -`,
      `datagram ${one} 99`,
    ];
    const refused = [
      ...there,
      "name wild.example",
      "name secret.one.example",
      "datagram 2001:db8::1 99",
      `page ${internet?.host} one.example`,
      "page near.example near.example",
      "page 169.254.169.254 one.example",
      "page 127.0.0.1 one.example 28651",
    ];
    expect(await tried(sandbox, ...refused)).toEqual(refused.map(() => "no"));
    expect(await internet?.asked(0)).not.toMatch(/^(secret|other|wild)/m);
    await sandbox.setNetwork({ mode: "public" });
    expect(await tried(sandbox, ...there)).not.toContain("no");
  });

  it("reaches the addresses and ranges of its list, whatever name is given with them", async () => {
    const [one = "", two = ""] = addresses;
    await listed.setNetwork(only(one, `${two}/32`));
    expect(await tried(listed, `page ${one} shared.example`, `secure ${two} -`, "name one.example", `datagram ${one} 99`)).toEqual([
      "a page",
      "a page",
      "no",
      "no",
    ]);
  });

  it("goes on from what was left in another one, behind a gateway of its own", async () => {
    const sandbox = listed;
    await sandbox.setNetwork(only("other.example"));
    await sandbox.exec("echo kept > /app/left");
    const made = await prepared.createFrom?.(sandbox, { labels, network: true, hosts: ["one.example"], own: [] });
    const next = made?.sandbox as DockerSandbox; // as above
    open.push(next);
    const ways = ["page one.example one.example", "page other.example other.example"];
    expect(await tried(next, ...ways)).toEqual(["a page", "no"]);
    expect(await tried(sandbox, ...ways)).toEqual(["no", "a page"]);
    expect(new TextDecoder().decode(await next.readFile("/app/left"))).toBe("kept\n");
  });

  it("cannot change that as root: no rules, no raw sockets, no marks, no name server of its own", async () => {
    const sandbox = listed; // the last test that uses it
    await sandbox.setNetwork(only("one.example"));
    const rights = await said(sandbox, "open netfilter", "open icmp", "open packet", "open mark");
    expect(rights.map((line) => /Errno 1\b/.exec(line)?.[0])).toEqual(rights.map(() => "Errno 1"));
    // Its own and the gateway's are one file.
    await sandbox.exec(
      `echo nameserver ${addresses[1]} > /etc/resolv.conf; echo ${addresses[1]} one.example >> /etc/hosts; ip link add x type dummy`,
    );
    await sandbox.setNetwork({ mode: "public" });
    await sandbox.setNetwork(only("one.example"));
    const before = await internet?.asked(1);
    expect(await tried(sandbox, "page one.example one.example", `ask ${addresses[1]} udp one.example`)).toEqual(["no", addresses[0]]);
    expect(await internet?.asked(1)).toBe(before);
    const { HostConfig: host } = await docker.getContainer(sandbox.id).inspect();
    expect(host).toMatchObject({ CapDrop: ["NET_RAW"] });
  });

  it("gets another network in mid-life, and what is open to the last one's hosts ends", async () => {
    const sandbox = begunWithout;
    const both = ["page one.example one.example", "page other.example other.example", `datagram ${addresses[1]} 99`];
    expect(await tried(sandbox, ...both)).toEqual(["no", "no", "no"]);
    await sandbox.setNetwork({ mode: "public" });
    expect(await tried(sandbox, ...both)).toEqual(["a page", "a page", "an echo"]);
    const stays = `import socket, time
s = socket.create_connection(("${addresses[1]}", 22))
s.recv(100)
print("open", flush=True)
while True:
    time.sleep(0.2)
    s.sendall(b"?")
    s.recv(100)
`;
    await sandbox.writeFile("/stays.py", Buffer.from(stays));
    await sandbox.exec("setsid python3 /stays.py > /stays.log 2>&1 &");
    const log = async (): Promise<string> => new TextDecoder().decode(await sandbox.readFile("/stays.log"));
    await expect.poll(log, { timeout: 20_000 }).toContain("open");
    await sandbox.setNetwork(only("one.example"));
    expect(await tried(sandbox, ...both)).toEqual(["a page", "no", "no"]);
    await expect.poll(log, { timeout: 20_000 }).toContain("Error");
    await sandbox.setNetwork(only("other.example"));
    expect(await tried(sandbox, ...both)).toEqual(["no", "a page", "no"]);
    await sandbox.setNetwork(only());
    expect(await tried(sandbox, ...both)).toEqual(["no", "no", "no"]);
    await sandbox.setNetwork({ mode: "no-network" });
    expect(await tried(sandbox, ...both)).toEqual(["no", "no", "no"]);
  });

  it("has its network cut where the gateway is killed, and that is seen", async () => {
    const sandbox = begunWithout;
    await sandbox.setNetwork(only("one.example", addresses[0] ?? ""));
    const ways = [`page ${addresses[0]} one.example`, `page ${addresses[1]} other.example`];
    expect(await tried(sandbox, ...ways)).toEqual(["a page", "no"]);
    expect(await sandbox.evidence()).not.toHaveProperty("gatewayEnded");
    const { HostConfig: host } = await docker.getContainer(sandbox.id).inspect();
    await docker.getContainer(String(host.NetworkMode).replace("container:", "")).kill();
    expect(await tried(sandbox, ...ways)).toEqual(["no", "no"]);
    expect(await sandbox.evidence()).toMatchObject({ state: "running", gatewayEnded: { event: "kill", exitCode: 137 } });
    await expect(sandbox.setNetwork({ mode: "public" })).rejects.toThrow(/gateway that holds the task's network to its hosts/);
    expect(await tried(sandbox, ...ways)).toEqual(["no", "no"]);
  });

  it("is not made where its gateway cannot hold the list, and nothing is left", async () => {
    const nowhere = await createDockerProvider({ dns: ["nowhere"] }).prepare({ name: "contract", folder, gateway: true });
    await expect(nowhere.create({ labels, network: true, hosts: ["one.example"] })).rejects.toThrow(
      /^The gateway .* could not be set: .* no name server/,
    );
  });

  it("is not made without one where there is a list of hosts", async () => {
    const plain = await createDockerProvider().prepare({ name: "contract", folder });
    await expect(plain.create({ labels, network: true, hosts: ["one.example"] })).rejects.toThrow(/needs a gateway/);
    const sandbox = (await plain.create({ labels })) as DockerSandbox; // as above
    open.push(sandbox);
    await expect(sandbox.setNetwork({ mode: "allowlist", hosts: [] })).rejects.toThrow(/needs a gateway/);
  });
});
