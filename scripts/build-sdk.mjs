// @ts-check
// Builds the packages that users install into sdk/dist: `npm pack ./sdk/dist` makes the tarball.
import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const SDK = join(ROOT, "sdk");
const OUT = join(SDK, "dist");

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT);
/** One file for `import` and one for `require`, for Node 20 and browsers of its time. */
for (const [format, name] of /** @type {const} */ ([
  ["esm", "client.js"],
  ["cjs", "client.cjs"],
])) {
  await build({
    entryPoints: [join(SDK, "src/client.ts")],
    outfile: join(OUT, name),
    bundle: true,
    format,
    platform: "neutral",
    target: "es2022",
    logLevel: "warning",
  });
}
await writeTypes();
await writeFile(join(OUT, "package.json"), `${JSON.stringify(await manifest(), undefined, 2)}\n`);
await cp(join(SDK, "README.md"), join(OUT, "README.md"));
await cp(join(ROOT, "LICENSE"), join(OUT, "LICENSE"));

/** Declarations, once for each of the two module systems: they name each other by their own endings. */
async function writeTypes() {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  execFileSync(process.execPath, [compiler, "--project", join(SDK, "tsconfig.types.json")], { stdio: "inherit" });
  for (const name of await readdir(OUT)) {
    if (!name.endsWith(".d.ts")) continue;
    const text = await readFile(join(OUT, name), "utf8");
    const withEnding = (/** @type {string} */ ending) => text.replace(/(from "\.\/[\w-]+)\.ts"/g, `$1.${ending}"`);
    await writeFile(join(OUT, name), withEnding("js"));
    await writeFile(join(OUT, name.replace(/\.d\.ts$/, ".d.cts")), withEnding("cjs"));
  }
}

async function manifest() {
  const { name, version, description, license, type } = JSON.parse(await readFile(join(SDK, "package.json"), "utf8"));
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
        import: { types: "./client.d.ts", default: "./client.js" },
        require: { types: "./client.d.cts", default: "./client.cjs" },
      },
      "./package.json": "./package.json",
    },
  };
}
