import type { ReceivedRequest, ScriptedSpeech } from "./scripted-reply.ts";

/**
 * A model that solves the demo task `greet` on a way where everything happens that a conversation can hold: calls side by side, one to a tool that is not
 * there and one with arguments that are no JSON, an image, a reply that is cut in its words, one in its thinking, and a call that is denied. What it says
 * next depends on how often the conversation was answered, and on the tools that it has.
 */
export function eventfulModel(): (request: Pick<ReceivedRequest, "text">) => ScriptedSpeech {
  const answered = new Map<string, number>();
  return (request) => {
    const { text } = request;
    const [, mark = "", how] = markIn.exec(text) ?? [];
    // After a kill a conversation begins again.
    const begins = !/"role":"assistant"|"type":"function_call"/.test(text);
    const at = begins ? 0 : (answered.get(mark) ?? 0);
    answered.set(mark, at + 1);
    const steps = stepsOf({ goesOn: how === "goes on", looks: /"name":"read"/.test(text) });
    return steps[at] ?? { text: "greet.sh greets, and I have run it." };
  };
}

/** A conversation's mark, to be put into its system prompt. `goesOn`: after a cut reply the loop goes on (from its version 2). */
export const markOf = (name: string, goesOn: boolean): string =>
  `Conversation [${name}] ${goesOn ? "goes on" : "ends"} when a reply is cut.`;
const markIn = /Conversation \[([^\]]+)\] (goes on|ends) when/;

/** The mark of a request; undefined for one of no conversation. */
export const conversationOf = ({ text }: Pick<ReceivedRequest, "text">): string | undefined => markIn.exec(text)?.[1];

/** What no middleware lets through: see `denied` in the configurations of the matrix. */
export const forbidden = "cat forbidden.txt";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const solution = `printf 'Hello, %s!\\n' "\${1:-world}"`;
const bash = (command: string) => ({ name: "bash", args: { command } });

function stepsOf({ goesOn, looks }: { readonly goesOn: boolean; readonly looks: boolean }): readonly ScriptedSpeech[] {
  return [
    {
      text: "I look around.",
      calls: [bash(`echo ${pixel} | base64 -d > pixel.png`), bash("ls -a"), ...(looks ? [{ name: "list_dir", args: { path: "." } }] : [])],
    },
    {
      calls: [
        ...(looks ? [{ name: "read", args: { path: "pixel.png" } }] : []),
        { name: "not.a tool", args: { path: "." } },
        { name: "bash", args: '{"command": "ls' },
        bash("cat STYLE.txt"),
      ],
    },
    ...(goesOn ? [{ text: "Now I will write the scr", stop: "length" as const }] : []),
    { calls: [bash(forbidden), bash("pwd")] },
    // Nothing but thinking, up to the limit; not of a model with a shell alone, so that there are conversations without it.
    ...(goesOn && looks ? [{ stop: "length" as const }] : []),
    { text: "I write the script.", calls: [bash(`echo '${solution.replaceAll("'", `'\\''`)}' > greet.sh`)] },
    { calls: [bash("rm pixel.png; sh greet.sh Ada; sh greet.sh")] },
  ];
}
