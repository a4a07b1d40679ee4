import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import tar from "tar-stream";
import { CannotError, InfraError, messageOf } from "../../../errors.ts";
import { connect, connectionFromEnvironment, daemonAnswers, type DockerConnection } from "../daemon/connection.ts";
import { loadExeca } from "../../../package/load-execa.ts";

/** What Forge's own tasks start from. */
export const baseImage = "forge-base/debian:bookworm";
const upstream = "debian:bookworm-slim";
const common = ["bash", "ca-certificates", "git", "jq", "make", "procps", "python3", "python3-pytest", "ripgrep"];
// Generated tasks have bugs in C and in JavaScript, too.
const packages = [...common, "gcc", "libc6-dev", "nodejs", "locales"];
/**
 * A locale whose rules differ from those of `C`: a comma in decimals, another order, and an `i` whose capital is not `I`. The gate runs tasks under it, too.
 * Its sources in /usr/share/i18n are left out afterwards.
 */
const locale = "tr_TR.UTF-8";
const makeLocale = ["localedef", "-i", "tr_TR", "-f", "UTF-8", locale];
/** Says on the image what it holds, so that one of an earlier Forge is known and rebuilt. */
const holds = { label: "forge.packages", value: [...packages, locale].join(" ") };
/** A registry that has not started to answer by then counts as unreachable; debootstrap takes about a minute. */
const pullTimeoutMs = 20_000;

export interface BootstrapOptions {
  readonly onProgress?: (line: string) => void;
  readonly connection?: DockerConnection;
  readonly signal?: AbortSignal;
}

/**
 * Makes the image `forge-base/debian:bookworm` unless it is there with all its packages: from Debian's official image where a registry is reachable, with debootstrap where none is.
 * Answers how it came to be. Throws `CannotError` with the cure where neither way is open.
 */
export async function bootstrapBaseImage(o: BootstrapOptions = {}): Promise<"present" | "registry" | "debootstrap"> {
  const say = o.onProgress ?? (() => {});
  const connection = o.connection ?? connectionFromEnvironment();
  const docker = connect(connection);
  const answers = await daemonAnswers(docker, connection);
  if (answers !== true) throw new CannotError(answers);
  const found = await baseImageState(docker);
  if (found === "present") {
    say(`${baseImage} is there`);
    return "present";
  }
  if (found === "older") say(`${baseImage} is of an earlier Forge and lacks packages; rebuilding it`);
  say(`${baseImage}: asking the registry for ${upstream}`);
  if (await pull(docker, upstream, o.signal)) {
    await buildOnUpstream(docker, say, o.signal);
    say(`${baseImage} is ready`);
    return "registry";
  }
  say(`${baseImage}: no registry is reachable, using debootstrap (1-2 minutes)`);
  await debootstrap(docker, say, o.signal);
  say(`${baseImage} is ready`);
  return "debootstrap";
}

/** `older`: made by a Forge whose base image held other packages. */
export async function baseImageState(docker: Docker): Promise<"present" | "older" | "missing"> {
  const image = await inspectImage(docker, baseImage);
  if (!image) return "missing";
  return image.Config.Labels?.[holds.label] === holds.value ? "present" : "older";
}

export async function hasImage(docker: Docker, name: string): Promise<boolean> {
  return (await inspectImage(docker, name)) !== undefined;
}

async function inspectImage(docker: Docker, name: string): Promise<Docker.ImageInspectInfo | undefined> {
  try {
    return await docker.getImage(name).inspect();
  } catch (error) {
    if (error instanceof Error && "statusCode" in error && error.statusCode === 404) return undefined;
    throw error;
  }
}

/** True when the image is now there; false when no registry gives it in time. */
export async function pull(docker: Docker, name: string, signal?: AbortSignal): Promise<boolean> {
  if (await hasImage(docker, name)) return true;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), pullTimeoutMs);
  try {
    const stream = await docker.pull(name, { abortSignal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]) });
    clearTimeout(timer);
    const failed = await followProgress(stream);
    return failed === undefined && (await hasImage(docker, name));
  } catch {
    signal?.throwIfAborted();
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the daemon's JSON lines to their end. Answers the first error in them: the daemon reports a failure inside a stream that itself succeeds. */
export async function followProgress(stream: NodeJS.ReadableStream, onText?: (text: string) => void): Promise<string | undefined> {
  let rest = "";
  let failed: string | undefined;
  const take = (line: string) => {
    if (line.trim() === "") return;
    // The shape is the Engine API's; other fields are progress bars.
    const message = JSON.parse(line) as { stream?: string; error?: string };
    if (message.stream) onText?.(message.stream);
    if (message.error) failed ??= message.error;
  };
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(take);
  }
  take(rest);
  return failed;
}

