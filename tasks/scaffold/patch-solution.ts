import type { Plan } from "../../harness/models/simulated/plan.ts";

/** A script that applies a patch lying beside it in `solution/`, in a repository or not. */
export const patchScript = (name: string): string =>
  `#!/bin/bash\nset -e\ngit -c safe.directory='*' apply --whitespace=nowarn "\${FORGE_SOLUTION:-/solution}/${name}"\n`;

/** What the simulated model does: looks, applies the patch, looks again; its slip only says that it did. */
export function changePlan(patch: Buffer, changed: readonly string[]): Plan {
  const call = (command: string) => [{ tool: "bash", args: { command } }];
  // Coded, because a patch may hold what no text does.
  const lines = (patch.toString("base64").match(/.{1,100}/g) ?? []).join("\n");
  const shown = changed.slice(0, 3).join(", ") + (changed.length > 3 ? ", …" : "");
  return {
    steps: [
      { say: "I look at the project.", check: false, calls: call("ls -a && git log --oneline | head -5") },
      {
        say: `I change ${shown}.`,
        check: false,
        calls: call(`base64 -d > /tmp/change.patch <<'END'\n${lines}\nEND\ngit apply --whitespace=nowarn /tmp/change.patch`),
      },
      { say: "I look at what is changed.", check: true, calls: call("git status --short") },
    ],
    answer: `I changed ${shown}.`,
    slip: [{ say: "I note the change.", check: false, calls: call("echo 'The change is made.' >> NOTES.md") }],
    claims: changed.slice(0, 1),
  };
}

/** The project in the working directory, as a repository of one commit whose hash is the same in every build. */
export function dockerfileFor({ image, setup }: { readonly image?: string; readonly setup: readonly string[] }): string {
  const who = 'NAME="Forge" GIT_*_EMAIL="forge@localhost" GIT_*_DATE="2026-01-05T10:00:00Z"';
  const variables = ["AUTHOR", "COMMITTER"].map((role) => `ENV GIT_${role}_${who.replaceAll("*", role)}`);
  return [
    `FROM ${image ?? "forge-base/debian:bookworm"}`,
    "WORKDIR /app",
    "ENV PYTHONDONTWRITEBYTECODE=1",
    ...variables,
    "COPY app/ ./",
    "RUN git init -q . && git add -A -f && git commit -q --allow-empty -m 'The project as it is'",
    ...setup.map((line) => `RUN ${line}`),
    "",
  ].join("\n");
}
