export type { Build, Compose, Service, ServiceHealthcheck, ServiceMount, ServiceVolume } from "../harness/sandbox/compose.ts";
