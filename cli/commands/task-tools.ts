import type { Command } from "commander";

export function registerTaskTools(_task: Command): void {}
