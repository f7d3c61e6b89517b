// @ts-check
// Builds the documentation as static files: `npm run docs:build -- --out folder [--base /path/]`.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { homeHtml, notFoundHtml, pageHtml } from "./layout.mjs";
import { GROUPS, pathOf } from "./pages.mjs";
import { renderPage } from "./render.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/**
 * Writes the site into a folder. `base` is the path that the site will have, with a slash at both ends.
 * @param {{ out: string, base: string, apiReference?: string }} options
 */
export async function buildSite({ out, base, apiReference }) {
  await mkdir(join(out, "assets"), { recursive: true });
  /** Writes an asset under a name with its digest, so that browsers may keep it for ever. @param {string} name @param {string | Uint8Array} content */
  const addAsset = async (name, content) => {
    const digest = createHash("sha256").update(content).digest("base64url").slice(0, 10);
    const path = `assets/${basename(name, extname(name))}-${digest}${extname(name)}`;
    await writeFile(join(out, path), content);
    return base + path;
  };

  /** @type {Map<string, string>} */
  const addresses = new Map([["README.md", base]]);
  for (const { files } of GROUPS) for (const file of files) addresses.set(file, base + pathOf(file));
  const sources = await Promise.all(
    GROUPS.flatMap(({ files }) => files).map(async (file) => ({
      file,
      text: await readFile(join(ROOT, file), "utf8"),
    })),
  );
  for (const { file, text } of sources) {
    for (const [, target = ""] of text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)) {
      const path = join(dirname(file), target);
      if (!addresses.has(path)) addresses.set(path, await addAsset(basename(path), await readFile(join(ROOT, path))));
    }
  }
  const pages = sources.map(({ file, text }) => renderPage(file, text, (target) => addresses.get(target)));

  const site = {
    base,
    apiReference,
    script: await addAsset("site.js", await bundled("client/site.ts")),
    style: await addAsset("site.css", await bundled("client/site.css")),
    icon: await addAsset("icon.svg", await readFile(join(ROOT, "web/public/favicon.svg"))),
    search: await addAsset("search.json", JSON.stringify(searchSections(pages))),
  };
  const files = [
    { path: "index.html", html: homeHtml(site, pages) },
    { path: "404.html", html: notFoundHtml(site, pages) },
    ...pages.map((page) => ({ path: pathOf(page.file), html: pageHtml(site, pages, page) })),
  ];
  for (const { path, html } of files) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), html);
  }
}

/** @param {string} file */
async function bundled(file) {
  const options = { bundle: true, minify: true, write: /** @type {const} */ (false), target: ["es2022"] };
  const { outputFiles } = await build({ ...options, entryPoints: [fileURLToPath(new URL(file, import.meta.url))] });
  return outputFiles[0]?.contents ?? "";
}

/** @param {readonly import("./render.mjs").Page[]} pages */
function searchSections(pages) {
  return pages.flatMap(({ file, title: page, sections }) =>
    sections.map(({ id, title, level, text }) => ({
      path: level === 1 ? pathOf(file) : `${pathOf(file)}#${id}`,
      page,
      title,
      text,
    })),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { out: { type: /** @type {const} */ ("string") }, base: { type: /** @type {const} */ ("string") } };
  const { out, base = "/" } = parseArgs({ options }).values;
  if (out === undefined || !/^\/(?:.*\/)?$/.test(base)) {
    process.stderr.write("Usage: npm run docs:build -- --out folder [--base /path/]\n");
    process.exit(2);
  }
  const begun = performance.now();
  // npm starts scripts in the repository's folder and says in this variable where it was called.
  const folder = resolve(process.env.INIT_CWD ?? ".", out);
  await buildSite({ out: folder, base });
  process.stdout.write(`Built the documentation into ${folder} in ${Math.round(performance.now() - begun)} ms.\n`);
}
