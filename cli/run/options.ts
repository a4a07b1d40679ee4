export interface RunFlags {
  readonly config?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly protocol?: string;
  readonly turns?: number;
  readonly maxCost?: number;
  readonly sandbox?: string;
  readonly yes?: boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
  readonly jsonStream?: boolean;
}
