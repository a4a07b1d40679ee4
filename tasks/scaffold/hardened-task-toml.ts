/** The `task.toml` of a hardened task with what most tasks need. `note` lines become comments at its head. */
export function hardenedTaskToml(o: {
  readonly notes: readonly string[];
  readonly difficulty: "easy" | "medium" | "hard";
  readonly tags: readonly string[];
  readonly family: string;
  readonly split: "train" | "validation" | "test";
  /** False where the environment needs Docker. */
  readonly local: boolean;
  readonly verifierSec?: number;
}): string {
  const notes = o.notes.map((note) => `# ${note.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")}\n`).join("");
  return `${notes}version = "1.0"

[metadata]
difficulty = "${o.difficulty}"
tags = [${o.tags.map((tag) => JSON.stringify(tag)).join(", ")}]

[metadata.forge]
family = ${JSON.stringify(o.family)}
split = "${o.split}"
local = ${o.local}

[verifier]
timeout_sec = ${(o.verifierSec ?? 120).toFixed(1)}

[agent]
timeout_sec = 600.0

[environment]
cpus = 1
memory_mb = 1024
allow_internet = false
`;
}
