export interface ShellFlags {
  readonly step?: number;
  readonly task?: string;
  readonly sandbox?: string;
  readonly taskEnv?: readonly string[];
}
