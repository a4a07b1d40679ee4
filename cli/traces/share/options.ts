export interface ExportFlags {
  readonly format: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  /** Where the format is a service. */
  readonly project?: string;
}

export interface ImportFlags {
  readonly format?: string;
  readonly out?: string;
  readonly json?: boolean;
  /** Of a service that does not answer; default 3. */
  readonly retries?: number;
}

export interface BundleFlags {
  readonly out: string;
  readonly json?: boolean;
}
