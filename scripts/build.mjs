// Builds what is served into server/dist: the server's bundle with the files it reads, and the dashboard beside it.
import { mkdir, readdir, rm } from "node:fs/promises";
import { buildWeb, WEB } from "./build-web.mjs";
import { bundle, OUT } from "./bundle.mjs";

await mkdir(OUT, { recursive: true });
// The dashboard is kept: it is built again only when its sources changed.
for (const name of await readdir(OUT)) {
  if (name !== WEB) await rm(`${OUT}/${name}`, { recursive: true, force: true });
}
await bundle({ main: "server/src/main.ts" });
await buildWeb();
