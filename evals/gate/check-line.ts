/** One line of a report: what was asked of the task, whether it holds, and where it does not, why and what to do. */
export interface CheckLine {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** Of a line that holds: what could not be tried here, or what it rests on. */
  readonly note?: string;
}

export const line = (check: string, ok: boolean, otherwise: string, note?: string): CheckLine => ({
  check,
  ok,
  detail: ok ? "" : otherwise,
  ...(ok && note !== undefined && { note }),
});
