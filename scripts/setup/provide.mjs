// Provides what tests need, as root on Debian: says it first, installs it, starts Docker, makes the base image.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startDockerd } from "./dockerd.mjs";
import { baseImage, missing } from "./missing.mjs";
import { root } from "./prepare.mjs";

/**
 * @typedef {import("./missing.mjs").Missing} Missing
 * @typedef {import("./missing.mjs").Need} Need
 */

/** @type {Partial<Record<Need, string[]>>} Debian packages of what tests need, apart from Docker. */
const packages = {
  git: ["git"],
  python3: ["python3"],
  gcc: ["gcc", "libc6-dev"],
  make: ["make"],
  bubblewrap: ["bubblewrap"],
  tmux: ["tmux"],
  chromium: ["chromium"],
};
/** @type {readonly Need[]} */
const dockerNeeds = ["docker", "docker-daemon", "buildx", "cgroups"];

function isDebianRoot() {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  return /^(ID|ID_LIKE)=.*debian/m.test(readFileSync("/etc/os-release", "utf8"));
}

/**
 * A daemon mounts file systems and makes networks: without these capabilities its installation would be in vain.
 * @returns {Missing | undefined}
 */
function cannotHostDocker() {
  const effective = BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0"}`);
  const [sysAdmin, netAdmin] = [1n << 21n, 1n << 12n];
  if ((effective & sysAdmin) !== 0n && (effective & netAdmin) !== 0n) return undefined;
  return {
    reason: "this is an unprivileged container (no CAP_SYS_ADMIN or no CAP_NET_ADMIN), in which no Docker daemon can start",
    cure: "docker run --privileged …, or docker run -v /var/run/docker.sock:/var/run/docker.sock …, or the machine itself",
  };
}

/**
 * @param {string[]} names
 * @returns {boolean} whether they are installed now
 */
function aptInstall(names) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", ...names],
  ]) {
    const { status, stdout, stderr } = spawnSync("apt-get", args, {
      encoding: "utf8",
      env,
      maxBuffer: 1 << 26,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (status === 0) continue;
    console.log(`apt-get ${args.join(" ")} failed:\n${(stderr || stdout).trim().split("\n").slice(-5).join("\n")}`);
    return false;
  }
  return true;
}

/** @returns {boolean} whether the base image is there now */
function bootstrapImage() {
  const cli = join(root, "dist", "cli", "main.js");
  const { status } = spawnSync(process.execPath, [cli, "images", "bootstrap"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  return status === 0;
}

/**
 * @typedef {object} Provided
 * @property {NodeJS.ProcessEnv} env for the tests: why what was tried is still missing
 * @property {boolean} startedDocker whether the daemon is this run's alone
 * @property {() => Promise<void>} stop ends the daemon that this started, and only that
 */

/**
 * @param {Missing} why
 * @returns {Provided}
 */
const withoutDocker = (why) => ({ env: { FORGE_NO_DOCKER: JSON.stringify(why) }, startedDocker: false, stop: async () => {} });

/** @type {Provided} */
const nothing = { env: {}, startedDocker: false, stop: async () => {} };

/**
 * Provides what is missing where it may (root, Debian, not `FORGE_SETUP=0`); elsewhere changes nothing.
 * @param {ReadonlySet<Need>} needed what the chosen tests may need: nothing else is looked for
 * @returns {Promise<Provided>}
 */
export async function provide(needed) {
  if (process.env["FORGE_SETUP"] === "0" || !isDebianRoot()) return nothing;

  const wanted = [...needed]
    .filter((need) => packages[need] && missing(need)?.reason.endsWith("is not installed"))
    .flatMap((need) => packages[need] ?? []);
  const withDocker = dockerNeeds.some((need) => needed.has(need));
  const noDaemon = withDocker && missing("docker-daemon") !== undefined && process.env["DOCKER_HOST"] === undefined;
  const hopeless = noDaemon ? cannotHostDocker() : undefined;
  const starts = noDaemon && !hopeless;
  if (starts && !existsSync("/usr/bin/dockerd")) wanted.push("docker.io");
  if (starts && !existsSync("/usr/sbin/iptables")) wanted.push("iptables");
  const noImage = starts || (withDocker && !noDaemon && missing("docker") !== undefined);
  // Also where the image is there: one of an earlier Forge is rebuilt.
  if (withDocker && !hopeless && missing("debootstrap")) wanted.push("debootstrap");

  const plan = [
    ...(wanted.length > 0 ? [`install with apt-get: ${wanted.join(" ")}`] : []),
    ...(starts ? ["start a Docker daemon for this run, and stop it at the end"] : []),
    ...(noImage ? [`make the image ${baseImage} if Docker has none yet (about a minute)`] : []),
  ];
  if (plan.length > 0)
    console.log(`Setting this machine up for these tests (FORGE_SETUP=0 prevents it):\n${plan.map((line) => `  - ${line}`).join("\n")}`);
  if (wanted.length > 0 && !aptInstall(wanted) && starts) {
    return withoutDocker({
      reason: "apt-get could not install Docker (see above)",
      cure: "apt-get update && apt-get install -y docker.io iptables debootstrap",
    });
  }
  if (hopeless) return withoutDocker(hopeless);

  const started = starts ? await startDockerd() : undefined;
  if (started && "reason" in started) return withoutDocker(started);
  if (withDocker && !missing("docker-daemon") && !bootstrapImage())
    console.log(`The image ${baseImage} could not be made (see above): what needs it is skipped.`);
  return { env: {}, startedDocker: started !== undefined, stop: started ? started.stop : nothing.stop };
}
