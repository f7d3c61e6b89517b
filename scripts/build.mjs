// Builds into server/dist: the server's bundle with the files it reads, the dashboard and the documentation. The contracts
// are compiled into contracts/dist.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildContracts } from "./build-contracts.mjs";
import { buildFolder, ROOT } from "./build-folder.mjs";
import { buildGuide, GUIDE } from "./build-guide.mjs";
import { buildWeb, WEB } from "./build-web.mjs";
import { bundle, OUT } from "./bundle.mjs";

// Each part is built again only when its sources changed: `npm ci` has just built what `npm test` needs.
await mkdir(OUT, { recursive: true });
await buildFolder({
  home: join(ROOT, OUT),
  isServed: false,
  sources: [
    ...(await packageSources()),
    "server/src",
    "sdk/src",
    "package-lock.json",
    "scripts/build.mjs",
    "scripts/bundle.mjs",
  ],
  build: async () => {
    for (const name of await readdir(OUT)) {
      if (name !== WEB && name !== GUIDE) await rm(`${OUT}/${name}`, { recursive: true, force: true });
    }
    await bundle({ main: "server/src/main.ts", cli: "server/src/cli/main.ts" });
  },
});
await buildWeb();
await buildGuide();
await buildContracts();

// `npm start` runs `exec node …`: without exec some shells stay between npm and the service and swallow its signals.
// cmd.exe has no exec, so this puts a command of that name where npm looks for commands.
if (process.platform === "win32") await writeFile("node_modules/.bin/exec.cmd", "@%*\r\n");

async function packageSources() {
  return (await readdir("packages")).map((name) => `packages/${name}/src`);
}
