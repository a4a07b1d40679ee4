/** Longer than this and a person wonders. */
const everyMs = 2_000;

/** A line on standard error every two seconds, with how often it was called so far: for work of many like parts. */
export function createProgress(line: (done: number) => string): () => void {
  let done = 0;
  let said = Date.now();
  return () => {
    if (Date.now() - said >= everyMs) {
      said = Date.now();
      process.stderr.write(`${line(done)}\n`);
    }
    done++;
  };
}
