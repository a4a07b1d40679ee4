/** Where a value stands on an axis, in per cent of the drawing's width or height, so that a drawing fits any screen and its texts keep their size. */
export interface Scale {
  at(value: number): number;
  readonly ticks: readonly number[];
}

/** Room at both ends, in per cent, for marks and the labels of the outer ticks. */
const room = 4;

/** Of shares from 0 up: as far as the highest needs, and never so near that small differences look large. */
export const shareScale = (highest: number): Scale => linearScale(0, Math.min(1, Math.max(0.2, Math.ceil(highest * 5) / 5)));

/** Even steps of 1, 2 or 5 times a power of ten. */
export function linearScale(low: number, high: number, wanted = 5): Scale {
  const [from, to] = high > low ? [low, high] : [low - 0.5, high + 0.5];
  const step = roundStep((to - from) / wanted);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return {
    at: (value) => room + ((value - from) / (to - from)) * (100 - 2 * room),
    ticks: Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toPrecision(12))),
  };
}

/** For what spans orders of magnitude; values of 0 and below stand at the lowest. `low` > 0. `round`: the values that may be ticks, where these are not powers. */
export function logScale(low: number, high: number, round?: readonly number[]): Scale {
  const [from, to] = [Math.log10(low), Math.log10(Math.max(high, low * 2))];
  const at = (value: number): number => room + ((Math.log10(Math.max(value, low)) - from) / (to - from)) * (100 - 2 * room);
  if (round)
    return {
      at,
      ticks: apart(
        round.filter((tick) => tick >= low && tick <= 10 ** to),
        at,
      ),
    };
  const wide = to - from > 2.5;
  const ticks: number[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++)
    for (const part of wide ? [1] : [1, 2, 5]) {
      const tick = part * 10 ** power;
      if (tick >= low * 0.999 && tick <= 10 ** to * 1.001) ticks.push(tick);
    }
  return { at, ticks: apart(ticks, at) };
}

/** Labels of a tenth of the width each stand beside one another. */
function apart(ticks: readonly number[], at: Scale["at"]): number[] {
  const kept: number[] = [];
  for (const tick of ticks) {
    const last = kept.at(-1);
    if (last === undefined || at(tick) - at(last) >= 11) kept.push(tick);
  }
  return kept;
}

function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const part = step / power;
  return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}
