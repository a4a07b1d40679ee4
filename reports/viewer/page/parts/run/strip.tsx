import { useMemo } from "preact/hooks";
import type { TurnMark } from "../../../api.ts";
import { duration, plural, count as short } from "../../../../text/format.ts";

interface Props {
  readonly turns: readonly TurnMark[];
  readonly entries: number;
  /** The entry that is current. */
  readonly current: number;
  readonly onGo: (entry: number) => void;
}

/** Bars that are narrower say nothing: of more turns several share one, which shows the highest. */
const mostBars = 240;

interface Bar {
  readonly first: TurnMark;
  readonly last: TurnMark;
  readonly activeMs: number;
  readonly tokens: number;
  readonly interventions: number;
}

/** Time and tokens of each turn, and where a middleware intervened. */
export function Strip({ turns, current, onGo }: Props) {
  const bars = useMemo(() => barsOf(turns), [turns]);
  const [time, tokens] = [Math.max(1, ...bars.map(({ activeMs }) => activeMs)), Math.max(1, ...bars.map((bar) => bar.tokens))];
  const width = 100 / Math.max(1, bars.length);
  const here = bars.findLastIndex(({ first }) => first.entry <= current);
  const says = `${plural(turns.length, "turn")}; the longest took ${duration(time)}, the largest ${short(tokens)} tokens`;
  const at = (event: MouseEvent): void => {
    const { left, width: wide } = (event.currentTarget as Element).getBoundingClientRect(); // the drawing itself
    const bar = bars[Math.min(bars.length - 1, Math.max(0, Math.floor(((event.clientX - left) / wide) * bars.length)))];
    if (bar) onGo(bar.first.entry);
  };
  if (bars.length < 2) return null;
  return (
    <figure class="strip-of-turns">
      <svg role="img" aria-label={says} onClick={at} style={{ "--bars": bars.length }}>
        {here >= 0 && <rect class="here" x={`${here * width}%`} width={`${width}%`} y="0" height="100%" />}
        {bars.map((bar, i) => (
          <g key={bar.first.turn}>
            <title>{titleOf(bar)}</title>
            <rect
              class="time"
              x={`${i * width}%`}
              width={`${width * 0.82}%`}
              y={`${50 - (bar.activeMs / time) * 44}%`}
              height={`${(bar.activeMs / time) * 44}%`}
            />
            <rect class="tokens" x={`${i * width}%`} width={`${width * 0.82}%`} y="54%" height={`${(bar.tokens / tokens) * 44}%`} />
            {bar.interventions > 0 && <circle class="acted" cx={`${(i + 0.41) * width}%`} cy="52%" r="3" />}
          </g>
        ))}
      </svg>
      <figcaption>
        up: time (at most {duration(time)}) · down: tokens (at most {short(tokens)}) · <b class="acted">●</b> intervention
      </figcaption>
    </figure>
  );
}

function barsOf(turns: readonly TurnMark[]): Bar[] {
  const each = Math.max(1, Math.ceil(turns.length / mostBars));
  return Array.from({ length: Math.ceil(turns.length / each) }, (_, i) => turns.slice(i * each, (i + 1) * each)).flatMap((some) => {
    const [first, last] = [some[0], some.at(-1)];
    if (!first || !last) return [];
    return [
      {
        first,
        last,
        activeMs: Math.max(...some.map((turn) => turn.activeMs)),
        tokens: Math.max(...some.map(({ input, output }) => input + output)),
        interventions: some.reduce((sum, turn) => sum + turn.interventions, 0),
      },
    ];
  });
}

const titleOf = ({ first, last }: Bar): string =>
  first === last ? `turn ${first.turn}: ${first.line}` : `turns ${first.turn} to ${last.turn}, for one: ${first.line}`;
