// @ts-check
// Compiles contracts/**/*.sol into contracts/dist: one JSON file with ABI and bytecode for each contract.
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { buildFolder, ROOT } from "./build-folder.mjs";

const SOURCES = ["contracts", "contracts/testing"];
const HOME = join(ROOT, "contracts/dist");
/** Blocks of every larger chain understand it, and OpenZeppelin's contracts need it. */
const EVM_VERSION = "cancun";

export async function buildContracts() {
  const names = (await Promise.all(SOURCES.map(solidityIn))).flat();
  await buildFolder({
    home: HOME,
    isServed: false,
    sources: [...names, "scripts/build-contracts.mjs", "node_modules/solc/package.json"],
    build: () => compile(names),
  });
}

/** @param {string} folder */
async function solidityIn(folder) {
  const names = await readdir(join(ROOT, folder));
  return names.filter((name) => name.endsWith(".sol")).map((name) => `${folder}/${name}`);
}

/** @param {readonly string[]} names */
async function compile(names) {
  const require = createRequire(import.meta.url);
  // Loaded only here: the compiler takes a second to load.
  const solc = require("solc");
  const sources = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, { content: await readFile(join(ROOT, name), "utf8") }])),
  );
  /** @param {string} name */
  const findImport = (name) => ({ contents: readFileSync(require.resolve(name), "utf8") });
  const input = {
    language: "Solidity",
    sources,
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: EVM_VERSION,
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }));
  if (output.errors?.length > 0) {
    throw new Error(output.errors.map((/** @type {any} */ error) => error.formattedMessage).join("\n"));
  }
  await rm(HOME, { recursive: true, force: true });
  await mkdir(HOME, { recursive: true });
  for (const name of names) {
    for (const [contract, { abi, evm }] of Object.entries(output.contracts[name])) {
      await writeFile(join(HOME, `${contract}.json`), JSON.stringify({ abi, bytecode: `0x${evm.bytecode.object}` }));
    }
  }
}
