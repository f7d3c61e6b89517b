#!/usr/bin/env -S node --no-memory-reducer
// The command `trunkline`. It runs the built service; `npm run build` (or `npm start`) builds it. The flag switches off V8's
// own collections at rest, which drop compiled code: `app/idle-memory.ts` decides when that is worth it.
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { setFlagsFromString } from "node:v8";

// Under load many objects of requests outlive a collection. V8 then makes all of their kind in the old generation from the
// start, also those of later requests, and has to collect that much more often.
setFlagsFromString("--no-allocation-site-pretenuring");
// By itself V8 collects all garbage each time the heap has grown by about a tenth, every three seconds under load, and
// requests wait for most of such a collection, some 40 ms.
setFlagsFromString("--heap-growing-percent=60");

// The commands for users of a service are a small program of their own, so that they start at once.
const USERS = [
  "login",
  "logout",
  "chat",
  "models",
  "keys",
  "usage",
  "logs",
  "balance",
  "verify-proof",
  "verify-audit-log",
];
const program = USERS.includes(process.argv[2] ?? "") ? "cli" : "main";
const built = new URL(`../dist/${program}.mjs`, import.meta.url);
if (!existsSync(built)) {
  process.stderr.write("Trunkline is not built yet. Run: npm run build\n");
  process.exit(1);
}
// From Node 22 on, compiled code is kept between starts.
nodeModule.enableCompileCache?.();
const { main } = await import(built.href);
await main(process.argv.slice(2));
