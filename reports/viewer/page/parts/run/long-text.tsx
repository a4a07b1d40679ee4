import { useEffect, useState } from "preact/hooks";
import type { CutText, TextPiece } from "../../../api.ts";
import { ask } from "../../ask.ts";

interface Props {
  readonly cut: CutText;
  readonly at: string;
  readonly entry: number;
  readonly part: "body" | "result";
  readonly open: boolean;
  readonly onOpen: () => void;
  readonly mark: string;
}

/** A text of a run: its beginning, and all of it piece by piece. It is put into the page as text and as nothing else. */
export function LongText({ cut, at, entry, part, open, onOpen, mark }: Props) {
  const [more, setMore] = useState<{ readonly text: string; readonly size: number }>();
  const [error, setError] = useState("");
  const whole = cut.text.length >= cut.size;
  const load = (from: number): void => {
    ask<TextPiece>("run/text", { at, entry, part, from }).then(
      (piece) => setMore((before) => ({ text: (from === 0 ? "" : (before?.text ?? "")) + piece.text, size: piece.size })),
      (why: unknown) => setError(why instanceof Error ? why.message : String(why)),
    );
  };
  useEffect(() => {
    if (open && !whole && !more) load(0);
  }, [open]);
  const text = open && more ? more.text : cut.text;
  const left = open && more ? more.size - more.text.length : 0;
  return (
    <>
      <pre dir="auto" class={cut.diff ? "diff" : ""}>
        {cut.diff ? <DiffLines text={text} mark={mark} /> : marked(text, mark)}
      </pre>
      {error !== "" && <p class="warn">{error}</p>}
      {!whole && !open && (
        <button type="button" class="more" onClick={onOpen}>
          {cut.lines > 1 ? `all ${cut.lines} lines` : `all ${cut.size.toLocaleString("en")} characters`}
        </button>
      )}
      {left > 0 && (
        <button type="button" class="more" onClick={() => load(more?.text.length ?? 0)}>
          the next piece of {left.toLocaleString("en")} characters more
        </button>
      )}
    </>
  );
}

/** Lines of a unified diff: what is new and what is gone is told by the sign as much as by the colour. */
export function DiffLines({ text, mark = "" }: { readonly text: string; readonly mark?: string }) {
  return (
    <>
      {text.split("\n").map((line, i) => (
        <span key={i} class={kindOf(line)}>
          {marked(line, mark)}
          {"\n"}
        </span>
      ))}
    </>
  );
}

function kindOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---")) return "file";
  return line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : line.startsWith("@@") ? "file" : "";
}

/** More than these marks in one text help nobody. */
const mostMarks = 200;

/** The places where what is searched for stands. */
export function marked(text: string, mark: string) {
  if (mark === "") return text;
  const [plain, wanted] = [text.toLowerCase(), mark.toLowerCase()];
  const parts = [];
  let from = 0;
  for (let at = plain.indexOf(wanted); at >= 0 && parts.length < mostMarks * 2; at = plain.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)];
}
