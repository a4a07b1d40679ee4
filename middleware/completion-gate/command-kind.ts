import type { CallRecord } from "../../harness/agent/middleware.ts";

/** `last step of several`: only the end of a command that does something else before. */
export type Part = "any step" | "last step of several";

const readingTools = new Set(["read", "grep", "glob", "list_dir"]);

/** True for a call that put the work to use and did not fail: a program was run, not only looked for, installed, moved or shown. */
export function runsWork(record: CallRecord, part: Part): boolean {
  const steps = stepsOf(record, part);
  return record.result?.status === "ok" && steps.some((step) => !passive.test(step) && !installs.test(step));
}

/** True for a call that looked at what is there, with whatever result. */
export function readsWork(record: CallRecord, part: Part): boolean {
  if (part === "any step" && readingTools.has(record.call.name)) return record.result?.status === "ok";
  return stepsOf(record, part).some((step) => shows.test(step));
}

function stepsOf(record: CallRecord, part: Part): string[] {
  const command = (record.executed ?? record.call).args["command"];
  if (typeof command !== "string") return [];
  const steps = simpleCommands(command);
  return part === "any step" ? steps : steps.length > 1 ? steps.slice(-1) : [];
}

/** The simple commands of a shell text, roughly: enough to tell `pip install pytest` from `pytest`. */
function simpleCommands(command: string): string[] {
  return command
    .replace(/<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[\s\S]*?\n\s*\2(?=\n|$)/g, " > here-document $3")
    .replace(/\\\n/g, " ")
    .replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, (quoted) => (/\s|[;&|<>]/.test(quoted) ? "'…'" : quoted))
    .split(/\n|&&|\|\||[;|&](?![>&])/)
    .map((step) =>
      step.replace(/^\s*(?:(?:sudo|time|env|exec|nohup|then|do|else|if|while|!|\(|\{|timeout\s+\S+|(?:uv|poetry|pipenv|pdm)\s+run|[A-Z_][A-Z0-9_]*=\S*)\s*)+/g, "").trim(),
    )
    .filter((step) => step !== "" && !step.startsWith("#"));
}

/** What is written into a file is not looked at. */
const writesFile = /(?<![0-9&])>{1,2}\s*(?!\/dev\/null|&)\S/;

const word = (names: string): RegExp => new RegExp(`^(?:\\S*/)?(?:${names.trim().split(/\s+/).join("|")})(?=$|\\s)`);

const shows = word(
  "cat head tail less more bat nl od xxd hexdump wc ls tree stat file find grep egrep fgrep rg diff cmp comm sort uniq cut jq yq column strings md5sum sha1sum sha256sum test \\[ awk sed git",
);
const passive =
  word(`cat head tail less more bat nl od xxd hexdump wc ls tree stat file find grep egrep fgrep rg diff cmp comm sort uniq cut column strings
  md5sum sha1sum sha256sum awk sed git jq yq echo printf cd pwd true false : exit set export unset source \\. alias which type command whereis man mkdir rmdir rm mv cp ln touch
  chmod chown tee sleep wait kill date whoami uname env done fi esac apt apt-get dpkg apk yum dnf brew pip pip3 pipx uv poetry conda curl wget clear history tar unzip
  gzip gunzip`);
const installs =
  /^(?:\S*\/)?(?:python[\d.]*\s+-m\s+(?:pip|venv|ensurepip)\b|(?:npm|pnpm|yarn|bun)\s+(?:i|ci|install|add|init|remove|uninstall)\b|(?:go|cargo|gem|rustup)\s+(?:get|install|add|mod|init|new)\b|\S+\s+(?:--version|--help|-V|-h)\s*$)/;
