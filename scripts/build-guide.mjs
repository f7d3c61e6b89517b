// @ts-check
// Builds the documentation into server/dist/guide.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SITE_SOURCES } from "../site/pages.mjs";
import { buildFolder, ROOT } from "./build-folder.mjs";
import { OUT } from "./bundle.mjs";

/** The documentation's folder in server/dist. The service shows it at /guide/. */
export const GUIDE = "guide";

export async function buildGuide() {
  const home = join(ROOT, OUT, GUIDE);
  await buildFolder({
    home,
    sources: [...SITE_SOURCES, "scripts/build-guide.mjs", "scripts/build-folder.mjs"],
    build: async () => {
      // By a computed address, since the types of its packages would bring those of browsers into the server's checks.
      const { buildSite } = await import(new URL("../site/build.mjs", import.meta.url).href);
      await rm(home, { recursive: true, force: true });
      await buildSite({ out: home, base: `/${GUIDE}/`, apiReference: "/docs" });
    },
  });
}
