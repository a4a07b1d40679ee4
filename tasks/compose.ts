export type { Build, Compose, Service, ServiceHealthcheck, ServiceVolume } from "../harness/sandbox/compose.ts";
