// @ts-check
import { cp, readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Where programs are bundled to: they look for the migrations, the docs and the packages from there. */
export const OUT = "server/dist";

/**
 * Bundles programs into server/dist and returns the files it made. Packages from npm stay outside, our own go in.
 * @param {Record<string, string>} entryPoints @param {string} [chunkNames]
 */
export async function bundle(entryPoints, chunkNames = "[name]-[hash]") {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
    chunkNames,
    bundle: true,
    packages: "external",
    plugins: [ownPackages, files],
    platform: "node",
    format: "esm",
    target: "node20",
    // Writes constants where they are used: the compiler of Node takes what is at the top of a module for variables.
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    // What is imported while the database starts is a file of its own.
    splitting: true,
    metafile: true,
    logLevel: "warning",
  });
  return Object.keys(metafile.outputs).map((file) => ROOT + file);
}

/** `@trunkline/core/money.ts` is `packages/core/src/money.ts`. @type {import("esbuild").Plugin} */
const ownPackages = {
  name: "own-packages",
  setup(builder) {
    builder.onResolve({ filter: /^@trunkline\/[^/]+\/.+\.ts$/ }, ({ path }) => {
      const [, name, file] = /^@trunkline\/([^/]+)\/(.+)$/.exec(path) ?? [];
      return { path: join(ROOT, "packages", `${name}`, "src", `${file}`) };
    });
  },
};

/**
 * A source names a file beside it by `new URL("./weights.bin", import.meta.url)`. The bundle stands in another folder, so
 * files of the sources are copied to server/dist/files, and every such address is written as seen from server/dist.
 * @type {import("esbuild").Plugin}
 */
const files = {
  name: "files",
  setup(builder) {
    builder.onLoad({ filter: /[\\/](server|packages)[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes("import.meta.url")) return undefined;
      /** @type {Promise<void>[]} */
      const copies = [];
      const contents = text.replace(/new URL\("([^"]+)", import\.meta\.url\)/g, (_, address) => {
        const file = join(dirname(path), address);
        const place = relative(ROOT, file);
        if (!/[\\/]src[\\/]/.test(place)) return urlOf(relative(join(ROOT, OUT), file), address);
        const copy = join("files", place.replace(/^packages[\\/]/, "").replace(/[\\/]src[\\/]/, sep));
        copies.push(cp(file, join(ROOT, OUT, copy), { recursive: true }));
        return urlOf(copy, address);
      });
      await Promise.all(copies);
      return { contents, loader: "ts" };
    });
  },
};

/** @param {string} path @param {string} address */
function urlOf(path, address) {
  const posix = path
    .split(sep)
    .join("/")
    .replace(/\/?$/, address.endsWith("/") ? "/" : "");
  return `new URL(${JSON.stringify(posix.startsWith(".") ? posix : `./${posix}`)}, import.meta.url)`;
}
