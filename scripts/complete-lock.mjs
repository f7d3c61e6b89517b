// Completes package-lock.json after a change of dependencies. npm writes down only the platform packages that it could
// fetch at that moment, and `npm ci` then refuses the lock on every machine. This adds the others by name and version,
// so that a clone installs on any platform; npm fetches the one that fits. Where the registry now has a package without
// `integrity`, that is added too.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";

const PATH = new URL("../package-lock.json", import.meta.url);
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32", "aix"];
const PROCESSORS = ["arm64", "x64", "ia32", "ppc64", "riscv64", "s390x", "loong64", "wasm32", "arm"];

const lock = JSON.parse(readFileSync(PATH, "utf8"));
for (const [home, owner] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    const isKnown = Object.entries(lock.packages).some(
      ([path, found]) => path.endsWith(place) && majorOf(found.version) === majorOf(version),
    );
    if (isKnown) continue;
    // Two versions of one package: the second goes into the folder of the package that needs it.
    const free = lock.packages[place] === undefined ? place : `${home}/${place}`;
    lock.packages[free] = describe(name, version, owner.dev === true);
  }
}
const incomplete = Object.entries(lock.packages).filter(
  ([path, found]) => path.includes("node_modules/") && found.link !== true && found.integrity === undefined,
);
await Promise.all(Array.from({ length: 4 }, completeNext));
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(PATH, `${JSON.stringify(lock, null, 2)}\n`);

/** Completes packages until none is left. What the registry does not have stays without. */
async function completeNext() {
  for (let next = incomplete.pop(); next !== undefined; next = incomplete.pop()) {
    const [path, found] = next;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const arguments_ = ["view", `${name}@${found.version}`, "dist.integrity", "--json"];
    const { stdout } = await promisify(execFile)("npm", arguments_, { shell: process.platform === "win32" }).catch(
      () => ({ stdout: "" }),
    );
    if (stdout.trim() !== "") found.integrity = JSON.parse(stdout);
  }
}

function majorOf(version) {
  return /\d+/.exec(version ?? "")?.[0];
}

/** What the lock says of a package for one platform; the platform is in its name. */
function describe(name, version, isDev) {
  const system = SYSTEMS.find((word) => name.includes(word));
  const processor = PROCESSORS.find((word) => name.includes(word));
  return {
    version: version.replace(/^[~^]/, ""),
    ...(processor === undefined ? {} : { cpu: [processor] }),
    ...(isDev ? { dev: true } : {}),
    ...(name.includes("musl") ? { libc: ["musl"] } : {}),
    optional: true,
    ...(system === undefined ? {} : { os: [system] }),
  };
}
