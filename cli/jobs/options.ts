export interface ResumeFlags {
  readonly config?: readonly string[];
  readonly repeats?: number;
  readonly filter?: string;
  readonly baseUrl?: string;
  readonly dockerHost?: readonly string[];
  readonly jobs?: number;
  readonly maxCost?: number;
  readonly yes?: boolean;
  readonly trust?: boolean;
  readonly taskEnv?: readonly string[];
  readonly json?: boolean;
}

export interface CleanFlags {
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}
