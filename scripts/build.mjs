// Bundles the server into server/dist: packages left outside, the migrations beside it.
import { cp, rm } from "node:fs/promises";
import { build } from "esbuild";

const out = "server/dist";
await rm(out, { recursive: true, force: true });
await build({
  entryPoints: { main: "server/src/main.ts" },
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: true,
  sourcesContent: false,
  // What is imported while the database starts is a file of its own.
  splitting: true,
  logLevel: "warning",
});
await cp("server/src/store/migrations", `${out}/migrations`, { recursive: true });
