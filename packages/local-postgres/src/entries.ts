import { lstat, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf } from "./errors.ts";

/** Whether something bears that name. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (errnoOf(error) === "ENOENT") return false;
      throw error;
    },
  );
}

/** Gives a folder another name, which lasts through a power cut. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  for (const folder of new Set([dirname(to), dirname(from)])) await syncFolder(folder);
}

/** Windows has no such call and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
