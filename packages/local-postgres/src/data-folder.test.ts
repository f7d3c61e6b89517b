import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquireLock, openDataFolder } from "./data-folder.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { identifyProcess } from "./process.ts";

describe("data-folder", () => {
  const isRoot = process.getuid?.() === 0;

  describe("openDataFolder", () => {
    let folder: string;
    const sheltered: string[] = [];
    beforeEach(async () => {
      folder = await realpath(await mkdtemp("/tmp/trunkline-trial-"));
      await chmod(folder, 0o755);
    });
    afterEach(async () => {
      for (const path of sheltered.splice(0)) await rm(path, { recursive: true, force: true });
      // Deletion fails, as it should, where the folder holds data.
      await rmdir("/var/lib/trunkline").catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    });

    it("creates a private folder with any umask, and finds it again", async () => {
      const before = process.umask(0o077);
      const first = await openDataFolder(join(folder, "new", "data")).finally(() => process.umask(before));
      expect(first).toMatchObject({ home: join(folder, "new", "data", "postgres"), notes: [] });
      const { mode, uid } = await stat(first.home);
      expect(mode & 0o777).toBe(0o700);
      expect(uid).toBe(isRoot ? 65534 : process.getuid?.());
      expect(await openDataFolder(join(folder, "new", "data"))).toEqual(first);
    });

    it("makes a folder private again that was opened to others", async () => {
      const { home } = await openDataFolder(folder);
      await chmod(home, 0o777);
      await openDataFolder(folder);
      expect((await stat(home)).mode & 0o777).toBe(0o700);
    });

    it("refuses a dangling link, whose data may be unmounted", async () => {
      await symlink(join(folder, "gone"), join(folder, "postgres"));
      await expect(openDataFolder(folder)).rejects.toThrow("does not exist");
    });

    describe.runIf(isRoot)("as root", () => {
      async function openPrivate(name: string) {
        await mkdir(join(folder, name), { mode: 0o700 });
        const opened = await openDataFolder(join(folder, name));
        sheltered.push(opened.home);
        return opened;
      }

      it("stores the data elsewhere when the folder is private, and says so", async () => {
        const { home, notes } = await openPrivate("private");
        expect(home).toMatch(/^\/var\/lib\/trunkline\/[0-9a-f]{16}$/);
        expect(await readlink(join(folder, "private", "postgres"))).toBe(home);
        expect(notes).toEqual([expect.stringContaining(home)]);
        expect((await stat(home)).uid).toBe(65534);
        expect((await openDataFolder(join(folder, "private"))).home).toBe(home);
      });

      it("finds data that is elsewhere after the data folder was renamed or opened", async () => {
        const { home } = await openPrivate("private");
        await rename(join(folder, "private"), join(folder, "renamed"));
        expect((await openDataFolder(join(folder, "renamed"))).home).toBe(home);
        await chmod(join(folder, "renamed"), 0o755);
        expect((await openDataFolder(join(folder, "renamed"))).home).toBe(home);
      });

      it("refuses to start empty when existing data became inaccessible", async () => {
        const data = join(folder, "data");
        await openDataFolder(data);
        await chmod(data, 0o700);
        await expect(openDataFolder(data)).rejects.toThrow(`chmod o+x ${data}`);
      });

      it("follows no link that it did not make", async () => {
        await mkdir(join(folder, "victim"));
        await writeFile(join(folder, "victim", "letter"), "");
        await symlink(join(folder, "victim"), join(folder, "postgres"));
        await expect(openDataFolder(folder)).rejects.toThrow("is a link to");
        expect((await stat(join(folder, "victim"))).uid).toBe(0);
      });

      it("changes the owner of an empty folder of root, never of one with content", async () => {
        await mkdir(join(folder, "postgres"));
        const { home } = await openDataFolder(folder);
        expect((await stat(home)).uid).toBe(65534);

        const restored = join(folder, "restored");
        await mkdir(join(restored, "postgres", "cluster"), { recursive: true });
        await expect(openDataFolder(restored)).rejects.toThrow("chown -R 65534:65534");
        expect(await readdir(join(restored, "postgres"))).toEqual(["cluster"]);
      });
    });
  });
});

describe("lock", () => {
  describe("takeLock", () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp("/tmp/trunkline-trial-");
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it("refuses a second process, names the pid of the first, and accepts it after the release", async () => {
      const first = await acquireLock(folder);
      const refusal = await acquireLock(folder).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
      expect(String(refusal)).toContain(`process ${process.pid})`);
      await first.release();
      const second = await acquireLock(folder);
      await second.release();
      expect(await readdir(folder)).toEqual([]);
    });

    it("takes over from a process that has ended", async () => {
      const child = spawn(process.execPath, ["-e", ""]);
      await once(child, "exit");
      await writeFile(join(folder, `gateway-${child.pid}-0123456789abcdef-00000000.lock`), "");
      const dataFolderLock = await acquireLock(folder);
      expect(await readdir(folder)).toHaveLength(2);
      await dataFolderLock.removeStale();
      expect(await readdir(folder)).toHaveLength(1);
      await dataFolderLock.release();
    });

    it("takes over when the pid now belongs to another program", async () => {
      await writeFile(join(folder, `gateway-${process.ppid}-0123456789abcdef-00000000.lock`), "");
      const dataFolderLock = await acquireLock(folder);
      expect(await readdir(folder)).toHaveLength(2);
      await dataFolderLock.removeStale();
      expect(await readdir(folder)).toHaveLength(1);
      await dataFolderLock.release();
    });

    it("never accepts two of many that start at once", async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => acquireLock(folder)));
      const dataFolderLocks = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      expect(dataFolderLocks.length).toBeLessThanOrEqual(1);
      for (const dataFolderLock of dataFolderLocks) await dataFolderLock.release();
      expect(await readdir(folder)).toEqual([]);
    });

    it("does not touch other files", async () => {
      await writeFile(join(folder, "PG_VERSION"), "18\n");
      const dataFolderLock = await acquireLock(folder);
      await dataFolderLock.removeStale();
      await dataFolderLock.release();
      expect(await readdir(folder)).toEqual(["PG_VERSION"]);
    });
  });

  describe("identifyProcess", () => {
    it("differs for two processes, is stable for one, and is undefined once it has ended", async () => {
      const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
        stdio: ["pipe", "ignore", "ignore"],
      });
      await once(child, "spawn");
      const pid = child.pid ?? 0;
      const alive = await identifyProcess(pid);
      expect(alive).toBeDefined();
      expect(alive).not.toBe(await identifyProcess(process.pid));
      expect(alive).toBe(await identifyProcess(pid));
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(await identifyProcess(pid)).toBeUndefined();
    });
  });
});
