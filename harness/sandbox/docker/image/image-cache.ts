import type Docker from "dockerode";

/** The names of images that are built for tasks begin so. */
export const repositoryPrefix = "forge-task/";
/** Images of other jobs that run now must not go: what was asked for this lately stays. Milliseconds. */
const recentMs = 10 * 60_000;

interface DiskUsage {
  readonly Images: readonly {
    readonly RepoTags: readonly string[] | null;
    readonly Size: number;
    /** -1 where it was not worked out. */
    readonly SharedSize: number;
    /** Running and stopped ones; -1 where they were not counted. */
    readonly Containers: number;
  }[];
}

/** Notes that an image was asked for: a daemon dates an image by its last tag. */
export async function touchImage(docker: Docker, tag: string): Promise<void> {
  const colon = tag.lastIndexOf(":");
  await docker.getImage(tag).tag({ repo: tag.slice(0, colon), tag: tag.slice(colon + 1) });
}

/**
 * Removes images of tasks, those longest not asked for first, until what they take beside what they share with others is at most `bytes`. Only names
 * below `prefix` are taken away, so an image that has another name stays under that; images with containers stay too.
 * @returns how many were removed
 */
export async function trimImages(
  docker: Docker,
  o: { readonly bytes: number; readonly now: number; readonly prefix?: string; readonly recentMs?: number },
): Promise<number> {
  const prefix = o.prefix ?? repositoryPrefix;
  const { Images: images } = (await docker.df()) as DiskUsage; // `any` in its types
  const own = images.flatMap((image) => {
    const tags = (image.RepoTags ?? []).filter((tag) => tag.startsWith(prefix));
    return tags.length > 0 ? [{ tags, bytes: image.Size - Math.max(0, image.SharedSize), used: image.Containers > 0 }] : [];
  });
  let total = own.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= o.bytes) return 0;
  const dated = await Promise.all(own.map(async (image) => ({ ...image, at: await lastAskedFor(docker, image.tags[0] ?? "") })));
  let removed = 0;
  for (const { tags, bytes, used, at } of dated.toSorted((a, b) => a.at - b.at)) {
    if (total <= o.bytes) break;
    if (used || o.now - at < (o.recentMs ?? recentMs)) continue;
    // By name and without force: the daemon refuses what came into use meanwhile.
    const gone = await Promise.allSettled(tags.map((tag) => docker.getImage(tag).remove()));
    if (gone.some(({ status }) => status === "rejected")) continue;
    total -= bytes;
    removed++;
  }
  return removed;
}

/** Unix milliseconds; now, for an image that is gone or of which it is not known, so that it stays. */
async function lastAskedFor(docker: Docker, tag: string): Promise<number> {
  const about = (await docker
    .getImage(tag)
    .inspect()
    .catch(() => undefined)) as { readonly Metadata?: { readonly LastTagTime?: string } } | undefined; // not in its types
  const at = Date.parse(about?.Metadata?.LastTagTime ?? "");
  return Number.isNaN(at) || at < 0 ? Number.POSITIVE_INFINITY : at;
}
