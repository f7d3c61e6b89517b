// Builds the server: one bundle in server/dist, the migrations beside it.
import { cp, rm } from "node:fs/promises";
import { bundle, OUT } from "./bundle.mjs";

await rm(OUT, { recursive: true, force: true });
await bundle({ main: "server/src/main.ts" });
await cp("server/src/store/migrations", `${OUT}/migrations`, { recursive: true });
