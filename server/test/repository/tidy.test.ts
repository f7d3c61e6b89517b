import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { FAULT_STATUS } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !/\/(node_modules|dist)\//.test(`/${path}`));
}

/** The sources of the service. */
const sources = async () => (await Promise.all(["packages", "server/src"].map(filesUnder))).flat();
const read = (path: string) => readFile(join(ROOT, path), "utf8");
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

describe("the sources", () => {
  it("read the environment in one place only", async () => {
    const readers: string[] = [];
    for (const path of await sources()) {
      // What tests share is no part of the service.
      if (path.startsWith("packages/testing/")) continue;
      if (path.endsWith(".ts") && !isTest(path) && /\bprocess\s*\.\s*env\b/.test(await read(path))) readers.push(path);
    }
    expect(readers).toEqual(["server/src/app/config/config.ts"]);
  });

  it("have no file of more than 400 lines, and no test of more than 600", async () => {
    const long: string[] = [];
    const folders = [
      ...["packages", "server/src", "server/test", "chaos", "web", "site", "sdk/src", "ai-sdk-provider/src"],
    ].map(filesUnder);
    for (const path of (await Promise.all(folders)).flat()) {
      // The types of the wire and of the tables are made, not written.
      if (!/\.tsx?$/.test(path) || path === "sdk/src/wire.ts" || path === "server/src/store/database/rows.ts") continue;
      if ((await read(path)).trimEnd().split("\n").length > (isTest(path) ? 600 : 400)) long.push(path);
    }
    expect(long).toEqual([]);
  });

  it("speak through the log or to the person at the terminal, never through the console", async () => {
    const talkers: string[] = [];
    for (const path of await sources()) {
      if (path.endsWith(".ts") && /\bconsole\s*\./.test(await read(path))) talkers.push(path);
    }
    expect(talkers).toEqual([]);
  });

  it("leave no test out and run none alone", async () => {
    const folders = await Promise.all(
      ["packages", "server", "examples", "chaos", "web", "site", "sdk", "sdk-python", "ai-sdk-provider"].map(
        filesUnder,
      ),
    );
    const paths = folders.flat().filter(isTest);
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths)
      expect(await read(path), path).not.toMatch(/\b(?:it|describe|test)\.(?:skip|only|todo|fails)\b/);
  });
});

describe("the packages", () => {
  it("come from wherever the reader's registry is: the lock file names no address", async () => {
    const lock = JSON.parse(await read("package-lock.json"));
    const packages = Object.entries<{ resolved?: string; link?: boolean; integrity?: string }>(lock.packages);
    expect(packages.length).toBeGreaterThan(50);
    for (const [name, { resolved, link }] of packages) {
      if (link !== true) expect(resolved, name).toBeUndefined();
    }
  });

  it("are held at one exact version each", async () => {
    for (const path of (await filesUnder(".")).filter((file) => /(^|\/)package\.json$/.test(file))) {
      const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = JSON.parse(await read(path));
      for (const [name, version] of Object.entries({
        ...dependencies,
        ...devDependencies,
        ...optionalDependencies,
      })) {
        expect(version, `${name} in ${path}`).toMatch(/^(npm:[\w-]+@)?\d+\.\d+\.\d+/);
      }
    }
  });
});

describe("docs/errors.md", () => {
  it("has one row for every error type, with its status, and no other", async () => {
    const rows = [...(await read("docs/errors.md")).matchAll(/^\| *(\d{3}) *\| *`(\w+)` *\|/gm)];
    const documented = rows.map(([, status, type]) => `${type} ${status}`);
    const known = Object.entries(FAULT_STATUS).map(([type, status]) => `${type} ${status}`);
    expect(documented.toSorted()).toEqual(known.toSorted());
  });
});
