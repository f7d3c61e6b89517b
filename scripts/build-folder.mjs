// @ts-check
// What the builds of the dashboard, the documentation and the contracts share.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export const ROOT = fileURLToPath(new URL("../", import.meta.url));
const LEAST_BYTES = 512;
/** The file in a built folder that tells from which sources it was built. */
export const MARK = "sources.sha256";

/**
 * Builds a folder, unless it was built from the same sources before, and writes compressed copies of its files if it is
 * served.
 * @param {{ home: string, sources: readonly string[], build: () => Promise<unknown>, isServed?: boolean }} options
 */
export async function buildFolder({ home, sources, build, isServed = true }) {
  const mark = join(home, MARK);
  const digest = await digestOf(sources);
  if ((await readFile(mark, "utf8").catch(() => "")) === digest) return;
  await build();
  if (isServed) await Promise.all((await filesUnder(home)).map(pack));
  // Written last: an interrupted build must not count.
  await writeFile(mark, digest);
}

/** @param {readonly string[]} places */
async function digestOf(places) {
  const hash = createHash("sha256");
  for (const place of places) {
    for (const path of (await filesUnder(join(ROOT, place))).sort()) {
      const bytes = await readFile(path);
      hash.update(`${relative(ROOT, path)}\0${bytes.length}\0`).update(bytes);
    }
  }
  return hash.digest("hex");
}

/** @param {string} place @returns {Promise<string[]>} */
async function filesUnder(place) {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return [place];
  const found = entries
    .filter((entry) => entry.name !== "node_modules")
    .map((entry) => filesUnder(join(place, entry.name)));
  return (await Promise.all(found)).flat();
}

/** Writes compressed copies of a file, at the highest level. @param {string} path */
async function pack(path) {
  const bytes = await readFile(path);
  if (bytes.length < LEAST_BYTES || !/\.(?:html|js|json|css|svg|webmanifest)$/.test(path)) return;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
