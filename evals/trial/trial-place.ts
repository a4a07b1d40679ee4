/** Which trial: task, configuration and repeat (from 1). */
export interface TrialPlace {
  readonly task: string;
  readonly configuration: string;
  readonly repeat: number;
}
