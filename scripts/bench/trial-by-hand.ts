import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type Docker from "dockerode";
import tar from "tar-stream";

/** The tasks' own places in a container. */
export interface HandTrial {
  readonly docker: Docker;
  /** Built already. */
  readonly image: string;
  readonly workdir: string;
  readonly solution: string;
  readonly tests: string;
}

/**
 * What a trial asks of the engine at the least, one thing after the other and with nothing checked: a container in which the solution works, its
 * workdir carried into a second one, where the tests run. Answers the reward; both containers are gone then.
 */
export async function trialByHand({ docker, image, workdir, solution, tests }: HandTrial): Promise<string> {
  const agent = await startContainer(docker, image);
  let verifier: Docker.Container | undefined;
  try {
    await agent.putArchive(await packUnder("solution", solution), { path: "/" });
    await run(docker, agent, workdir, "sh /solution/solve.sh");
    const work = await buffer(await agent.getArchive({ path: workdir }));
    await run(docker, agent, workdir, "kill -KILL -1");
    verifier = await startContainer(docker, image);
    await verifier.putArchive(work, { path: join(workdir, "..") });
    await verifier.putArchive(await packUnder("tests", tests), { path: "/" });
    await run(docker, verifier, workdir, "sh /tests/test.sh");
    return await readReward(verifier);
  } finally {
    await agent.remove({ force: true, v: true });
    await verifier?.remove({ force: true, v: true });
  }
}

async function startContainer(docker: Docker, image: string): Promise<Docker.Container> {
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: ["/bin/sh", "-c", `trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done`],
    Cmd: [],
    Labels: { "forge-speed": "by-hand" },
    HostConfig: { NetworkMode: "none", Memory: 512 * 1024 * 1024, NanoCpus: 1e9 },
  });
  await container.start();
  return container;
}

async function run(docker: Docker, container: Docker.Container, workdir: string, command: string): Promise<void> {
  const exec = await container.exec({ Cmd: ["/bin/sh", "-c", command], WorkingDir: workdir, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  const ended = new Promise((resolve) => stream.once("close", resolve).once("end", resolve));
  stream.resume();
  await ended;
  await exec.inspect();
}

async function readReward(container: Docker.Container): Promise<string> {
  const extract = tar.extract();
  (await container.getArchive({ path: "/logs/verifier/reward.txt" })).pipe(extract);
  let text = "";
  for await (const entry of extract) text += (await buffer(entry)).toString();
  return text.trim();
}

async function packUnder(name: string, folder: string): Promise<Buffer> {
  const pack = tar.pack();
  for (const path of await readdir(folder, { recursive: true })) {
    const file = join(folder, path);
    if ((await stat(file)).isFile()) pack.entry({ name: `${name}/${path}`, mode: 0o755 }, await readFile(file));
  }
  pack.finalize();
  return buffer(pack);
}
