import type { Detector } from "./detector.ts";
import { repeatedCall } from "./repeated-call.ts";
import { unknownTool } from "./unknown-tool.ts";
import { unreadCall } from "./unread-call.ts";

/** In the order of their say: of two that are equally sure the first explains the run, so causes stand before what they lead to. */
export const detectors: readonly Detector[] = [unreadCall, unknownTool, repeatedCall];
