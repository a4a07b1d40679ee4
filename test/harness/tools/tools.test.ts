import { toolContract } from "./contract.ts";
import { createHostSandbox } from "./host-sandbox.ts";

toolContract("plain child processes", createHostSandbox);
