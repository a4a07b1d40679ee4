import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { baseImage } from "../../harness/sandbox/docker/image/base-image.ts";

/** A task that asks a runner one question: its reward is the answer. Left out: an image with `/app`, a solution that does nothing, a line a file. */
interface Probe {
  readonly name: string;
  /** What the Dockerfile has after `FROM`. */
  readonly image?: string;
  /** Added to task.toml. */
  readonly toml?: string;
  /** `solution/solve.sh`. */
  readonly solve?: string;
  /** `tests/test.sh`. */
  readonly test: string;
  /** Other files, by path in the task. */
  readonly files?: Readonly<Record<string, string>>;
}

const bash = "#!/bin/bash\n";
const reward = (text: string, file = "reward.txt"): string => `${bash}printf '%s' '${text}' > /logs/verifier/${file}\n`;
/** Reward 1 when the shell's condition holds. */
const asks = (condition: string): string => `${bash}if ${condition}; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n`;
const written = (name: string, text: string, file?: string): Probe => ({ name, test: reward(text, file) });

/** A task of the steps `one` and `two`, each of which leaves a file of its name and one that nobody collects. `toml`: what `[[steps]]` says of each. */
function ofSteps(name: string, toml: readonly [string, string], tests: readonly [string, string], before = ""): Probe {
  const names = ["one", "two"] as const;
  const files = names.map((step, index) => ({
    [`steps/${step}/instruction.md`]: "A question to the runner; nothing is to be done.\n",
    [`steps/${step}/solution/solve.sh`]: `${bash}touch /app/${step} /app/left\n`,
    [`steps/${step}/tests/test.sh`]: tests[index] ?? "",
    [`steps/${step}/tests/of-${step}`]: "",
  }));
  const steps = names.map((step, index) => `[[steps]]\nname = "${step}"\n${toml[index] ?? ""}`);
  return { name, toml: `${before}${steps.join("")}`, test: reward("-1"), files: { ...files[0], ...files[1] } };
}
const separate = (artifact: string): string => `artifacts = ["${artifact}"]\n[steps.verifier]\nenvironment_mode = "separate"\n`;

