import { basename } from "node:path";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { codeOf, InfraError, messageOf } from "../../../errors.ts";
import { extractInto, listHostFolder, packFolder } from "../../workspace/pack-folder.ts";
import { SandboxPathError, type DownloadOptions, type Sandbox } from "../../sandbox.ts";
import { refuseLinks } from "../../shell/files.ts";
import { quote } from "../../shell/quote.ts";

/** Copies a folder of this machine into a container. `path`: absolute, made where it is missing. `exec`: the container's own sandbox's. */
export async function uploadFolder(container: Docker.Container, exec: Sandbox["exec"], hostFolder: string, path: string): Promise<void> {
  const entries = await listHostFolder(hostFolder);
  // The engine unpacks through links that the agent may have made, so they are looked for first; the archive brings every folder as a folder.
  await refuseLinks(exec, path);
  const make = `mkdir -p -- ${quote(path)}`;
  let made = await exec(make);
  // Places such as /tests belong to root, and the engine that unpacks there is root too; asking as root at once would cost a session of its own.
  if (made.exitCode !== 0) made = await exec(make, { user: "0" });
  if (made.exitCode !== 0) throw new SandboxPathError(`${path} cannot be made: ${Buffer.from(made.stderr).toString().trim()}`);
  const source = Readable.from(packFolder(hostFolder, entries));
  let unread: Error | undefined;
  source.once("error", (error) => (unread = error));
  await container.putArchive(source, { path }).catch((error: unknown) => {
    // What this machine cannot read is neither the container's failure nor the daemon's.
    if (unread && codeOf(unread) !== undefined) throw unread;
    throw new InfraError(`${hostFolder} could not be copied to ${path} in the container: ${messageOf(error)}.`);
  });
}

/** Copies a file or folder out of a container. `from`: absolute; a folder's entries come directly into `hostFolder`. */
export async function downloadFrom(container: Docker.Container, from: string, hostFolder: string, o: DownloadOptions): Promise<void> {
  const archive = await container.getArchive({ path: from }).catch((error: unknown) => {
    if (error instanceof Error && "statusCode" in error && error.statusCode === 404) throw new SandboxPathError(`${from} does not exist.`);
    throw new InfraError(`${from} could not be copied out of the container: ${messageOf(error)}.`);
  });
  const top = basename(from);
  let isFolder = false;
  const rename = (name: string): string | undefined => {
    const clean = name.replace(/\/+$/, "");
    if (clean === top || (top === "" && clean === "")) {
      isFolder = name.endsWith("/");
      return isFolder ? "" : top;
    }
    return top === "" ? clean : clean.startsWith(`${top}/`) ? clean.slice(top.length + 1) : undefined;
  };
  await extractInto(archive, hostFolder, rename, o);
}
