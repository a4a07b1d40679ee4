import { InfraError } from "../../errors.ts";
import type { Sandbox } from "../sandbox.ts";
import type { SystemListing } from "../system-places.ts";

/** GNU's and busybox's tools alike; the mode in hexadecimal has the type in it. */
const script = `find / -maxdepth 1 -exec stat -c '%f %u %g %n' {} +
for d in usr bin sbin lib lib32 lib64 libx32 etc root home; do [ -d /$d ] && [ ! -L /$d ] && find /$d -xdev -exec stat -c '%f %u %g %n' {} +; done
exit 0`;
const [typeBits, folder, link] = [0o170000, 0o040000, 0o120000];

/** Reads what an image holds in its system's folders, in a sandbox of it that no agent has touched. */
export async function systemListing(untouched: Sandbox): Promise<SystemListing> {
  const read = await untouched.exec(script, { cwd: "/", maxBytes: 128 * 1024 * 1024, timeoutMs: 60_000 });
  const entries = new Map<string, { type: "d" | "l" | "f"; mode: number; uid: number; gid: number }>();
  for (const line of new TextDecoder().decode(read.stdout).split("\n")) {
    const [, bits, uid, gid, path] = /^([0-9a-f]+) (\d+) (\d+) (\/.*)$/.exec(line) ?? [];
    if (bits === undefined || path === undefined) continue;
    const mode = Number.parseInt(bits, 16);
    const kind = mode & typeBits;
    entries.set(path.replace(/^\/\//, "/"), {
      type: kind === folder ? "d" : kind === link ? "l" : "f",
      mode: mode & 0o7777,
      uid: Number(uid),
      gid: Number(gid),
    });
  }
  if (!entries.has("/etc") || read.dropped > 0)
    throw new InfraError('What the image holds could not be listed; it needs find and stat for verify = "snapshot" and "live".');
  return { entries };
}
