// @ts-check
// Builds the dashboard into server/dist/web.
import { join } from "node:path";
import { buildFolder, ROOT } from "./build-folder.mjs";
import { OUT } from "./bundle.mjs";

/** The dashboard's folder in server/dist. */
export const WEB = "web";

export async function buildWeb() {
  await buildFolder({
    home: join(ROOT, OUT, WEB),
    sources: ["web", "sdk", "package-lock.json", "scripts/build-web.mjs", "scripts/build-folder.mjs"],
    build: async () => {
      const { build } = await import("vite");
      await build({ root: join(ROOT, "web"), logLevel: "warn" });
    },
  });
}
