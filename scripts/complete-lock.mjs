// Completes package-lock.json after a change of dependencies. npm writes down only the platform packages that it could
// fetch at that moment, and `npm ci` then refuses the lock on every machine. This adds the others by name and version,
// so that a clone installs on any platform; npm fetches the one that fits.
import { readFileSync, writeFileSync } from "node:fs";

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
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(PATH, `${JSON.stringify(lock, null, 2)}\n`);

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
