/** The arithmetic mean; NaN of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0;
  return sum / values.length;
}

/** Of values in groups the mean of the groups' means, each of which weighs the same; null of nothing. */
export function meanOfMeans(values: Iterable<readonly [group: string, value: number]>): number | null {
  const groups = new Map<string, number[]>();
  for (const [group, value] of values) groups.set(group, [...(groups.get(group) ?? []), value]);
  return groups.size > 0 ? mean([...groups.values()].map((own) => mean(own))) : null;
}

/** The sum of squared distances from a centre; left out: from the mean. */
export function squaresAround(values: ArrayLike<number>, centre = mean(values)): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += ((values[i] ?? 0) - centre) ** 2;
  return sum;
}

/** The unbiased variance of two values or more. */
export const variance = (values: ArrayLike<number>, centre = mean(values)): number => squaresAround(values, centre) / (values.length - 1);
