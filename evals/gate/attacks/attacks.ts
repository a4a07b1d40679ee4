import type { Attack } from "./attack.ts";
import { fileAttacks } from "./files.ts";
import { imageAttacks } from "./image-programs.ts";
import { plantedWork } from "./planted-work.ts";
import { processAttacks } from "./processes.ts";
import { programAttacks } from "./programs.ts";
import { pythonAttacks } from "./python-startup.ts";
import { rewardAttacks } from "./rewards.ts";
import { startupAttacks } from "./shell-startup.ts";

/** Every attack that Forge knows, in the order of the tables. */
export const attacks: readonly Attack[] = [
  ...rewardAttacks,
  ...processAttacks,
  ...fileAttacks,
  ...programAttacks,
  ...pythonAttacks,
  ...startupAttacks,
  ...imageAttacks,
  ...plantedWork,
];
