// @ts-check
// Types, format and lint, import direction, dead code, lock file: `npm run check`. Two steps run at a time.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** The path of a program that a package brings: to ask npx for it would load npm each time. @param {string} name */
const program = (name) => join(ROOT, "node_modules", ".bin", name);
/** @type {readonly (readonly [name: string, command: string, ...args: string[]])[]} */
const STEPS = [
  // The linter reads the types of every program, so that a compiler of its own for each would read them again.
  ["types and lint", program("oxlint"), "--type-aware", "--type-check", "--deny-warnings"],
  ["format", program("biome"), "ci", "--error-on-warnings", "."],
  [
    "imports",
    program("depcruise"),
    "--config",
    ".dependency-cruiser.mjs",
    "packages",
    "server/src",
    "chaos",
    "sdk/src",
    "ai-sdk-provider/src",
    "web/src",
  ],
  ["dead code", program("knip")],
  ["lock file", "node", "scripts/check-lock.mjs"],
];

/** @param {readonly [name: string, command: string, ...args: string[]]} step @returns {Promise<boolean>} */
function run([name, command, ...args]) {
  const begun = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      // The linter's memory grows to some gigabytes either way. To look less often for what is free takes a fifth less time.
      env: { GOGC: "400", ...process.env },
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => (output += error.message));
    child.on("close", (code) => {
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      process.stdout.write(code === 0 ? `✓ ${name} (${seconds} s)\n` : `✗ ${name} (${seconds} s)\n${output}\n`);
      resolve(code === 0);
    });
  });
}

const waiting = [...STEPS];
let allPassed = true;
async function work() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
    allPassed = (await run(step)) && allPassed;
}
await Promise.all([work(), work()]);
process.exitCode = allPassed ? 0 : 1;
