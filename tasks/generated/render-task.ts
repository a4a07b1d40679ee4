import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { packageRoot } from "../../harness/package/package-root.ts";
import { createDraw } from "./draw.ts";
import type { Family, Level, TaskDraft } from "./family.ts";

/** Raised whenever the common parts below change what a task is; a family's own change shows in its tasks' digests anyway. */
const generatorVersion = 2;

export interface TaskFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly content: string;
  readonly executable: boolean;
}

export interface RenderedTask {
  /** `family-level-0007`. */
  readonly name: string;
  readonly files: readonly TaskFile[];
}

/** The folder of one generated task, as data: the same for a family, level and seed on every machine. */
export function renderTask(family: Family, level: Level, seed: number): RenderedTask {
  const draft = family.draw(createDraw(family.name, level, seed), level);
  const name = `${family.name}-${level}-${String(seed).padStart(4, "0")}`;
  const files: Record<string, string> = {
    "task.toml": taskToml(family, level, seed, draft),
    "instruction.md": instructionOf(draft),
    "environment/Dockerfile": dockerfile(draft),
    ...under("environment/app", draft.app),
    ...under("tests", verifierFiles(draft)),
    ...under("tests", draft.tests ?? {}),
    ...under("tests/given", givenOf(draft)),
    "solution/solve.sh": draft.solve,
    "solution/plan.yaml": stringify(draft.plan, { lineWidth: 0 }),
    ...under("solution/wrong", Object.fromEntries(Object.entries(draft.wrong).map(([mistake, script]) => [`${mistake}.sh`, script]))),
  };
  return { name, files: Object.entries(files).map(([path, content]) => file(path, content)) };
}

function instructionOf({ instruction, directions }: TaskDraft): string {
  return directions === undefined ? instruction : `${instruction.trimEnd()}\n\n## How to do it\n\n${directions}`;
}

/** A verifier of named checks, by paths below `tests/`: all must have run and passed, and what the agent wrote runs apart. */
export function verifierFiles({ checks, verify }: Pick<TaskDraft, "checks" | "verify">): Record<string, string> {
  return {
    "test.sh": testScript,
    "checks.py": commonChecks(),
    "checks.json": JSON.stringify(checks, null, 2),
    "verify.py": `${verifierHead}\n${verify.trimEnd()}\n\n\nfinish()`,
  };
}

function file(path: string, content: string): TaskFile {
  return { path, content: content.endsWith("\n") ? content : `${content}\n`, executable: path.endsWith(".sh") || content.startsWith("#!") };
}

function under(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

function givenOf({ app, given = [] }: TaskDraft): Record<string, string> {
  return Object.fromEntries(
    given.map((path) => {
      const content = app[path];
      if (content === undefined) throw new Error(`The given test ${path} is not among the files of the working directory.`);
      return [path, content];
    }),
  );
}

function taskToml(family: Family, level: Level, seed: number, { timeouts, local = true }: TaskDraft): string {
  const list = family.tags.map((tag) => JSON.stringify(tag)).join(", ");
  return `version = "1.0"

[metadata]
author_name = "Forge"
difficulty = "${level}"
tags = [${list}]

[metadata.forge]
family = "${family.name}"
split = "${family.split}"
local = ${local}
generated = { family = "${family.name}", level = "${level}", seed = ${seed}, version = ${generatorVersion} }

[verifier]
timeout_sec = ${(timeouts?.verifier ?? 120).toFixed(1)}

[agent]
timeout_sec = ${(timeouts?.agent ?? 600).toFixed(1)}

[environment]
cpus = 1
memory_mb = 1024
allow_internet = false
`;
}

/** Dates and names are fixed, so that the hashes of a history made here are the same in every build. */
const gitEnvironment = [
  'GIT_AUTHOR_DATE="2026-01-05T10:00:00Z" GIT_COMMITTER_DATE="2026-01-05T10:00:00Z"',
  'GIT_AUTHOR_NAME="Ada" GIT_AUTHOR_EMAIL="ada@example.org" GIT_COMMITTER_NAME="Ada" GIT_COMMITTER_EMAIL="ada@example.org"',
];

function dockerfile({ build = [] }: TaskDraft): string {
  return [
    "FROM forge-base/debian:bookworm",
    "WORKDIR /app",
    "ENV PYTHONDONTWRITEBYTECODE=1",
    ...(build.length > 0 ? gitEnvironment.map((pairs) => `ENV ${pairs}`) : []),
    "COPY app/ ./",
    ...build.map((line) => `RUN ${line}`),
  ].join("\n");
}

const testScript = `#!/bin/bash
# The reward is 1 when verify.py finds nothing wrong, else 0.
logs="\${FORGE_LOGS:-/logs}/verifier"
mkdir -p "$logs"
reward=0
python3 -I "\${FORGE_TESTS:-/tests}/verify.py" && reward=1
echo "$reward" > "$logs/reward.txt"
`;

const verifierHead = `import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import *

`;

let checksSource: string | undefined;
function commonChecks(): string {
  checksSource ??= readFileSync(join(packageRoot(), "tasks", "generated", "verifier", "checks.py"), "utf8");
  return checksSource;
}
