import { textOf, type Message } from "../../../contract/messages.ts";
import { sha256 } from "../../../hash/sha256.ts";
import type { Plan } from "../plan.ts";

/** A task that a server plays. */
export interface ServedTask {
  readonly name: string;
  readonly instruction: string;
  readonly plan: Plan;
  readonly family?: string | undefined;
  readonly difficulty?: string | undefined;
}

/**
 * Finds the task of a conversation: by the hash of a text of the user that is the instruction; else, since agents put words of their own around it, the
 * longest instruction that stands whole in what the user said first.
 */
export function findTask(tasks: readonly ServedTask[]): (messages: readonly Message[]) => ServedTask | undefined {
  const byHash = new Map(tasks.map((task) => [hashOf(task.instruction), task]));
  const byLength = tasks.toSorted((a, b) => b.instruction.length - a.instruction.length);
  return (messages) => {
    const first = messages.findIndex((message) => message.role === "assistant");
    const before = messages.slice(0, first < 0 ? undefined : first).filter((message) => message.role === "user");
    const texts = before.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])));
    for (const text of texts) {
      const found = byHash.get(hashOf(text));
      if (found) return found;
    }
    const all = plainSpace(before.map((message) => textOf(message.content)).join("\n"));
    return byLength.find(({ instruction }) => all.includes(plainSpace(instruction)));
  };
}

const plainSpace = (text: string): string => text.trim().replaceAll(/\s+/g, " ");
const hashOf = (text: string): string => sha256(plainSpace(text));
