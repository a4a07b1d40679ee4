/** Holm's step-down adjustment, in the order given. Source: Holm, "A simple sequentially rejective multiple test procedure" (1979). */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, i) => ({ p, i })).toSorted((x, y) => x.p - y.p);
  const adjusted = Array.from<number>({ length: pValues.length });
  let highest = 0;
  order.forEach(({ p, i }, rank) => {
    highest = Math.max(highest, Math.min(1, p * (pValues.length - rank)));
    adjusted[i] = highest;
  });
  return adjusted;
}
