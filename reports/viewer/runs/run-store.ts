import { createRunOutline, type RunOutline } from "./run-outline.ts";

/** The outlines of the runs that were looked at last. */
export interface RunStore {
  /** As it is now. @throws CannotError for a folder without a trace */
  open(folder: string): Promise<RunOutline>;
}

/** Side by side two are open, and one goes back and forth. */
const kept = 6;

export function createRunStore(): RunStore {
  const outlines = new Map<string, RunOutline>();
  return {
    async open(folder) {
      const outline = outlines.get(folder) ?? createRunOutline(folder);
      outlines.delete(folder);
      outlines.set(folder, outline); // the one used last stands last
      const [oldest] = outlines.keys();
      if (outlines.size > kept && oldest !== undefined) outlines.delete(oldest);
      try {
        await outline.grow();
      } catch (error) {
        outlines.delete(folder);
        throw error;
      }
      return outline;
    },
  };
}
