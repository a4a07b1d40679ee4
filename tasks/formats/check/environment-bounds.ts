/** Docker takes no less than 0.01 processors and 6 MB of memory; the most is beyond any machine, and below where an engine's own numbers end. */
export const environmentBounds = {
  cpus: { least: 0.01, most: 100_000 },
  memoryMb: { least: 6, most: 1024 ** 3 },
  storageMb: { least: 1, most: 1024 ** 3 },
} as const;
