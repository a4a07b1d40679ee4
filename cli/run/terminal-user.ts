import { printable } from "../../harness/text/printable.ts";
import type { User } from "../../harness/contract/ports.ts";

/** The person at the terminal. Where nobody can answer (no terminal on standard input), every question stays open. */
export const terminalUser: User = {
  async ask(question, signal) {
    if (!process.stdin.isTTY) return undefined;
    const { isCancel, select } = await import("@clack/prompts");
    const options = question.choices.map((choice) => ({ value: choice, label: choice }));
    const answer = await select({ message: printable(question.text), options, output: process.stderr, signal });
    return isCancel(answer) ? undefined : answer;
  },
};
