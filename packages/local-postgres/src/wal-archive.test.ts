import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recoverySettings, walArchiveSettings } from "./wal-archive.ts";

const SEGMENT = "000000010000000000000001";

describe.skipIf(process.platform === "win32")("the archive of the log", () => {
  let folder: string;
  let archive: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "trunkline-wal-"));
    archive = join(folder, "it's 5 % full");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Runs a command as PostgreSQL does, which puts the paths in. */
  const run = (command = "", name = SEGMENT, path = join(folder, "segment")) => {
    const places: Record<string, string> = { "%%": "%", "%f": name, "%p": path };
    return promisify(execFile)("/bin/sh", ["-c", command.replaceAll(/%[%fp]/g, (place) => places[place] ?? "")]);
  };

  it("takes a segment once, the same one again, and never another one of its name", async () => {
    const { archive_command: command } = await walArchiveSettings(archive, undefined);
    await writeFile(join(folder, "segment"), "one");
    await run(command);
    await run(command);
    await writeFile(join(folder, "segment"), "other");
    await expect(run(command)).rejects.toThrow();
    expect(await readdir(archive)).toEqual([`${SEGMENT}.gz`]);
    expect(gunzipSync(await readFile(join(archive, `${SEGMENT}.gz`))).toString()).toBe("one");
  });

  it("gives a segment back, and says where one is missing", async () => {
    const { archive_command: write } = await walArchiveSettings(archive, undefined);
    await writeFile(join(folder, "segment"), "one");
    await run(write);
    const { restore_command: read } = await recoverySettings(archive, undefined);
    await run(read, SEGMENT, join(folder, "back"));
    expect(await readFile(join(folder, "back"), "utf8")).toBe("one");
    await expect(run(read, "000000010000000000000002", join(folder, "back"))).rejects.toThrow();
  });

  it("changes no setting where there is none, and is refused where its folder can't be made", async () => {
    expect(await walArchiveSettings(undefined, undefined)).toEqual({});
    await writeFile(join(folder, "file"), "");
    await expect(walArchiveSettings(join(folder, "file", "archive"), undefined)).rejects.toThrow("can't be made");
  });
});
