import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXECUTE, findUnreadableFolder, READ } from "./file-system.ts";

const stranger = { uid: 54321, gid: 54321 };

describe("findBarrier", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp("/tmp/trunkline-trial-"));
    await chmod(folder, 0o755);
    await mkdir(join(folder, "outer", "inner"), { recursive: true });
    await chmod(join(folder, "outer"), 0o755);
    await chmod(join(folder, "outer", "inner"), 0o755);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("finds none on a path that is open to all", async () => {
    expect(await findUnreadableFolder(join(folder, "outer", "inner"), stranger)).toBeUndefined();
  });

  it("names the outermost folder that the account can't enter", async () => {
    await chmod(join(folder, "outer", "inner"), 0o700);
    expect(await findUnreadableFolder(join(folder, "outer", "inner"), stranger)).toBe(join(folder, "outer", "inner"));
    await chmod(join(folder, "outer"), 0o750);
    expect(await findUnreadableFolder(join(folder, "outer", "inner"), stranger)).toBe(join(folder, "outer"));
  });

  it("accepts folders that can be entered but not listed", async () => {
    await chmod(join(folder, "outer"), 0o711);
    expect(await findUnreadableFolder(join(folder, "outer", "inner"), stranger)).toBeUndefined();
  });

  it("uses the owner's permissions for the owner and the group's for the group", async () => {
    await chmod(join(folder, "outer"), 0o710);
    const uid = process.getuid?.() ?? 0;
    const gid = process.getgid?.() ?? 0;
    expect(await findUnreadableFolder(join(folder, "outer"), { uid, gid: 54321 })).toBeUndefined();
    expect(await findUnreadableFolder(join(folder, "outer"), { uid: 54321, gid })).toBeUndefined();
    expect(await findUnreadableFolder(join(folder, "outer"), stranger)).toBe(join(folder, "outer"));
  });

  it("checks the permissions of the file itself, also behind links", async () => {
    const file = join(folder, "outer", "program");
    await writeFile(file, "");
    await chmod(file, 0o744);
    await symlink(file, join(folder, "link"));
    expect(await findUnreadableFolder(join(folder, "link"), stranger, READ)).toBeUndefined();
    expect(await findUnreadableFolder(join(folder, "link"), stranger, EXECUTE)).toBe(file);
  });
});
