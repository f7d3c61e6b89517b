// Builds into server/dist: the server's bundle with the files it reads, and the dashboard.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { buildWeb, WEB } from "./build-web.mjs";
import { bundle, OUT } from "./bundle.mjs";

await mkdir(OUT, { recursive: true });
// The dashboard is kept: it is built again only when its sources changed.
for (const name of await readdir(OUT)) {
  if (name !== WEB) await rm(`${OUT}/${name}`, { recursive: true, force: true });
}
await bundle({ main: "server/src/main.ts", cli: "server/src/cli/main.ts" });
await buildWeb();

// `npm start` runs `exec node …`: without exec some shells stay between npm and the service and swallow its signals.
// cmd.exe has no exec, so this puts a command of that name where npm looks for commands.
if (process.platform === "win32") await writeFile("node_modules/.bin/exec.cmd", "@%*\r\n");
