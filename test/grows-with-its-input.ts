/**
 * Holds work to the law that four times its input costs far less than sixteen times as much, as it would where it grew with the square. Both are processor
 * times of this process, each the least of three, so that neither the machine nor what else runs on it decides.
 * @param work does its work on an input of so many units
 */
export function costsOf(work: (units: number) => void, units: number): { fourfold: number; most: number } {
  const cost = (size: number): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const from = process.cpuUsage().user;
        work(size);
        return process.cpuUsage().user - from;
      }),
    );
  const one = cost(units);
  const noise = 100_000; // microseconds: a collection of garbage, a compilation
  return { fourfold: cost(4 * units), most: 10 * one + noise };
}
