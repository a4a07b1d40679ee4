import { randomBytes, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";
import { pack } from "tar-stream";
import { afterAll, describe, expect, it } from "vitest";
import { touchImage, trimImages } from "../../../../../harness/sandbox/docker/image/image-cache.ts";
import { byteSize } from "../../../../../cli/shared/option-values.ts";
import { needs } from "../../../../needs.ts";

const docker = new Docker({ socketPath: "/var/run/docker.sock" });
const prefix = `forge-trim-${randomUUID().slice(0, 8)}/`;
const other = `forge-other-${randomUUID().slice(0, 8)}`;
const mb = 1_000_000;

/** An image of its own with one file of a megabyte. */
async function image(name: string): Promise<string> {
  const archive = pack();
  archive.entry({ name: "file" }, randomBytes(mb));
  archive.finalize();
  const said = await docker.importImage(Readable.from(archive), { repo: `${prefix}${name}`, tag: "1" });
  await new Promise((resolve) => docker.modem.followProgress(said, resolve));
  await wait(20); // tags are dated
  return `${prefix}${name}:1`;
}
const names = async (): Promise<string[]> =>
  (await docker.listImages()).flatMap(({ RepoTags: tags }) => tags ?? []).filter((tag) => tag.startsWith(prefix) || tag.startsWith(other));

describe.skipIf(needs("docker"))("images of tasks", () => {
  afterAll(async () => {
    for (const name of await names()) await docker.getImage(name).remove({ force: true });
  });

  it(
    "go when they take too much, longest unused first; what has a container, another name or was just used stays",
    { timeout: 120_000 },
    async () => {
      const [oldest, held, asked, shared, newest] = [
        await image("a"),
        await image("b"),
        await image("c"),
        await image("d"),
        await image("e"),
      ];
      const container = await docker.createContainer({ Image: held, Cmd: ["/none"] });
      try {
        await docker.getImage(shared).tag({ repo: other, tag: "1" });
        await touchImage(docker, shared);
        await touchImage(docker, asked);
        const trim = (bytes: number, recentMs = 0): Promise<number> => trimImages(docker, { bytes, now: Date.now(), prefix, recentMs });

        expect(await trim(10 * mb)).toBe(0);
        expect(await trim(0, 60_000)).toBe(0);
        expect(await trim(4.5 * mb)).toBe(1);
        expect((await names()).toSorted()).toEqual([held, asked, shared, newest, `${other}:1`].toSorted());
        expect(await trim(3.5 * mb)).toBe(1);
        expect((await names()).toSorted()).toEqual([held, asked, shared, `${other}:1`].toSorted());
        expect(await trim(0)).toBe(2);
        expect((await names()).toSorted()).toEqual([held, `${other}:1`].toSorted());
        expect(oldest).not.toBe(newest);
      } finally {
        await container.remove({ force: true });
      }
    },
  );
});

it("sizes are read as people write them", () => {
  expect(["60kB", "500MB", "20GB", "1.5TB"].map((size) => byteSize(size, "--keep"))).toEqual([6e4, 5e8, 2e10, 1.5e12]);
  for (const wrong of ["20", "GB", "-1GB", "20 GB", "1e3GB"])
    expect(() => byteSize(wrong, "--keep")).toThrow(`--keep: expected a size such as 500MB or 20GB, got "${wrong}".`);
});
