import { sandboxProviders } from "../../assembly/sandbox-providers.ts";
import { messageOf } from "../../harness/errors.ts";
import { knownProviders } from "../../harness/models/providers/known-providers.ts";
import { loadExeca } from "../../harness/package/load-execa.ts";
import { neededNode } from "../../harness/package/package-root.ts";
import { connect, connectionFromEnvironment } from "../../harness/sandbox/docker/daemon/connection.ts";
import { baseImage, baseImageState } from "../../harness/sandbox/docker/image/base-image.ts";
import { repositoryPrefix } from "../../harness/sandbox/docker/image/image-cache.ts";
import { bad, type Check, ok, split, warn } from "./check.ts";

/** Node, git, sandboxes and keys, as they are here. */
export async function checkMachine(env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const [git, sandboxes] = await Promise.all([checkGit(), checkSandboxes(env)]);
  return [checkNode(), git, ...sandboxes, checkKeys(env)];
}

function checkNode(): Check {
  const { version } = process;
  const needed = neededNode();
  const [have, least] = [version, needed].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  const older = (have?.[0] ?? 0) < (least?.[0] ?? 0) || (have?.[0] === least?.[0] && (have?.[1] ?? 0) < (least?.[1] ?? 0));
  return older ? bad("node", `${version} is too old.`, `Install Node ${needed}.`) : ok("node", version);
}

async function checkGit(): Promise<Check> {
  const { execa } = await loadExeca();
  const { stdout, failed } = await execa("git", ["--version"], { reject: false, timeout: 5_000 });
  if (!failed && typeof stdout === "string") return ok("git", stdout.replace("git version ", ""));
  return warn("git", "git is not in PATH: forge run takes no checkpoint to undo from.", "Install git (Debian: apt-get install -y git).");
}

/** A bench needs one that confines; the everyday run has a checkpoint and asks. */
async function checkSandboxes(env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const provider = sandboxProviders();
  const [docker, bubblewrap] = await Promise.all(
    (["docker", "bubblewrap"] as const).map(async (kind) => {
      try {
        return await (await provider(kind)).available();
      } catch (error) {
        return messageOf(error);
      }
    }),
  );
  const other = docker === true || bubblewrap === true ? warn : bad;
  const missing = (name: string, sentence: string): Check => {
    const { found, cure } = split(sentence);
    return other(name, found, cure);
  };
  return [
    ...(docker === true
      ? [ok("docker", `a daemon responds at ${connectionFromEnvironment(env).host}`), ...(await checkImages(env))]
      : [missing("docker", docker ?? "")]),
    bubblewrap === true ? ok("bubblewrap", "works") : missing("bubblewrap", bubblewrap ?? ""),
  ];
}

async function checkImages(env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const docker = connect(connectionFromEnvironment(env));
  const state = await baseImageState(docker);
  const bootstrap = "Run forge images bootstrap (about two minutes).";
  const base =
    state === "present"
      ? ok("base image", baseImage)
      : state === "older"
        ? warn("base image", `${baseImage} is of an earlier Forge and lacks packages.`, bootstrap)
        : warn("base image", `${baseImage}, which Forge's own tasks start from, is not there.`, bootstrap);
  const gateways = await docker.listImages({ filters: { reference: [`${repositoryPrefix}gateway`] } });
  const gateway =
    gateways.length > 0
      ? ok("gateway image", "is there")
      : ok("gateway image", "not built yet; the first task builds it whose network is limited to a list of hosts");
  return [base, gateway];
}

/** Names alone. */
function checkKeys(env: NodeJS.ProcessEnv): Check {
  const variables = [...new Set([...Object.values(knownProviders).flatMap(({ keyVariables = [] }) => keyVariables), "API_KEY"])];
  const set = variables.filter((name) => env[name] !== undefined && env[name] !== "");
  const unset = variables.filter((name) => !set.includes(name));
  if (set.length === 0) return ok("keys", `none is set of ${unset.join(", ")}`);
  return ok("keys", `${set.join(", ")} ${set.length === 1 ? "is" : "are"} set; ${unset.join(", ")} not`);
}
