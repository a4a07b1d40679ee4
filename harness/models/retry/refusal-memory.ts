/** What a model's server refused of what Forge adds by itself, so that it is asked once: for all runs of one job. */
export interface RefusalMemory {
  /** Parameters that are left out of requests to this model. */
  dropped(model: string): readonly string[];
  /** Leaves a parameter out from now on. `said` is the server's sentence, `setBy` what put it into the request, by default Forge itself. */
  drop(model: string, parameter: string, said: string, setBy?: string): void;
  /** Says what a server did to a request, once for each sentence. */
  note(sentence: string): void;
}

/** @param say hears of each parameter, and each note, once. */
export function createRefusalMemory(say: (sentence: string) => void = () => undefined): RefusalMemory {
  const known = new Map<string, string[]>();
  const noted = new Set<string>();
  return {
    dropped: (model) => known.get(model) ?? [],
    note(sentence) {
      if (!noted.has(sentence)) say(sentence);
      noted.add(sentence);
    },
    drop(model, parameter, said, setBy = "Forge added") {
      const list = known.get(model) ?? [];
      if (list.includes(parameter)) return;
      known.set(model, [...list, parameter]);
      say(`${model} refused ${parameter}, which ${setBy}; it is left out from now on (${said.trim().replace(/[.\s]+$/, "")}).`);
    },
  };
}