/** Where two runners of one format are most likely to differ, each as a task. */
const probes: readonly Probe[] = [
  // what counts as a reward
  written("text-fraction", "0.25"),
  written("text-spaces", "  1 \n\n"),
  written("text-sign-and-exponent", "+1e0"),
  written("text-underscore", "1_0"),
  written("text-nan", "nan"),
  written("text-words", "1 of 2"),
  written("text-negative", "-2"),
  written("text-empty", ""),
  { name: "text-missing", test: `${bash}exit 0\n` },
  written("json-one-key", '{"score": 0.5}', "reward.json"),
  written("json-two-keys", '{"a": 1, "b": 0}', "reward.json"),
  written("json-reward-and-more", '{"reward": 1, "extra": 0.25}', "reward.json"),
  written("json-true", '{"reward": true}', "reward.json"),
  written("json-string", '{"reward": "1"}', "reward.json"),
  written("json-number", "1", "reward.json"),
  written("json-nan", '{"reward": NaN}', "reward.json"),
  written("json-empty-object", "{}", "reward.json"),
  { name: "json-wins", test: `${reward("0")}${reward('{"reward": 1}', "reward.json").slice(bash.length)}` },
  { name: "json-broken-text-good", test: `${reward("1")}${reward("{", "reward.json").slice(bash.length)}` },
  { name: "exit-code-ignored", test: `${reward("1")}exit 3\n` },
  // the verifier's surroundings
  { name: "agent-reward-stays", solve: `${bash}mkdir -p /logs/verifier\necho 1 > /logs/verifier/reward.txt\n`, test: `${bash}exit 0\n` },
  { name: "agent-tests-stay", solve: `${bash}mkdir -p /tests\ntouch /tests/mine\n`, test: asks("[ -e /tests/mine ]") },
  {
    name: "agent-test-replaced",
    solve: `${bash}mkdir -p /tests\necho 'echo 1 > /logs/verifier/reward.txt' > /tests/test.sh\n`,
    test: reward("0"),
  },
  {
    name: "agent-process-alive",
    solve: `${bash}nohup setsid sh -c 'while :; do date > /tmp/alive; sleep 0.2; done' > /dev/null 2>&1 &\nsleep 0.5\n`,
    test: `${bash}rm -f /tmp/alive\nsleep 1\n${asks("[ -e /tmp/alive ]").slice(bash.length)}`,
  },
  { name: "workdir", image: "WORKDIR /srv/work", test: asks('[ "$PWD" = /srv/work ]') },
  { name: "home", test: asks('[ "$HOME" = /root ]') },
  { name: "standard-input-empty", test: `${bash}if read -r -t 2 line; then echo 0; else echo 1; fi > /logs/verifier/reward.txt\n` },
  { name: "shebang-of-test", test: "#!/usr/bin/env python3\nopen('/logs/verifier/reward.txt', 'w').write('1')\n" },
  { name: "tests-with-subfolders", test: asks("[ -x /tests/sub/run ]"), files: { "tests/sub/run": `${bash}true\n` } },
  {
    name: "verifier-env",
    toml: '[verifier.env]\nANSWER = "4${NOT_SET:-2}"\nDEFAULTED = "${NOT_SET:-2}"\n',
    test: asks('[ "$DEFAULTED" = 2 ]'),
  },
  { name: "verifier-env-inside", toml: '[verifier.env]\nANSWER = "4${NOT_SET:-2}"\n', test: asks('[ "$ANSWER" = 42 ]') },
  { name: "verifier-time-out", toml: "[verifier]\ntimeout_sec = 3\n", test: `${reward("1")}sleep 20\n` },
  { name: "output-left-open", test: `${bash}sleep 30 &\n${reward("1").slice(bash.length)}` },
  { name: "solution-gone-or-there", test: asks("[ -e /solution/solve.sh ]") },
  // the agent's surroundings
  {
    name: "agent-time-out",
    toml: "[agent]\ntimeout_sec = 20\n",
    solve: `${bash}touch /app/begun\nsleep 60\ntouch /app/done\n`,
    test: asks("[ -e /app/begun ] && [ ! -e /app/done ]"),
  },
  {
    name: "agent-folders",
    solve: `${bash}ls -d /logs/agent /logs/verifier /logs/artifacts > /app/seen\n`,
    test: asks('[ "$(wc -l < /app/seen)" = 3 ]'),
  },
  { name: "shebang-of-solution", solve: "#!/usr/bin/env python3\nopen('/app/out', 'w').write('x')\n", test: asks("[ -e /app/out ]") },
  { name: "noninteractive", solve: `${bash}echo "$DEBIAN_FRONTEND" > /app/seen\n`, test: asks('[ "$(cat /app/seen)" = noninteractive ]') },
  {
    name: "solution-env",
    toml: '[solution.env]\nANSWER = "42"\n',
    solve: `${bash}echo "$ANSWER" > /app/seen\n`,
    test: asks('[ "$(cat /app/seen)" = 42 ]'),
  },
  { name: "solution-env-not-for-verifier", toml: '[solution.env]\nANSWER = "42"\n', test: asks('[ -z "$ANSWER" ]') },
  { name: "environment-env", toml: '[environment.env]\nMODE = "fast"\n', test: asks('[ "$MODE" = fast ]') },
  { name: "environment-workdir", toml: '[environment]\nworkdir = "/opt"\n', test: asks('[ "$PWD" = /opt ]') },
  {
    name: "image-user",
    image: "RUN useradd -m u && mkdir -p /app && chown u /app\nWORKDIR /app\nUSER u",
    test: asks('[ "$(id -un)" = u ]'),
  },
  { name: "verifier-user", image: "RUN useradd -m u\nWORKDIR /app", toml: '[verifier]\nuser = "u"\n', test: asks('[ "$(id -un)" = u ]') },
  {
    name: "agent-user",
    image: "RUN useradd -m u && mkdir -p /app && chown u /app\nWORKDIR /app",
    toml: '[agent]\nuser = "u"\n',
    solve: `${bash}id -un > /app/who\n`,
    test: asks('[ "$(cat /app/who)" = u ]'),
  },
  {
    name: "image-entrypoint",
    image: `RUN printf '#!/bin/sh\\ntouch /tmp/entered\\nexec "$@"\\n' > /enter && chmod +x /enter\nENTRYPOINT ["/enter"]\nWORKDIR /app`,
    test: asks("[ -e /tmp/entered ]"),
  },
  { name: "image-command", image: 'CMD ["sh", "-c", "touch /tmp/entered; sleep 1000"]\nWORKDIR /app', test: asks("[ -e /tmp/entered ]") },
  {
    name: "image-healthcheck",
    image: "HEALTHCHECK --interval=1s CMD sleep 1; touch /tmp/healthy\nWORKDIR /app",
    solve: `${bash}ls /tmp > /app/seen\n`,
    test: asks("grep -q healthy /app/seen"),
  },
  { name: "artifacts", toml: 'artifacts = ["/app/out.txt"]\n', solve: `${bash}echo 1 > /app/out.txt\n`, test: asks("[ -e /app/out.txt ]") },
  // several steps, each with its verifier
  ofSteps("steps-mean", ["", ""], [reward("0"), reward("1")]),
  ofSteps("steps-final", ["", ""], [reward("0"), reward("1")], 'multi_step_reward_strategy = "final"\n'),
  ofSteps("steps-stopped", ["min_reward = 1.0\n", ""], [reward("0.5"), reward("1")]),
  ofSteps("steps-shared", ["", ""], [asks("[ -e /app/one ]"), asks("[ -e /app/one ] && [ -e /app/two ] && [ ! -e /tests/of-one ]")]),
  ofSteps(
    "steps-separate",
    [separate("/app/one"), separate("/app/two")],
    [asks("[ -e /app/one ] && [ ! -e /app/left ]"), asks("[ ! -e /app/one ] && [ -e /app/two ] && [ ! -e /tests/of-one ]")],
  ),
  ofSteps(
    "steps-separate-then-shared",
    [separate("/app/one"), ""],
    [asks("[ -e /app/one ] && [ ! -e /app/left ]"), asks("[ -e /app/left ] && [ -e /app/two ] && [ ! -e /tests/of-one ]")],
  ),
  {
    name: "storage-limit",
    toml: "[environment]\nstorage_mb = 20\n",
    solve: `${bash}dd if=/dev/zero of=/app/big bs=1M count=40 2> /dev/null\n`,
    test: asks('[ "$(stat -c %s /app/big)" = 41943040 ]'),
  },
  {
    name: "memory-limit",
    toml: "[environment]\nmemory_mb = 128\n",
    solve: `${bash}python3 -c 'x = bytearray(300 << 20)' && touch /app/lived\n`,
    test: asks("[ ! -e /app/lived ]"),
  },
];

/** Writes every probe as a task folder; makes the parent again. */
export async function writeProbes(parent: string): Promise<void> {
  await rm(parent, { recursive: true, force: true });
  for (const { name, image = "WORKDIR /app", toml = "", solve = `${bash}true\n`, test, files = {} } of probes) {
    const all: Record<string, string> = {
      "task.toml": `version = "1.0"\n${toml}`,
      "instruction.md": "A question to the runner; nothing is to be done.\n",
      "environment/Dockerfile": `FROM ${baseImage}\n${image}\n`,
      "solution/solve.sh": solve,
      "tests/test.sh": test,
      ...files,
    };
    for (const [path, text] of Object.entries(all)) {
      const file = join(parent, `probe-${name}`, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      if (text.startsWith("#!")) await chmod(file, 0o755);
    }
  }
}
