// @ts-check
// `npm test`: the check and then every test. `npm test -- <folder>`: only the tests of that folder, without the check.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const filters = process.argv.slice(2);

// Where every test runs, what they need of the system is installed at once.
const env = { ...process.env, ...(filters.length === 0 ? { TEST_EVERYTHING: "yes" } : {}) };

/** @param {readonly string[]} words */
const run = (...words) => spawnSync(process.execPath, words, { cwd: ROOT, env, stdio: "inherit" }).status ?? 1;

const checked = filters.length === 0 ? run("scripts/check.mjs") : 0;
process.exitCode = checked === 0 ? run("node_modules/vitest/vitest.mjs", "run", ...filters) : checked;
