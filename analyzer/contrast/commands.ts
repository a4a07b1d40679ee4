import type { Act } from "../detectors/acts/act.ts";

const longest = 2000;
const mostPrograms = 12;
const setting = /^(?:[A-Za-z_]\w*=\S*\s+|(?:sudo|env|time|then|do|else|nohup)\s+|[({!]\s*)+/;

/** Names of the programs that a shell command begins, in its order; the text of here-documents is not read. */
export function programsIn(command: string): string[] {
  const text = command.slice(0, longest).replace(/<<-?\s*['"\\]?(\w+)[\s\S]*?(?:\n\s*\1\s*(?=\n|$)|$)/g, "");
  const found = new Set<string>();
  for (const part of text.split(/[\n;|&]+/)) {
    const [word = ""] = part.trim().replace(setting, "").split(/\s+/);
    const name = word.split("/").at(-1) ?? "";
    if (/^[a-z][\w.+-]{0,30}$/i.test(name) && name !== "cd" && name !== "set" && name !== "export") found.add(name);
    if (found.size === mostPrograms) break;
  }
  return [...found];
}

const known = new WeakMap<Act, readonly string[]>(); // many features ask for those of the same call

/** Programs that a call of the shell begins; none for other tools. */
export function shellPrograms(act: Act): readonly string[] {
  const programs = known.get(act) ?? programsIn(act.command);
  known.set(act, programs);
  return programs;
}

const lookingPrograms = new Set("cat ls head tail less more grep rg egrep find tree wc file stat nl awk od xxd diff pwd".split(" "));
const lookingGit = /\bgit\s+(?:-C\s+\S+\s+|-\S+\s+)*(?:status|log|show|diff|blame|grep|ls-files|reflog|branch)\b/;

/** Whether a call looks at what is there, whatever else it does. */
export function looksAtFiles(act: Act): boolean {
  if (act.role === "look" || lookingTools.has(act.step.tool)) return true;
  const command = act.command.slice(0, longest);
  return shellPrograms(act).some(
    (name) =>
      lookingPrograms.has(name) ||
      (name === "sed" && /\bsed\s+(?:-\S+\s+)*-n\b/.test(command)) ||
      (name === "git" && lookingGit.test(command)),
  );
}
const lookingTools = new Set(["list_dir"]);

export const editsFiles = ({ wrote }: Act): boolean => wrote.length > 0;
export const fails = ({ failed }: Act): boolean => failed === true;
