import { build } from "./setup/prepare.mjs";

build();
