import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readCompose } from "../../../tasks/formats/compose/read-compose.ts";
import { splitWords } from "../../../tasks/formats/compose/split-words.ts";
import { complaint, writeFiles } from "../write-task.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "forge-compose-"));
});
afterEach(() => rm(root, { recursive: true }));

async function read(text: string, files: Readonly<Record<string, string>> = {}) {
  await writeFiles(root, { "docker-compose.yaml": text, ...files });
  const found = await readCompose(root, join(root, "docker-compose.yaml"), {
    main: "main",
    mainMayBeAbsent: true,
    variables: { NAME: "value", EMPTY: "" },
    logVolumes: [],
  });
  if (!found) throw new Error("no compose file was read");
  return found;
}

describe("a compose file", () => {
  it("has its short forms written out, in the order in which services can start", async () => {
    const { compose, warnings } = await read(
      `
version: "3"
x-common: &common
  environment: {A: "1", B: null}
services:
  web:
    <<: *common
    build: ./web
    command: python -m http.server "80 80"
    depends_on: [queue]
    networks: {front: {aliases: [www]}, back: }
    env_file: web.env
    cap_add: [SYS_PTRACE]
    tmpfs: /run:size=1m
    mem_limit: 512m
    shm_size: 2gb
    restart: on-failure:3
    tty: true
    ports: ["80:80"]
  queue:
    image: redis:7
    network_mode: none
    volumes: [data:/data:ro, /cache, {type: tmpfs, target: /t}]
    healthcheck: {test: [NONE]}
networks: {front: , back: {internal: true}}
volumes: {data: }
`,
      { "web/Dockerfile": "FROM x\n", "web.env": "# a comment\nexport A=0\nC='3 4'\n" },
    );
    expect(compose.services.map(({ name }) => name)).toEqual(["queue", "web", "main"]);
    expect(compose.services[0]).toMatchObject({
      networks: [],
      volumes: [{ name: "data", target: "/data", readOnly: true }, { target: "/cache" }],
      tmpfs: ["/t"],
      healthcheck: "none",
    });
    expect(compose.services[1]).toMatchObject({
      build: { context: join(root, "web") },
      command: ["python", "-m", "http.server", "80 80"],
      environment: { A: "1", C: "3 4" },
      networks: [
        { name: "front", aliases: ["www"] },
        { name: "back", aliases: [] },
      ],
      dependsOn: [{ service: "queue", condition: "started" }],
      tmpfs: ["/run"],
      memoryMb: 512,
      shmMb: 2048,
      restart: "on-failure",
      tty: true,
      capAdd: ["SYS_PTRACE"],
    });
    expect(compose.networks).toEqual([
      { name: "front", internal: false },
      { name: "back", internal: true },
      { name: "default", internal: false },
    ]);
    expect(warnings).toEqual([
      expect.stringContaining("services.web.ports is not carried out; it is left out."),
      expect.stringContaining('services.web.environment: "B" has no value in the task; it is left out.'),
    ]);
  });

  it("fills in the task's variables and never the runner's", async () => {
    vi.stubEnv("FORGE_TEST_SECRET", "secret");
    const text = "$NAME ${NAME} ${NO:-d} ${EMPTY:-e} ${EMPTY-f} ${NAME:+g} ${NO:+h} $$NAME [${FORGE_TEST_SECRET}]";
    const { compose, warnings } = await read(`services: {main: {image: x, environment: {A: "${text}"}}}\n`);
    expect(compose.services[0]?.environment).toEqual({ A: "value value d e  g  $NAME []" });
    expect(warnings).toEqual([expect.stringContaining("the variable FORGE_TEST_SECRET is not one of the task's; it is empty.")]);
    expect(await complaint(read('services: {main: {image: "${NO:?give one}"}}\n'))).toContain('needs the variable NO ("give one")');
  });

  it("may name hosts, name servers, limits of processes and groups", async () => {
    const { compose, warnings } = await read(
      "services: {main: {extra_hosts: {db: 10.1.1.1}, dns: 1.1.1.1, dns_search: [a.b], ulimits: {nofile: {soft: 10, hard: 20}, nproc: 5}, group_add: [7]}}\n",
    );
    expect(compose.services[0]).toMatchObject({
      extraHosts: ["db:10.1.1.1"],
      dns: { servers: ["1.1.1.1"], search: ["a.b"], options: [] },
      ulimits: [
        { name: "nofile", soft: 10, hard: 20 },
        { name: "nproc", soft: 5, hard: 5 },
      ],
      groups: ["7"],
    });
    expect(warnings).toEqual([]);
  });

  it("may mount what lies in the task's folder, and says where the agent is shown what it is not to see", async () => {
    const { compose, warnings } = await read(
      `services:
  main:
    volumes: [./data/:/data/:ro, ./tests:/tests, {type: bind, source: ./init.sql, target: /init/a.sql}, "./new:/new"]
  db: {image: x, volumes: ["./data:/seed"]}
`,
      { "data/a.txt": "a", "init.sql": "b", "tests/test.sh": "c" },
    );
    const [main, db] = compose.services;
    expect([main?.name, main?.mounts]).toEqual([
      "main",
      [
        { source: join(root, "data"), type: "folder", target: "/data", readOnly: true },
        { source: join(root, "tests"), type: "folder", target: "/tests", readOnly: false },
        { source: join(root, "init.sql"), type: "file", target: "/init/a.sql", readOnly: false },
        { source: join(root, "new"), type: "folder", target: "/new", readOnly: false },
      ],
    ]);
    expect(db?.mounts).toEqual([{ source: join(root, "data"), type: "folder", target: "/seed", readOnly: false }]);
    expect(warnings).toEqual([expect.stringContaining("the agent sees tests of the task, because its container mounts them.")]);
  });

  it("names a key of a build or of a network that is left out", async () => {
    const { warnings } = await read(
      "services:\n  main:\n    build: {context: ., network: default, cache_from: [x], shm_size: 1g, isolation: x}\nnetworks: {default: {driver: bridge, ipam: {}, labels: {a: b}}}\n",
      { Dockerfile: "FROM x\n" },
    );
    expect(warnings.map((warning) => warning.replace(/^.*yaml:\d+: /, ""))).toEqual([
      "networks.default.ipam is not carried out; it is left out.",
      "services.main.build.shm_size is not carried out; it is left out.",
      "services.main.build.isolation is not carried out; it is left out.",
    ]);
  });

  it.each([
    ["privileged: true", "docker-compose.yaml:3: services.main.privileged: true needs a container with the rights of the machine"],
    ["pid: host", "the processes of the machine"],
    ["ipc: host", "the shared memory"],
    ["network_mode: host", "the network of the machine"],
    ["network_mode: 'container:other'", "or of another container"],
    ["cap_add: [SYS_ADMIN]", "SYS_ADMIN, a right over the machine"],
    ["cap_add: [ALL]", "ALL, a right over the machine"],
    ["cap_add: [cap_sys_module]", "cap_sys_module, a right over the machine"],
    ["security_opt: ['seccomp=unconfined']", "less protection of the machine"],
    ["devices: [/dev/kvm]", "devices of the machine"],
    ["deploy: {resources: {reservations: {devices: [{driver: nvidia}]}}}", "devices of the machine"],
    ["deploy: {replicas: 3}", "more than one container"],
    ["container_name: db", "is the same for each trial"],
    ["volumes: ['/var/run/docker.sock:/var/run/docker.sock']", "needs the Docker socket"],
    ["volumes: ['../src:/app']", '"../src" needs a folder of the machine outside of the task'],
    ["volumes: ['./x/../../..:/app']", "needs a folder of the machine"],
    ["volumes: ['.:/']", "no absolute path of the container"],
    ["volumes: ['/proc/self/root:/app']", "needs a folder of the machine"],
    ["volumes: ['./${NAME}/../../etc:/app']", "needs a folder of the machine"],
    ["volumes: ['/etc:/app']", '"/etc" needs a folder of the machine'],
    ["volumes: ['~/.ssh:/app']", "needs a folder of the machine"],
    ["volumes: [{type: bind, source: /etc, target: /app}]", "needs a folder of the machine"],
    ["volumes: [{type: bind, source: src, target: /app}]", '"src" does not exist'],
    ["volumes: [{type: bind, target: /app}]", "needs a folder of the machine"],
    ["volumes: [{type: npipe, source: x, target: /app}]", '"npipe" is no kind of volume'],
    ["volumes: ['./docker-compose.yaml:/x']\n    read_only: true", "a single file cannot be put"],
    ["volumes: ['nowhere:/app']", 'there is no volume "nowhere"'],
    ["volumes: ['/a:b:c']", "no absolute path of the container"],
    ["build: ../..", "is outside the task's folder"],
    ["build: https://example.com/x.git", "is outside the task"],
    ["build: {context: ., dockerfile: ../../Dockerfile}", "is outside the task's folder"],
    ["build: {context: ., network: host}", 'build.network: "host": an image is built with the engine\'s own network'],
    ["build: {context: ., additional_contexts: {a: /etc}}", "build.additional_contexts: needs files from elsewhere"],
    ["build: {context: ., ssh: [default]}", "build.ssh: needs keys of the machine"],
    ["build: {context: ., secrets: [a]}", "build.secrets: needs secrets of the machine"],
    ["build: {context: ., privileged: true}", "build.privileged: needs the rights of the machine"],
    ["build: {context: ., entitlements: [network.host]}", "build.entitlements: needs the rights of the machine"],
    [
      "build: {context: ., dockerfile_inline: 'FROM x'}",
      "build.dockerfile_inline: a Dockerfile within the compose file is not carried out",
    ],
    ["post_start: [{command: ./a.sh}]", "post_start: needs commands of the runner's after the start"],
    ["image: '-v'", "image: expected the name of an image"],
    ["cpus: 1e12", "its limit of cpus is 1000000000000"],
    ["mem_limit: 1m", "its limit of memory, in MiB, is 1, and must be from 6"],
    ["env_file: ../../.env", "is outside the task's folder"],
    ["networks: [nowhere]", 'there is no network "nowhere"'],
    ["depends_on: [nowhere]", 'there is no service "nowhere"'],
    ["depends_on: [main]", "in a circle"],
    ["command: 'echo \"a'", "a quote is not closed"],
    ["healthcheck: {test: [true]}", 'Begin it with "CMD"'],
    ["extra_hosts: ['x:host-gateway']", "needs the machine itself"],
    ["volumes_from: [other]", "the volumes of another container"],
    ["extends: {file: other.yaml, service: x}", "a service of another place"],
    ["environment: 7", "services.main.environment: expected a table, or a list of KEY=value, got 7"],
    ["image: [x]", "services.main.image: expected text"],
  ])("with a service of %j is refused with place and cure", async (line, expected) => {
    expect(await complaint(read(`services:\n  main:\n    ${line}\n`))).toContain(expected);
  });

  it.each([
    ["services: {a b: {image: x}}\n", "cannot be a service's name"],
    ["services: {main: {image: x}}\nnetworks: {n: {external: true}}\n", "networks.n: is outside the task"],
    ["services: {main: {image: x}}\nnetworks: {default: {driver: host}}\n", 'networks.default.driver: "host" needs another network'],
    ["services: {main: {image: x}}\nvolumes: {v: {driver_opts: {device: /etc}}}\n", "can mount the machine's own folders"],
    ["services: {main: {image: x}}\nsecrets: {s: {file: /etc/shadow}}\n", "secrets: is not carried out"],
    ["include: [other.yaml]\nservices: {}\n", "include: is not carried out"],
    ["services: {main: {image: x}, main: {image: y}}\n", "this is not valid YAML (Map keys must be unique"],
    [
      "a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c]\nservices: {}\n",
      "Write it without aliases",
    ],
    ["services: &a {main: *a}\n", "docker-compose.yaml"],
    ["services: 7\n", "services: expected a table, got 7"],
    ["", "the whole file: expected a table, got null"],
  ])("of %j is refused with place and cure", async (text, expected) => {
    expect(await complaint(read(text))).toContain(expected);
  });
});

it("a command is split as a shell splits words", () => {
  expect(splitWords(`a  "b c" 'd "e' f\\ g "h\\"i" ""`)).toEqual(["a", "b c", 'd "e', "f g", 'h"i', ""]);
  expect(splitWords("a 'b")).toBeUndefined();
});
