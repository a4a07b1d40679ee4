/** The arithmetic mean; NaN of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0;
  return sum / values.length;
}

/** The sum of squared distances from a centre; left out: from the mean. */
export function squaresAround(values: ArrayLike<number>, centre = mean(values)): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += ((values[i] ?? 0) - centre) ** 2;
  return sum;
}

/** The unbiased variance of two values or more. */
export const variance = (values: ArrayLike<number>, centre = mean(values)): number => squaresAround(values, centre) / (values.length - 1);