async function buildOnUpstream(docker: Docker, say: (line: string) => void, signal?: AbortSignal): Promise<void> {
  const pack = tar.pack();
  const install = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  const finish = `${makeLocale.join(" ")} && rm -rf /usr/share/i18n /var/lib/apt/lists/*`;
  pack.entry(
    { name: "Dockerfile" },
    `FROM ${upstream}\nENV LANG=C.UTF-8\nRUN ${install} && ${finish}\nLABEL ${holds.label}="${holds.value}"\n`,
  );
  pack.finalize();
  const stream = await docker.buildImage(Readable.from(pack), {
    t: baseImage,
    rm: true,
    forcerm: true,
    ...(signal ? { abortSignal: signal } : {}),
  });
  const failed = await followProgress(stream, (text) => {
    if (text.startsWith("Step ")) say(text.trim());
  });
  if (failed)
    throw new InfraError(
      `${baseImage} could not be built on ${upstream}: ${failed}. Check that Debian's mirrors are reachable from containers.`,
    );
}

async function debootstrap(docker: Docker, say: (line: string) => void, signal?: AbortSignal): Promise<void> {
  const cannot = `${baseImage} cannot be made: no image registry is reachable`;
  if (process.getuid?.() !== 0)
    throw new CannotError(`${cannot}, and debootstrap needs root; run \`forge images bootstrap\` once as root.`);
  const { execa } = await loadExeca();
  if ((await execa("debootstrap", ["--version"], { reject: false })).failed)
    throw new CannotError(`${cannot}, and debootstrap is not installed; apt-get install -y debootstrap, then try again.`);
  const folder = await mkdtemp(join(tmpdir(), "forge-base-"));
  const root = join(folder, "root");
  try {
    await runDebootstrap(root, say, signal);
    await execa("chroot", [root, ...makeLocale], signal ? { cancelSignal: signal } : {});
    say("debootstrap: importing into Docker");
    const archive = join(folder, "root.tar");
    // What the package manager can fetch again, and manuals nobody reads here, are half of the size.
    const left = [
      "./dev/*",
      "./var/cache/apt/*",
      "./var/lib/apt/lists/*",
      "./usr/share/doc/*",
      "./usr/share/man/*",
      "./usr/share/locale/*",
      "./usr/share/i18n/*",
    ];
    await execa(
      "tar",
      ["-C", root, "--numeric-owner", ...left.map((path) => `--exclude=${path}`), "-cf", archive, "."],
      signal ? { cancelSignal: signal } : {},
    );
    signal?.throwIfAborted();
    await importArchive(docker, archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runDebootstrap(root: string, say: (line: string) => void, signal?: AbortSignal): Promise<void> {
  const { execa } = await loadExeca();
  const run = execa("debootstrap", ["--variant=minbase", `--include=${packages.join(",")}`, "bookworm", root], {
    all: true,
    reject: false,
    env: { DEBIAN_FRONTEND: "noninteractive", LANG: "C.UTF-8" },
    ...(signal ? { cancelSignal: signal } : {}),
  });
  let last = "";
  let saidAt = 0;
  for await (const line of run.iterable({ from: "all" })) {
    last = line.startsWith("E:") || !last.startsWith("E:") ? line : last;
    // It prints several lines a package; one every other second shows that it lives.
    if (!line.startsWith("I: ") || Date.now() - saidAt < 2_000) continue;
    saidAt = Date.now();
    say(`debootstrap: ${line.slice(3)}`);
  }
  const { failed } = await run;
  signal?.throwIfAborted();
  if (failed)
    throw new CannotError(
      `${baseImage} cannot be made: debootstrap ended with "${last}"; check that Debian's mirror is reachable and the disk has 1 GB free, then try again.`,
    );
}

async function importArchive(docker: Docker, archive: string): Promise<void> {
  const [repo = "", tag = ""] = baseImage.split(":");
  const changes = [
    'CMD ["/bin/bash"]',
    "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "ENV LANG=C.UTF-8",
    `LABEL ${holds.label}="${holds.value}"`,
  ];
  try {
    // The types promise nothing here, the client gives the daemon's stream.
    const stream = (await docker.importImage(archive, { repo, tag, changes })) as unknown as NodeJS.ReadableStream;
    const failed = await followProgress(stream);
    if (failed) throw new Error(failed);
  } catch (error) {
    throw new InfraError(`${baseImage} could not be imported into Docker: ${messageOf(error)}. Check the daemon's disk, then try again.`);
  }
}
