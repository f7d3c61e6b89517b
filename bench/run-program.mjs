import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundle } from "../scripts/bundle.mjs";

const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs `bench/NAME.ts` bundled as the server is, in a process of its own, and reads what it prints.
 *
 * @param {string} name @param {number} limitMs
 */
export async function runProgram(name, limitMs) {
  const files = await bundle({ [`bench-${name}`]: `bench/${name}.ts` }, `bench-${name}-[name]-[hash]`);
  try {
    const program = fileURLToPath(new URL(`../server/dist/bench-${name}.mjs`, import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      timeout: limitMs,
      maxBuffer: MOST_OUTPUT_BYTES,
    });
    return JSON.parse(stdout);
  } finally {
    await Promise.all(files.map((file) => rm(file, { force: true })));
  }
}
