/** Where a value stands on an axis, in per cent of the drawing's width or height, so that a drawing fits any screen and its texts keep their size. */
export interface Scale {
  at(value: number): number;
  readonly ticks: readonly number[];
}

/** Room at both ends, in per cent, for marks and the labels of the outer ticks. */
const room = 4;

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

/** For what spans orders of magnitude; values of 0 and below stand at the lowest. `low` > 0. */
export function logScale(low: number, high: number): Scale {
  const [from, to] = [Math.log10(low), Math.log10(Math.max(high, low * 2))];
  const wide = to - from > 2.5;
  const ticks: number[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++)
    for (const part of wide ? [1] : [1, 2, 5]) {
      const tick = part * 10 ** power;
      if (tick >= low * 0.999 && tick <= 10 ** to * 1.001) ticks.push(tick);
    }
  return {
    at: (value) => room + ((Math.log10(Math.max(value, low)) - from) / (to - from)) * (100 - 2 * room),
    ticks,
  };
}

function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const part = step / power;
  return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}
