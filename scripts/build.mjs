// Builds what is served: one bundle of the server in server/dist, the migrations, the weights of router and safety check and the dashboard beside it.
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { buildWeb, WEB } from "./build-web.mjs";
import { bundle, OUT } from "./bundle.mjs";

await mkdir(OUT, { recursive: true });
// The dashboard is kept: it is built again only when its sources changed.
for (const name of await readdir(OUT)) {
  if (name !== WEB) await rm(`${OUT}/${name}`, { recursive: true, force: true });
}
await bundle({ main: "server/src/main.ts" });
await cp("server/src/store/migrations", `${OUT}/migrations`, { recursive: true });
for (const weights of ["route/predict/weights.bin", "safety/model/weights.bin"])
  await cp(`server/src/${weights}`, `${OUT}/${weights}`);
await buildWeb();
