import type { SystemListing } from "./image-places.ts";
import type { Sandbox } from "../../sandbox.ts";
import { quote } from "../../shell/quote.ts";

const path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
const setId = `find / -xdev -type f \\( -perm -4000 -o -perm -2000 \\) -print0`;
/** Programs with capabilities of their own, where there is something that can tell. */
const capable = `find / -xdev -type f \\( -perm -100 -o -perm -10 -o -perm -1 \\) -print0 | if command -v python3 > /dev/null; then
  python3 -I -S -c 'import os, sys
for name in sys.stdin.buffer.read().split(b"\\0"):
    try:
        if name and "security.capability" in os.listxattr(name, follow_symlinks=False): sys.stdout.buffer.write(name + b"\\0")
    except OSError: pass'
else cat; fi`;

/**
 * Takes from files that an agent left what would give whoever runs them another's rights: set-id bits and capabilities. And gives the root folder the image's
 * owner and mode: who may write there can put another folder in the place of any.
 * @param kept absolute paths of what is the agent's
 * @returns the files that had such rights, as far as that is known
 */
export async function stripRights(sandbox: Sandbox, kept: readonly string[], image: SystemListing): Promise<readonly string[]> {
  const asRoot = new TextDecoder().decode((await sandbox.exec("id -u", { cwd: "/" })).stdout).trim() === "0" ? {} : { user: "0" };
  const exec = (command: string) =>
    sandbox.exec(`${path}; ${command}`, { cwd: "/", maxBytes: 64 * 1024 * 1024, timeoutMs: 120_000, ...asRoot });
  const { mode = 0o755, uid = 0, gid = 0 } = image.entries.get("/") ?? {};
  await exec(`chown ${uid}:${gid} / && chmod ${mode.toString(8)} /`);
  const own = new Set(kept);
  const found = async (command: string): Promise<string[]> =>
    own.size === 0
      ? []
      : new TextDecoder()
          .decode((await exec(command)).stdout)
          .split("\0")
          .filter((name) => own.has(name));
  const [marked, programs] = [await found(setId), await found(capable)];
  // A change of owner, be it to the same, clears capabilities, too.
  const all = [...new Set([...marked, ...programs])];
  for (let i = 0; i < all.length; i += 100) {
    const some = all.slice(i, i + 100).map(quote);
    await exec(`for f in ${some.join(" ")}; do chown "$(stat -c %u:%g -- "$f")" -- "$f"; chmod u-s,g-s -- "$f"; done`);
  }
  return marked;
}
