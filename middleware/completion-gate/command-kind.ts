import type { CallRecord } from "../../harness/contract/middleware.ts";
import { splitShell, type List } from "../../harness/tools/effects/checks/split-shell.ts";
import { unwrap } from "../../harness/tools/effects/checks/unwrap.ts";

/** `its end`: only the last step of a command that does something else before, as an edit and then a run of it in one call. */
export type Part = "all of it" | "its end";

/** True for a call that put the work to use and did not fail: a program was run, not only installed, looked for, moved or shown. */
export function runsWork(record: CallRecord, part: Part): boolean {
  return record.result?.status === "ok" && stepsOf(record, part).some((words) => !isPassive(words));
}

/** True for a call that looked at what is there, with whatever result. */
export function readsWork(record: CallRecord, part: Part): boolean {
  if (part === "all of it" && readingTools.has(record.call.name)) return record.result?.status === "ok";
  return stepsOf(record, part).some(([program = "", ...rest]) => shows.has(nameOf(program)) && (rest.length > 0 || program !== "cat"));
}

const readingTools = new Set(["read", "grep", "glob", "list_dir"]);

/** The words of each simple command, wrappers such as `timeout 10` and `uv run` taken off. */
function stepsOf(record: CallRecord, part: Part): (readonly string[])[] {
  const command = (record.executed ?? record.call).args["command"];
  if (typeof command !== "string") return [];
  const steps = simpleCommands(splitShell(command)).map(unwrap);
  if (part === "all of it") return steps;
  const end =
    command
      .trim()
      .split(/\n|&&|;/)
      .at(-1) ?? "";
  const writesFile = /(?<![0-9&])>{1,2}\s*(?!\/dev\/null|&)\S/.test(end);
  return steps.length > 1 && !writesFile ? steps.slice(-1) : [];
}

const simpleCommands = (list: List): (readonly string[])[] =>
  list.flatMap(({ stages }) => stages.flatMap((stage) => (stage.type === "simple" ? [stage.words] : simpleCommands(stage.list))));

const nameOf = (program: string): string => program.split("/").at(-1) ?? "";
const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

const shows = words(`cat head tail less more bat nl od xxd hexdump wc ls tree stat file find grep egrep fgrep rg diff cmp comm sort uniq cut
  awk sed jq yq column strings md5sum sha1sum sha256sum test [ [[ git`);

/** Programs that never put anything to use that the agent has made. */
const idle =
  words(`echo printf cd pushd popd pwd true false : exit set export unset source . alias which type command whereis man mkdir rmdir rm
  mv cp ln touch chmod chown tee sleep wait kill date whoami uname env for case select read apt apt-get dpkg apk yum dnf brew pip pip3 pipx
  uv poetry conda curl wget clear history tar zip unzip gzip gunzip`);

const installs: Readonly<Record<string, readonly string[]>> = {
  npm: ["i", "ci", "install", "add", "init", "uninstall"],
  pnpm: ["i", "install", "add", "init", "remove"],
  yarn: ["install", "add", "init", "remove"],
  bun: ["i", "install", "add", "init"],
  go: ["get", "install", "mod"],
  cargo: ["install", "add", "new", "init"],
  gem: ["install"],
};

function isPassive([program = "", ...rest]: readonly string[]): boolean {
  const name = nameOf(program);
  const [first = "", second = ""] = rest;
  if (name === "" || shows.has(name) || idle.has(name) || installs[name]?.includes(first)) return true;
  if (rest.length === 1 && /^(?:--version|-V|--help|-h|version)$/.test(first)) return true;
  return /^python[\d.]*$/.test(name) && first === "-m" && /^(?:pip|venv|ensurepip)$/.test(second);
}
