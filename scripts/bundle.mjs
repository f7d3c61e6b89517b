// @ts-check
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Where programs are bundled to: they look for the migrations, the docs and the packages from there. */
export const OUT = "server/dist";

/**
 * Bundles programs into server/dist, with the packages left outside, and says which files it made.
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
