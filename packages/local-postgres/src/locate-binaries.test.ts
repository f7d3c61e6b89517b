import { execFile } from "node:child_process";
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locateBinaries, prepareBinaries } from "./locate-binaries.ts";

const stranger = { uid: 54321, gid: 54321 };

describe("the binaries", { timeout: 30_000 }, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp("/tmp/trunkline-trial-");
    await chmod(folder, 0o755);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("run from the package although its install script never ran", async () => {
    const binaries = await locateBinaries(folder, undefined);
    const { stdout } = await promisify(execFile)(binaries.postgres, ["--version"]);
    expect(stdout).toContain(`(PostgreSQL) ${binaries.majorVersion}.`);
    expect(await readdir(folder)).toEqual([]);
  });

  it("are copied where the account can run them when the package is in a private folder", async () => {
    const { postgres } = await locateBinaries(folder, undefined);
    const hidden = join(folder, "hidden");
    await mkdir(hidden, { mode: 0o700 });
    await cp(dirname(dirname(postgres)), join(hidden, "native"), { recursive: true, verbatimSymlinks: true });

    const target = join(folder, "binaries-18.0.0");
    const copied = await prepareBinaries(join(hidden, "native"), target, stranger);
    expect(copied).toBe(join(target, "native"));
    await rm(hidden, { recursive: true });
    const asStranger = process.getuid?.() === 0 ? stranger : {};
    const { stdout } = await promisify(execFile)(join(copied, "bin", "postgres"), ["--version"], asStranger);
    expect(stdout).toContain("(PostgreSQL)");
    expect(await readdir(folder)).toEqual(["binaries-18.0.0"]);
  });

  it("are copied once and found again", async () => {
    const { postgres } = await locateBinaries(folder, undefined);
    const hidden = join(folder, "hidden");
    await mkdir(hidden, { mode: 0o700 });
    await cp(dirname(dirname(postgres)), join(hidden, "native"), { recursive: true, verbatimSymlinks: true });
    const target = join(folder, "binaries-18.0.0");
    await prepareBinaries(join(hidden, "native"), target, stranger);
    const { ino } = await lstat(join(target, "native", "bin", "postgres"));
    await prepareBinaries(join(hidden, "native"), target, stranger);
    expect((await lstat(join(target, "native", "bin", "postgres"))).ino).toBe(ino);
  });
});
