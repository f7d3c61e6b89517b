import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { chmod, mkdir, mkdtemp, open, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { MissingMeans } from "../missing-tools.ts";
import type { ScenarioOptions } from "../options.ts";
import type { Report } from "../report.ts";
import { Testbed } from "../testbed.ts";
import { strikeUnderLoad } from "../under-load.ts";

const run = promisify(execFile);
const DISK_MB = 400;
const CALM_MS = [2_000, 4_000] as const;
const AFTER_MS = 14_000;
const REFILL_MS = 100;
const LOG_FILES = 20;
const PIECE = Buffer.alloc(64 * 1024, "ballast ");

/** The disk under the embedded store is full for a while, under load. */
export async function fullDisk(options: ScenarioOptions): Promise<Report> {
  const { say, seconds = 10, rounds = 2 } = options;
  const disk =
    options.folder === undefined ? await mountSmallDisk() : { folder: options.folder, close: async () => undefined };
  try {
    const testbed = await Testbed.open({
      instances: 1,
      dataDir: join(disk.folder, "data"),
      keep: options.keep ?? false,
    });
    try {
      const scenario = `a full disk for ${seconds} s, ${rounds} times under the embedded store`;
      return await strikeUnderLoad(testbed, options, scenario, async (dice) => {
        const absences = [];
        for (let round = 1; round <= rounds; round++) {
          await wait(dice.between(...CALM_MS));
          // Every other time PostgreSQL's own log needs a new file, for which there is no space: that ends it.
          const needsLog = round % 2 === 0;
          say(`Full disk ${round} of ${rounds}${needsLog ? ", and the store's log needs a new file" : ""}.`);
          const struckAt = performance.now();
          const ballast = join(disk.folder, "ballast");
          await fill(ballast, seconds * 1000, () => (needsLog ? switchLog(testbed) : undefined));
          await rm(ballast);
          const backAt = performance.now();
          // What still fits onto a full disk may be answered: only what comes after can be judged.
          absences.push({ struckAt, from: backAt, to: backAt, backAt });
          await wait(AFTER_MS);
        }
        return absences;
      });
    } finally {
      await testbed.close();
    }
  } finally {
    await disk.close();
  }
}

/** Takes whatever is free, and whatever becomes free meanwhile. `onFull` is done once, when nothing is left. */
async function fill(file: string, forMs: number, onFull: () => Promise<void> | undefined): Promise<void> {
  const until = performance.now() + forMs;
  let isFull = false;
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
  try {
    while (performance.now() < until) {
      await fillUp((bytes) => handle.write(PIECE, 0, bytes));
      if (!isFull) void onFull()?.catch(() => undefined);
      isFull = true;
      await wait(REFILL_MS);
    }
  } finally {
    await handle.close();
  }
}

async function switchLog(testbed: Testbed): Promise<void> {
  const database = await testbed.openStore();
  try {
    // Those that are kept for later are used up first.
    for (let file = 0; file < LOG_FILES; file++) {
      await database.query("SELECT pg_logical_emit_message(true, 'chaos', 'ballast'), pg_switch_wal()");
    }
  } finally {
    await database.close();
  }
}

/** Large pieces first, and then the last bytes one by one. */
async function fillUp(write: (bytes: number) => Promise<unknown>): Promise<void> {
  for (let bytes = PIECE.length; bytes >= 1; bytes = Math.floor(bytes / 8)) {
    try {
      for (;;) await write(bytes);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }
}

async function mountSmallDisk(): Promise<{ folder: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "trunkline-small-disk-"));
  await chmod(folder, 0o755);
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m,mode=755`, "tmpfs", folder]);
  } catch (error) {
    await rmdir(folder);
    throw new MissingMeans(
      `A full disk needs a small disk. Mounting one failed (${error instanceof Error ? error.message.trim() : String(error)}). ` +
        `Run this as root on Linux, or name a folder on a file system of about ${DISK_MB} MB that may be filled: --folder /mnt/small`,
    );
  }
  await mkdir(join(folder, "data"));
  return {
    folder,
    async close() {
      await run("umount", [folder]);
      await rmdir(folder);
    },
  };
}
