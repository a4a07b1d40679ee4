/** Runs of one stratum by two marks. Whole numbers. */
export interface TwoByTwo {
  /** With the feature: failed, passed. */
  readonly a: number;
  readonly b: number;
  /** Without it: failed, passed. */
  readonly c: number;
  readonly d: number;
}

/** Whether the table can speak of an association: both outcomes, with the feature and without. */
export const isInformative = ({ a, b, c, d }: TwoByTwo): boolean => a + b > 0 && c + d > 0 && a + c > 0 && b + d > 0;
