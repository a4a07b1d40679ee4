import type { Feature, OwnFeature } from "../feature.ts";
import { besideOthers } from "./beside-others.ts";
import { firstCall } from "./first-call.ts";
import { firstReply } from "./first-reply.ts";
import { reachedTurns } from "./reached-turns.ts";

export const ownFeatures: readonly OwnFeature[] = [...firstReply, ...firstCall, ...reachedTurns];

/** All that is compared, fixed before any outcome is seen. Of features that mark the same runs the first one of the list is reported, so causes stand first. */
export const features: readonly Feature[] = [...ownFeatures, ...besideOthers];
