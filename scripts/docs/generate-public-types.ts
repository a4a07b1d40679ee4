import { writeFileSync } from "node:fs";
import { publicTypes } from "./public-types.ts";

writeFileSync(new URL("../../test/house/public-types.txt", import.meta.url), publicTypes());
