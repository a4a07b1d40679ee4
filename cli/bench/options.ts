export interface BenchFlags {
  readonly config?: readonly string[];
  readonly ablate?: string;
  readonly add?: boolean;
  readonly sweep?: readonly string[];
  readonly untilDecided?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly repeats: number;
  readonly jobs?: number;
  readonly filter?: string;
  readonly out?: string;
  readonly maxCost?: number;
  readonly sandbox?: string;
  readonly mode?: string;
  readonly memoryBound?: number;
  readonly storageBound?: number;
  readonly pidsBound?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly watch?: string;
  readonly imageCache?: number;
  readonly dockerHost?: readonly string[];
  /** Of `config`, those that a job on disk names and nobody typed: their code must be trusted, and their addresses get no key. */
  readonly recorded?: readonly string[];
  readonly trust?: boolean;
  readonly taskEnv?: readonly string[];
}

export interface ExportFlags {
  readonly out?: string;
  readonly sign?: string;
  readonly json?: boolean;
}

export interface VerifyFlags {
  readonly key?: string;
  readonly rewards?: boolean;
  readonly task?: readonly string[];
  readonly suite?: string;
  readonly sandbox?: string;
  readonly taskEnv?: readonly string[];
  readonly jobs?: number;
  readonly maxSize?: number;
  readonly json?: boolean;
}

export interface RegradeFlags {
  readonly task?: readonly string[];
  readonly suite?: string;
  readonly sandbox?: string;
  readonly taskEnv?: readonly string[];
  readonly jobs?: number;
  readonly keptIsEnough?: boolean;
  readonly json?: boolean;
}
