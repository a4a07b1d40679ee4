import { execa } from "execa";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Task } from "../../tasks/task.ts";

/** Who works on the task before it is verified. `plan` and `slip` are the steps of its plan file, carried out one after the other. */
export type Who = { type: "oracle" } | { type: "nop" } | { type: "wrong"; name: string } | { type: "plan" } | { type: "slip" };

export interface TaskRunner {
  run(who: Who): Promise<{ passed: boolean; detail: string }>;
  /** Paths in the prepared environment, below `/app`. */
  listImageFiles(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * The smallest thing that can run a task: the few Dockerfile instructions that our own tasks use, in bubblewrap on this machine's `/usr`, or
 * in a plain folder with the paths given by variables.
 * The tests of the tasks use it and not a provider of Forge, so that a broken provider and a broken task are told apart.
 */
export async function createTaskRunner(task: Task, inside: Inside = inBubblewrap): Promise<TaskRunner> {
  const base = await mkdtemp(join(tmpdir(), "forge-task-"));
  const image = join(base, "image");
  const env = await build(task, image, inside);
  let count = 0;
  return {
    async run(who) {
      const place = join(base, `run-${count++}`);
      await cp(image, place, { recursive: true, verbatimSymlinks: true });
      const said = await work(task, who, place, env, inside);
      await cp(task.verifier.testsFolder, join(place, "tests"), { recursive: true });
      const verified = await inside(place, 'bash "${FORGE_TESTS:-/tests}/test.sh"', env);
      const reward = await readFile(join(place, "logs/verifier/reward.txt"), "utf8").catch(() => "no reward");
      await rm(place, { recursive: true });
      return { passed: reward.trim() === "1", detail: `${said}${verified.all}reward: ${reward.trim()}` };
    },
    async listImageFiles() {
      const found = await inside(
        image,
        "find / -xdev -path /usr -prune -o -path /etc -prune -o -type f -print; find /app /tests /logs",
        env,
      );
      return found.all.split("\n").filter(Boolean);
    },
    close: () => rm(base, { recursive: true, force: true }),
  };
}

async function work(task: Task, who: Who, place: string, env: Env, inside: Inside): Promise<string> {
  if (who.type === "nop") return "";
  if (who.type === "plan" || who.type === "slip") {
    const steps = who.type === "plan" ? task.plan?.steps : task.plan?.slip;
    let said = "";
    for (const step of steps ?? []) {
      for (const call of step.calls) {
        const result = await inside(place, String(call.args["command"]), env);
        said += result.all;
        if (step.check && who.type === "plan" && result.exitCode !== 0)
          return `${said}the check of the plan ended with ${result.exitCode}\n`;
      }
    }
    return said;
  }
  const script = who.type === "oracle" ? "solve.sh" : `wrong/${who.name}.sh`;
  await cp(join(task.folder, "solution"), join(place, "solution"), { recursive: true });
  const result = await inside(place, `bash "\${FORGE_SOLUTION:-/solution}/${script}"`, env);
  await rm(join(place, "solution"), { recursive: true });
  return result.all;
}

type Env = Record<string, string>;

/** Carries out FROM, WORKDIR /app, ENV, COPY and RUN; answers the environment variables. */
async function build(task: Task, place: string, inside: Inside): Promise<Env> {
  const folder = task.environment.folder;
  if (folder === undefined) throw new Error(`${task.name} has no Dockerfile`);
  for (const name of ["app", "tests", "logs"]) await mkdir(join(place, name), { recursive: true });
  const env: Env = {};
  const text = (await readFile(join(folder, "Dockerfile"), "utf8")).replaceAll("\\\n", " ");
  for (const line of text.split("\n").filter((one) => one.trim() !== "" && !one.startsWith("#"))) {
    const instruction = line.slice(0, line.indexOf(" "));
    const rest = line.slice(line.indexOf(" ") + 1).trim();
    if (instruction === "FROM" || (instruction === "WORKDIR" && rest === "/app")) continue;
    else if (instruction === "ENV") Object.assign(env, Object.fromEntries([rest.split("=")]));
    else if (instruction === "COPY") {
      const [from = "", to = ""] = rest.split(" ");
      await cp(join(folder, from), join(place, "app", to), { recursive: true });
    } else if (instruction === "RUN") {
      const result = await inside(place, rest, env);
      if (result.exitCode !== 0) throw new Error(`${task.name}: ${line}: ${result.all}`);
    } else throw new Error(`${task.name}: the Dockerfile of a local task has ${line}`);
  }
  return env;
}

type Inside = (place: string, command: string, env: Env) => Promise<{ all: string; exitCode: number }>;

/** A plain folder of this machine; tasks find their places by `$FORGE_WORKDIR`, `$FORGE_TESTS`, `$FORGE_LOGS`. */
export const inFolder: Inside = async (place, command, env) => {
  const paths = { FORGE_WORKDIR: "app", FORGE_TESTS: "tests", FORGE_LOGS: "logs", FORGE_SOLUTION: "solution" };
  const variables = Object.fromEntries(Object.entries(paths).map(([name, folder]) => [name, join(place, folder)]));
  const options = {
    cwd: join(place, "app"),
    env: { ...env, ...variables },
    all: true,
    reject: false,
    stdin: "ignore",
    timeout: 60_000,
  } as const;
  const result = await execa("bash", ["-c", command], options);
  return { all: result.all === "" ? "" : `${result.all}\n`, exitCode: result.exitCode ?? -1 };
};

const inBubblewrap: Inside = async (place, command, env) => {
  const dirs = ["app", "tests", "logs", "solution"].flatMap((name) => ["--bind-try", join(place, name), `/${name}`]);
  const root = [
    "--tmpfs",
    "/",
    "--ro-bind",
    "/usr",
    "/usr",
    "--ro-bind",
    "/etc",
    "/etc",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--dir",
    "/root",
  ];
  const links = ["bin", "lib", "lib64", "sbin"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]);
  const result = await execa(
    "bwrap",
    ["--unshare-all", "--die-with-parent", "--new-session", ...root, ...links, ...dirs, "--chdir", "/app", "bash", "-c", command],
    {
      all: true,
      reject: false,
      extendEnv: false,
      stdin: "ignore",
      timeout: 60_000,
      env: { PATH: "/usr/bin:/bin:/usr/sbin", HOME: "/root", ...env },
    },
  );
  return { all: result.all === "" ? "" : `${result.all}\n`, exitCode: result.exitCode ?? -1 };
};
