import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HostileKind, hostileKinds, hostileReply, type Wire } from "../../test/servers/hostile-reply.ts";
import { startModelServer } from "../../test/servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../test/servers/scripted-reply.ts";
import { jobFacts, listed } from "./stage/job-facts.ts";
import { startBench } from "./stage/start-bench.ts";
import { writeSuite } from "./stage/write-suite.ts";

export interface HostileBench {
  /** The compiled command, `dist/cli/main.js`. */
  readonly main: string;
  /** Empty; suite and job are made in it. */
  readonly folder: string;
  readonly wire: Wire;
  readonly seed: number;
  readonly kinds: readonly HostileKind[];
  readonly sandbox: string;
  /** Commands that read the job in the end, each given its folder. */
  readonly readers: readonly (readonly string[])[];
}

/** One configuration of the job: its model is hostile in its first answer and then works, or in every answer. */
interface Case {
  readonly kind: HostileKind;
  readonly how: "once" | "always";
}

export interface HostileSummary {
  /** Class of the trial of each case, as the finished job has it. */
  readonly classes: readonly (Case & { readonly class: string })[];
  /** Trials that were finished when the bench was killed. */
  readonly beforeKill: number;
  /** The first line of `forge replay`: all runs. */
  readonly replay: string;
  /** Each a sentence; none: everything held. */
  readonly problems: readonly string[];
}

/** Commands that read a job and its runs. */
export const everyReader: readonly (readonly string[])[] = [
  ["jobs", "show"],
  ["compare"],
  ["analyze"],
  ["traces", "list"],
  ["traces", "stats"],
  ["traces", "verify"],
  ["traces", "search", "done"],
  ...["atif", "otlp", "markdown", "html"].map((format) => ["traces", "export", "--format", format, "--out", `as-${format}`]),
];

/**
 * One `forge bench` over a scripted server: an arm for each kind of hostile reply, once and always, and one whose model is sound. The bench is killed in the
 * middle and resumed; then every run is replayed, and read by the given commands.
 */
export async function hostileBench(o: HostileBench): Promise<HostileSummary> {
  const cases: readonly Case[] = o.kinds.flatMap((kind): Case[] => [
    { kind, how: "once" },
    { kind, how: "always" },
  ]);
  const files = cases.map((_, i) => `case-${i}.yaml`);
  const protocol = o.wire === "text" ? "text" : "native";
  const name = o.wire === "anthropic" ? "anthropic/scripted" : "local/scripted";
  writeSuite(join(o.folder, "tasks"), { one: "echo done > out.txt" });
  const configure = (file: string, mark: string): void =>
    writeFileSync(
      join(o.folder, file),
      `extends: bare\nmodel: {name: ${name}, protocol: ${protocol}}\nlimits: {turns: 4}\nprompt: {case: "${mark}"}\n`,
    );
  files.forEach((file, i) => configure(file, `hostile case ${i}.`));
  configure("sound.yaml", "sound case.");

  const asked = cases.map(() => 0);
  let onHalf = (): void => undefined;
  const answer = (request: ReceivedRequest): ScriptedReply => {
    const at = Number(/hostile case (\d+)\./.exec(request.text)?.[1] ?? -1);
    const one = cases[at];
    const before = asked[at] ?? 0;
    if (one) asked[at] = before + 1;
    if (at >= cases.length / 2) onHalf();
    return one && (one.how === "always" || before === 0)
      ? { raw: hostileReply(one.kind, o.wire, o.seed), chunkBytes: 1024 ** 2 }
      : work(request, protocol);
  };
  const server = await startModelServer({ always: answer });
  const problems: string[] = [];
  try {
    const address = o.wire === "anthropic" ? server.origin : server.url;
    const configs = ["sound.yaml", ...files].flatMap((file) => ["--config", file]);
    const words = ["tasks", ...configs, "--base-url", address, "--sandbox", o.sandbox, "--jobs", "4", "--yes", "--out", "job"];
    const at = { main: o.main, cwd: o.folder, env: { ANTHROPIC_API_KEY: "key" } };
    const bench = startBench(words, at);
    onHalf = () => bench.kill("SIGKILL");
    const killed = await bench.ended;
    if (killed.code !== null) problems.push(`the bench ended by itself with exit code ${killed.code}: ${killed.stderr.slice(-500)}`);
    onHalf = () => undefined;
    const resumed = await startBench(words, at).ended;
    const facts = jobFacts(join(o.folder, "job"));
    const classes = [...cases, undefined].map((one, i) => {
      const arm = facts.result.configurations.find(({ configuration }) => configuration === (one ? `case-${i}` : "sound"));
      return arm?.passed === 1 ? "passed" : arm?.failed === 1 ? "agent" : arm?.unscored === 1 ? "infra" : "none";
    });
    const unscored = classes.filter((one) => one === "infra").length;
    problems.push(...facts.problems.filter((problem) => problem !== `${unscored} trials have no score`));
    // of so few trials more than one without a score make the job invalid
    if (resumed.code !== (unscored > 1 ? 1 : 0))
      problems.push(`the resumed bench ended with exit code ${resumed.code}: ${resumed.stderr.slice(-500)}`);
    if (classes.at(-1) !== "passed") problems.push(`the sound model's trial is ${classes.at(-1)}`);
    cases.forEach((one, i) => {
      const found = classes[i] ?? "";
      if (!allowed(one).includes(found))
        problems.push(`${one.kind}, ${one.how}: the trial is ${found}; attempts: ${listed(facts.classes)}`);
    });

    const replay = await forge(o, ["replay", "job"]);
    if (replay.code !== 0) problems.push(`forge replay ended with exit code ${replay.code}: ${replay.output.slice(-500)}`);
    for (const words of o.readers) {
      const { code, output } = await forge(o, [...words, "job"]);
      if (code === null || code > 5 || /\n {4}at |RangeError|Maximum call stack/.test(output))
        problems.push(`forge ${words.join(" ")} ended with exit code ${code}: ${output.slice(-500)}`);
    }
    const beforeKill = killed.events.filter(({ type }) => type === "trial.end").length;
    return {
      classes: cases.map((one, i) => ({ ...one, class: classes[i] ?? "none" })),
      beforeKill,
      replay: replay.output.trim().split("\n")[0] ?? "",
      problems,
    };
  } finally {
    await server.close();
  }
}

/** Works on the task in two turns. */
function work({ text }: ReceivedRequest, protocol: "text" | "native"): ScriptedReply {
  const command = "echo done > out.txt";
  if (text.includes(command)) return { text: "DONE" };
  return protocol === "text" ? { text: `\`\`\`bash\n${command}\n\`\`\`` } : { calls: [{ name: "bash", args: { command } }] };
}

/** A model that may mend its mistake passes; what can be taken for an end of the work is verified, and fails. */
function allowed({ kind, how }: Case): readonly string[] {
  const whose = hostileKinds[kind];
  if (how === "always") return whose === "fault" ? ["infra"] : kind === "cut stream" ? ["agent", "infra"] : ["agent"];
  return whose === "any" ? ["passed", "agent"] : ["passed"];
}

function forge(o: HostileBench, words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: o.folder, LANG: "C.UTF-8", NO_COLOR: "1" };
  const child = spawn(process.execPath, [o.main, ...words], { cwd: o.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (output += piece.toString()));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}
