/** What stands behind the last whole event of a trace: a line without its end, as a killed process leaves one. */
export interface TornTail {
  /** In the uncompressed trace. */
  readonly offset: number;
  readonly bytes: number;
}

/** What every reader says of it: what a recording lost is never left out in silence. `writing`: the run is still going, and the line may get its end. */
export function tornText({ offset, bytes }: TornTail, o: { readonly writing?: boolean } = {}): string {
  const line = o.writing ? "a line that is still being written" : "a torn line";
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"} behind the whole events, from offset ${offset}, are ${line} and were left out`;
}
