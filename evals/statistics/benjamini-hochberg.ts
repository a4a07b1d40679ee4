/**
 * The false-discovery rate at which each hypothesis would still be rejected, in the order given. Source: Benjamini and Hochberg, "Controlling the false
 * discovery rate", JRSS B 57 (1995); as adjusted values, Yekutieli and Benjamini, J. Stat. Plan. Inference 82 (1999).
 */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const order = pValues.map((p, i) => ({ p, i })).toSorted((x, y) => y.p - x.p);
  const adjusted = Array.from<number>({ length: pValues.length });
  let lowest = 1;
  order.forEach(({ p, i }, after) => {
    lowest = Math.min(lowest, (p * pValues.length) / (pValues.length - after));
    adjusted[i] = lowest;
  });
  return adjusted;
}
