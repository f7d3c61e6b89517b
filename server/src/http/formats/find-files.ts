import type { AttachedFile } from "../../batches/attached-file.ts";
import type { Preparation } from "../endpoints/endpoint.ts";
import { parseFileId } from "../responses/batch.ts";

/** The most different files that one request may name. */
const FILES_MAX = 64;

/** The account's files with these ids. Those that are not there are left out. */
export async function findFiles(
  { services, caller, countBytes }: Pick<Preparation, "services" | "caller" | "countBytes">,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, AttachedFile>> {
  const found = new Map<string, AttachedFile>();
  if (ids.size === 0 || ids.size > FILES_MAX) return found;
  const files = await services.batching.batches.attachedFiles(
    caller,
    [...ids].map(parseFileId),
    services.config.limits.attachmentBodyBytes,
    countBytes,
  );
  for (const id of ids) {
    const file = files.get(parseFileId(id));
    if (file !== undefined) found.set(id, file);
  }
  return found;
}
