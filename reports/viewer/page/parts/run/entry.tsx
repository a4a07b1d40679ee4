import type { EntryLine } from "../../../api.ts";
import { runAt } from "../../addresses.ts";
import { LongText, marked } from "./long-text.tsx";

interface Props {
  readonly entry: EntryLine;
  readonly at: string;
  readonly open: boolean;
  readonly onOpen: () => void;
  /** What is searched for. */
  readonly mark?: string;
  /** Of two side by side: turns are told above both. */
  readonly bare?: boolean;
}

const spoken: Readonly<Record<EntryLine["kind"], string>> = {
  model: "model",
  call: "tool",
  harness: "intervention",
  trouble: "trouble",
  other: "",
};

/** One thing that was said or done. Who speaks is told by a word, a colour and the kind of the edge. */
export function Entry({ entry, at, open, onOpen, mark = "", bare = false }: Props) {
  const { kind, lane, head, body, result, seq, index } = entry;
  const text = kind === "model" ? head.replace(/^model: /, "") : head;
  return (
    <>
      {entry.turnLine !== undefined && !bare && <h2 class="turn">{entry.turnLine}</h2>}
      <article class={kind}>
        <h3>
          {spoken[kind] !== "" && <span class="kind">{spoken[kind]}</span>} {lane !== "" && <small>{lane}</small>}{" "}
          <bdi class="head">{marked(text, mark)}</bdi>
          <small class="when">
            {entry.at} <a href={runAt(at, seq)} aria-label={`event ${seq}, link`}>{`:${seq}`}</a>
          </small>
        </h3>
        {body.text !== "" && <LongText cut={body} at={at} entry={index} part="body" open={open} onOpen={onOpen} mark={mark} />}
        {result && (
          <div class="result">
            <p class="answer">
              → {marked(result.head, mark)} <small class="when">{`:${result.seq}`}</small>
            </p>
            {result.body.text !== "" && (
              <LongText cut={result.body} at={at} entry={index} part="result" open={open} onOpen={onOpen} mark={mark} />
            )}
          </div>
        )}
      </article>
    </>
  );
}
