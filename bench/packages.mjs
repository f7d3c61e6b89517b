// @ts-check
/** Programs that the bench compares with, from npm. They are no dependencies: they lie in a cache folder of their own. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "trunkline-bench");
const INSTALL_LIMIT_MS = 180_000;

/** Exact, so that figures of different days compare with the same program. */
const PORTKEY = "@portkey-ai/gateway@1.15.2";
const NODE_24 = "24.21.0";

/** The program of Portkey's gateway, or undefined where it can't be fetched. */
export async function fetchPortkey() {
  const folder = await fetchPackage("portkey-1.15.2", PORTKEY);
  return folder && join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
}

/** A Node 24 for this machine, or undefined where there is none, or it does not run. */
export async function fetchNode24() {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = await fetchPackage(`${name}-${NODE_24}`, `${name}@${NODE_24}`);
  if (folder === undefined) return undefined;
  const program = join(folder, "node_modules", name, "bin/node");
  try {
    return execFileSync(program, ["--version"], { encoding: "utf8" }).startsWith("v24.") ? program : undefined;
  } catch {
    process.stdout.write("Node 24 does not run on this machine: its rows are left out.\n");
    return undefined;
  }
}

/** @param {string} name @param {string} spec */
async function fetchPackage(name, spec) {
  const folder = join(CACHE, name);
  if (existsSync(join(folder, "package-lock.json"))) return folder;
  process.stdout.write(`Fetching ${spec} into ${folder}.\n`);
  await mkdir(folder, { recursive: true });
  const words = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", spec];
  try {
    await promisify(execFile)("npm", words, { timeout: INSTALL_LIMIT_MS });
    return folder;
  } catch {
    process.stdout.write(`${spec} could not be fetched: its rows are left out.\n`);
    return undefined;
  }
}
