// @ts-check
// Builds the packages that users install, or those that are named, each into its `dist`: `npm pack ./sdk/dist` makes a
// tarball.
import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const COMPILER = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

/** The folder of each package, and the file of its sources that users import. */
const PACKAGES = { sdk: "client", "ai-sdk-provider": "trunkline-provider" };

const wanted = process.argv.slice(2);
for (const [folder, entry] of Object.entries(PACKAGES))
  if (wanted.length === 0 || wanted.includes(folder)) await buildPackage(folder, entry);

/** A package out of the entry file of its sources. @param {string} folder @param {string} entry */
async function buildPackage(folder, entry) {
  const source = join(ROOT, folder);
  const out = join(source, "dist");
  await rm(out, { recursive: true, force: true });
  await mkdir(out);
  // One file for `import` and one for `require`, for Node 20 and browsers of its time.
  for (const [format, ending] of /** @type {const} */ ([
    ["esm", "js"],
    ["cjs", "cjs"],
  ])) {
    await build({
      entryPoints: [join(source, `src/${entry}.ts`)],
      outfile: join(out, `${entry}.${ending}`),
      bundle: true,
      packages: "external",
      format,
      platform: "neutral",
      target: "es2022",
      logLevel: "warning",
    });
  }
  await writeTypes(source, out);
  await writeFile(join(out, "package.json"), `${JSON.stringify(await manifestOf(source, entry), undefined, 2)}\n`);
  await cp(join(source, "README.md"), join(out, "README.md"));
  await cp(join(ROOT, "LICENSE"), join(out, "LICENSE"));
}

/** Declarations, once for each of the two module systems: they name each other by their own endings. @param {string} source @param {string} out */
async function writeTypes(source, out) {
  execFileSync(process.execPath, [COMPILER, "--project", join(source, "tsconfig.types.json")], { stdio: "inherit" });
  for (const name of await readdir(out)) {
    if (!name.endsWith(".d.ts")) continue;
    const text = await readFile(join(out, name), "utf8");
    const withEnding = (/** @type {string} */ ending) => text.replace(/(from "\.\/[\w-]+)\.ts"/g, `$1.${ending}"`);
    await writeFile(join(out, name), withEnding("js"));
    await writeFile(join(out, name.replace(/\.d\.ts$/, ".d.cts")), withEnding("cjs"));
  }
}

/** @param {string} source @param {string} entry */
async function manifestOf(source, entry) {
  const { name, version, description, license, type, dependencies } = JSON.parse(
    await readFile(join(source, "package.json"), "utf8"),
  );
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects: false,
    engines: { node: ">=20" },
    exports: {
      ".": {
        import: { types: `./${entry}.d.ts`, default: `./${entry}.js` },
        require: { types: `./${entry}.d.cts`, default: `./${entry}.cjs` },
      },
      "./package.json": "./package.json",
    },
    ...(dependencies === undefined ? {} : { dependencies }),
  };
}
