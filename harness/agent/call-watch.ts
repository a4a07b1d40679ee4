import { ModelError, type CallStage } from "../contract/model-error.ts";
import type { Clock, ModelIdentity } from "../contract/ports.ts";

/** Follows one try at a model call, so that it can be told how far it had come when its run was ended from outside. */
export interface CallWatch {
  readonly onStage: (stage: CallStage) => void;
  /** Undefined where the port said nothing of the call's way, as on replay. */
  cut(): ModelError | undefined;
}

export function watchCall(clock: Clock, { provider, name }: ModelIdentity): CallWatch {
  let stage: CallStage | undefined;
  let sentAt: number | undefined;
  let heardAt = clock.now();
  return {
    onStage(now) {
      stage = now;
      if (now === "queued" || now === "held") return;
      heardAt = clock.now();
      sentAt ??= heardAt;
    },
    cut() {
      if (stage === undefined) return undefined;
      const at = clock.now();
      const silentMs = at - heardAt;
      const activeMs = sentAt === undefined ? 0 : at - sentAt;
      return new ModelError("cut", says(stage, `${provider}/${name}`, seconds(silentMs)), { activeMs, cut: { stage, silentMs } });
    },
  };
}

function says(stage: CallStage, who: string, silent: string): string {
  if (stage === "queued") return `When the run was ended, a request to ${who} had waited ${silent} for others to be answered first.`;
  if (stage === "held")
    return `When the run was ended, a request to ${who} had been held back for ${silent}: its provider had asked for less.`;
  if (stage === "sent") return `When the run was ended, ${who} had been asked ${silent} before and had sent nothing.`;
  return `When the run was ended, ${who} was answering, and had last sent something ${silent} before.`;
}

const seconds = (ms: number): string => `${ms < 10_000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000)} s`;
