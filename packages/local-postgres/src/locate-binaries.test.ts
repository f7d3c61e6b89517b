import { execFile } from "node:child_process";
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { binariesIn } from "./binaries.ts";
import type { Account } from "./file-system.ts";
import {
  createBinariesResolver,
  findRetainedBinaries,
  locateBinaries,
  prepareBinaries,
  retainBinaries,
  retainedBinariesFolder,
} from "./locate-binaries.ts";

describe("locate-binaries", () => {
  const stranger = { uid: 54321, gid: 54321 };

  describe("the binaries", () => {
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

    it("are copied to an accessible folder when the package is in a private one", async () => {
      const { postgres } = await locateBinaries(folder, undefined);
      const hidden = join(folder, "hidden");
      await mkdir(hidden, { mode: 0o700 });
      await cp(dirname(dirname(postgres)), join(hidden, "native"), {
        recursive: true,
        verbatimSymlinks: true,
      });

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
      await cp(dirname(dirname(postgres)), join(hidden, "native"), {
        recursive: true,
        verbatimSymlinks: true,
      });
      const target = join(folder, "binaries-18.0.0");
      await prepareBinaries(join(hidden, "native"), target, stranger);
      const { ino } = await lstat(join(target, "native", "bin", "postgres"));
      await prepareBinaries(join(hidden, "native"), target, stranger);
      expect((await lstat(join(target, "native", "bin", "postgres"))).ino).toBe(ino);
    });
  });
});

describe("retained binaries", () => {
  const stranger = { uid: 54321, gid: 54321 };

  describe("the retained binaries", () => {
    let folder: string;
    let home: string;
    let native: string;
    const lines: string[] = [];
    beforeEach(async () => {
      folder = await mkdtemp("/tmp/trunkline-trial-");
      [home, native] = [join(folder, "home"), join(folder, "package", "native")];
      await mkdir(home);
      for (const name of ["bin", "include", "lib", "share"]) await mkdir(join(native, name), { recursive: true });
      for (const name of ["bin/postgres", "include/libpq.h", "lib/libpq.so.5.18", "lib/libpq.a", "share/zones"])
        await writeFile(join(native, name), name, { mode: 0o755 });
      const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
      await writeFile(join(native, "pg-symlinks.json"), JSON.stringify(links));
      lines.length = 0;
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    /** Copies a version and resolves when that is done. */
    async function keep(version: string, account?: Account): Promise<string> {
      const binaries = binariesIn(native, version);
      const log = (line: string) => lines.push(line);
      const keeping = retainBinaries({ home, account, binaries, log, delayMs: 0 });
      const target = retainedBinariesFolder(home, version);
      await vi.waitFor(async () => expect(lines.length > 0 || (await lstat(target)).isDirectory()).toBe(true), {
        timeout: 240_000,
      });
      await keeping.stop();
      return target;
    }
    const filesIn = async (path: string) => (await readdir(path, { recursive: true })).toSorted();

    it("hold what is needed to run, as hard links that take no space, and outlive the package", async () => {
      const target = await keep("18.4.0");
      expect(await filesIn(join(target, "native"))).toEqual([
        "bin",
        "bin/postgres",
        "lib",
        "lib/libpq.so.5",
        "lib/libpq.so.5.18",
        "pg-symlinks.json",
        "share",
        "share/zones",
      ]);
      const [retained, original] = await Promise.all(
        [join(target, "native"), native].map((root) => lstat(join(root, "bin", "postgres"))),
      );
      expect(retained?.ino).toBe(original?.ino);
      await rm(native, { recursive: true });
      expect((await findRetainedBinaries(home, "18"))?.native).toBe(join(target, "native"));
      expect(await readdir(home)).toEqual([basename(target)]);
    });

    it("are copied where the account can't use the files of the package, which are not changed", async () => {
      for (const name of ["bin/postgres", "share/zones"]) await chmod(join(native, name), 0o700);
      const target = await keep("18.4.0", stranger);
      expect((await lstat(join(native, "bin", "postgres"))).mode & 0o777).toBe(0o700);
      expect((await lstat(join(target, "native", "bin", "postgres"))).mode & 0o777).toBe(0o755);
    });

    it("are deleted once no cluster needs them", async () => {
      await mkdir(join(home, "cluster-17"));
      for (const version of ["16.2.0", "17.9.0", "17.10.0", "18.3.0"])
        await mkdir(retainedBinariesFolder(home, version));
      await mkdir(`${retainedBinariesFolder(home, "17.10.0")}.unfinished-00000000`);
      await keep("18.4.0");
      await expect
        .poll(async () => (await readdir(home)).toSorted())
        .toEqual([
          ...["17.10.0", "17.9.0", "18.4.0"].map((version) => basename(retainedBinariesFolder(home, version))),
          "cluster-17",
        ]);
      expect((await findRetainedBinaries(home, "17"))?.version).toBe("17.10.0");
      expect(await findRetainedBinaries(home, "16")).toBeUndefined();
      expect(await findRetainedBinaries(home, "1")).toBeUndefined();
    });

    it("leave nothing incomplete where they can't be copied, and say so", async () => {
      await rm(join(native, "share"), { recursive: true });
      await rm(home, { recursive: true });
      await keep("18.4.0");
      expect(lines).toEqual([expect.stringMatching(/can't be kept in .*18\.4\.0.*ENOENT/)]);
      await mkdir(home);
      const binaries = binariesIn(native, "18.4.0");
      const log = (line: string) => lines.push(line);
      const keeping = retainBinaries({ home, account: undefined, binaries, log, delayMs: 0 });
      await keeping.stop();
      expect(await readdir(home)).toEqual([]);
      expect(lines).toHaveLength(1);
    });

    it("replace the programs in use after a package update", async () => {
      const binaries = binariesIn(native, "18.4.0");
      const find = await createBinariesResolver(home, binaries);
      const target = await keep("18.4.0");
      expect(await find()).toBe(binaries);
      await rm(binaries.postgres);
      expect(await find()).toEqual(binariesIn(join(target, "native"), "18.4.0"));
      await writeFile(binaries.postgres, "others");
      expect(await find()).toEqual(binariesIn(join(target, "native"), "18.4.0"));
      await rm(target, { recursive: true });
      expect(await find()).toBe(binaries);
    });

    it("run", async () => {
      const real = await locateBinaries(home, undefined);
      native = real.native;
      await keep(real.version);
      const retained = await findRetainedBinaries(home, real.majorVersion);
      for (const program of [retained?.postgres, retained?.initdb, retained?.pgCtl]) {
        const { stdout } = await promisify(execFile)(program ?? "", ["--version"]);
        expect(stdout).toContain(`(PostgreSQL) ${real.majorVersion}.`);
      }
    });
  });
});
