const MiB = 1024 ** 2;

/** Files of a job, by where they lie in its folder; what is read as a whole has a size beyond which nobody reads it. */
const places: readonly { readonly at: RegExp; readonly maxBytes: number }[] = [
  { at: /^(config|lock|result)\.json$/, maxBytes: 64 * MiB },
  { at: /^journal\.jsonl$/, maxBytes: Infinity },
  { at: /^blobs\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/, maxBytes: 64 * MiB },
  { at: /^trials\/[^/]+\/[^/]+\/[1-9]\d*\/result\.json$/, maxBytes: MiB },
  { at: /^trials\/[^/]+\/[^/]+\/[1-9]\d*\/attempt-[1-9]\d*\/record\.json$/, maxBytes: MiB },
  { at: /^trials\/[^/]+\/[^/]+\/[1-9]\d*\/attempt-[1-9]\d*\/(steps\/[^/]+\/)?seal\.json$/, maxBytes: MiB },
  { at: /^trials\/[^/]+\/[^/]+\/[1-9]\d*\/attempt-[1-9]\d*\/(steps\/[^/]+\/)?blobs\/.+$/s, maxBytes: 256 * MiB },
  { at: /^trials\/[^/]+\/[^/]+\/[1-9]\d*\/attempt-[1-9]\d*\/(steps|(steps\/[^/]+\/)?delta)\.json$/, maxBytes: 64 * MiB },
  { at: /^trials\/[^/]+\/[^/]+\/[1-9]\d*\/attempt-[1-9]\d*\/.+$/s, maxBytes: Infinity },
];

/** The most bytes that a file at this path of a job's folder has; undefined where a job has no file. */
export function placeLimit(path: string): number | undefined {
  if (path.includes("\0") || path.split("/").some((part) => part === "" || part === "." || part === "..")) return undefined;
  return places.find(({ at }) => at.test(path))?.maxBytes;
}
