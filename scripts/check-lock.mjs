// @ts-check
// Checks package-lock.json: every package from the registry has its `integrity`, so that an install takes what was
// reviewed, and none has `resolved`, so that it is fetched from whichever registry a machine uses.
import { readFileSync } from "node:fs";

/** @typedef {{ version?: string, link?: boolean, inBundle?: boolean, resolved?: string, integrity?: string }} Package */

const MISSING = {
  reason: "The registry that the lock was made with has no such version of these optional platform packages.",
  packages: [
    {
      prefix: "@biomejs/cli-",
      version: "2.6.6",
      platforms: ["android-arm64", "android-x64", "darwin-arm64", "darwin-x64", "win32-arm64", "win32-x64"],
    },
    {
      prefix: "@oxc-parser/binding-",
      version: "0.155.0",
      platforms: [
        "android-arm-eabi",
        "android-arm64",
        "darwin-arm64",
        "darwin-x64",
        "freebsd-x64",
        "linux-arm-gnueabihf",
        "linux-arm-musleabihf",
        "linux-ppc64-gnu",
        "linux-riscv64-gnu",
        "linux-riscv64-musl",
        "linux-s390x-gnu",
        "openharmony-arm64",
        "win32-arm64-msvc",
        "win32-ia32-msvc",
        "win32-x64-msvc",
      ],
    },
    {
      prefix: "@oxlint-tsgolint/",
      version: "7.0.2006",
      platforms: ["darwin-arm64", "darwin-x64", "win32-arm64", "win32-x64"],
    },
    {
      prefix: "@oxlint/binding-",
      version: "1.93.0",
      platforms: [
        "android-arm-eabi",
        "android-arm64",
        "darwin-arm64",
        "darwin-x64",
        "freebsd-x64",
        "linux-arm-gnueabihf",
        "linux-arm-musleabihf",
        "linux-ppc64-gnu",
        "linux-riscv64-gnu",
        "linux-riscv64-musl",
        "linux-s390x-gnu",
        "openharmony-arm64",
        "win32-arm64-msvc",
        "win32-ia32-msvc",
        "win32-x64-msvc",
      ],
    },
    {
      prefix: "@rolldown/binding-",
      version: "1.2.18",
      platforms: [
        "android-arm-eabi",
        "android-arm64",
        "darwin-arm64",
        "darwin-x64",
        "freebsd-x64",
        "linux-arm-gnueabihf",
        "linux-ppc64-gnu",
        "linux-s390x-gnu",
        "openharmony-arm64",
        "win32-arm64-msvc",
        "win32-x64-msvc",
      ],
    },
    {
      prefix: "@tailwindcss/oxide-",
      version: "4.3.5",
      platforms: [
        "android-arm64",
        "darwin-arm64",
        "darwin-x64",
        "freebsd-x64",
        "linux-arm-gnueabihf",
        "wasm32-wasi",
        "win32-arm64-msvc",
        "win32-x64-msvc",
      ],
    },
  ],
};

const excepted = new Set(
  MISSING.packages.flatMap(({ prefix, version, platforms }) =>
    platforms.map((platform) => `${prefix}${platform}@${version}`),
  ),
);
process.stdout.write(`${excepted.size} packages may lack \`integrity\`: ${MISSING.reason}\n`);
/** @type {{ packages: Record<string, Package> }} */
const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));

/** @type {string[]} */
const faults = [];
for (const [path, found] of Object.entries(lock.packages)) {
  const start = path.lastIndexOf("node_modules/");
  if (start === -1 || found.link === true) continue;
  const name = `${path.slice(start + "node_modules/".length)}@${found.version}`;
  if (found.resolved !== undefined) faults.push(`${name} has \`resolved\`. Delete it.`);
  const isExcepted = excepted.delete(name);
  if (found.integrity === undefined && found.inBundle !== true && !isExcepted)
    faults.push(`${name} has no \`integrity\`. Run \`node scripts/complete-lock.mjs\`.`);
  if (found.integrity !== undefined && isExcepted) faults.push(`${name} has its \`integrity\`. It is no exception.`);
}
for (const name of excepted) faults.push(`${name} is not in the lock. It is no exception.`);

for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
