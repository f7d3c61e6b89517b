import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

type Archive = Row<"request_archives", "id" | "file" | "requests" | "cost" | "sha256">;

/** What is wrong with the archived files, one sentence each, and how many were read. */
export interface ArchiveVerdict {
  readonly files: number;
  readonly requests: bigint;
  readonly troubles: readonly string[];
}

const ID = /"id":"([0-9a-f-]{36})"/;
const COST = /"cost":(\d+)/;

/**
 * Reads every archived file: its content must have the digest that was noted when its rows were deleted, and each request in
 * it the charge that the ledger still has under its seals. The chain of the digests is part of the audit itself.
 */
export async function verifyArchives(database: Database, folder: string): Promise<ArchiveVerdict> {
  const archives = await database.query<Archive>(
    "SELECT id, file, requests, cost, sha256 FROM request_archives WHERE file IS NOT NULL ORDER BY id",
  );
  const troubles: string[] = [];
  let requests = 0n;
  for (const archive of archives) {
    requests += archive.requests;
    const trouble = await verifyFile(database, folder, archive);
    if (trouble !== undefined) troubles.push(`archive ${archive.id}, ${archive.file}: ${trouble}`);
  }
  return { files: archives.length, requests, troubles };
}

async function verifyFile(database: Queryable, folder: string, archive: Archive): Promise<string | undefined> {
  const hash = createHash("sha256");
  const digest = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const costs = new Map<string, bigint>();
  try {
    const file = createReadStream(join(folder, archive.file ?? ""));
    const content = file.pipe(createGunzip());
    const failed = new Promise<never>((_, reject) => {
      file.once("error", reject);
      content.once("error", reject);
    });
    const reading = (async () => {
      for await (const line of createInterface({ input: content.pipe(digest) })) {
        // The request comes first in its line, so these are its own.
        const [id, cost] = [ID.exec(line)?.[1], COST.exec(line)?.[1]];
        if (id !== undefined && cost !== undefined) costs.set(id, BigInt(cost));
      }
    })();
    await Promise.race([reading, failed]);
  } catch (error) {
    return `it can't be read (${error instanceof Error ? error.message : String(error)})`;
  }
  if (!hash.digest().equals(archive.sha256)) return "its content is not what was archived";
  if (BigInt(costs.size) !== archive.requests) return `it has ${costs.size} of ${archive.requests} requests`;
  const charges = await database.query<{ request_id: string; amount: bigint }>(
    "SELECT request_id, amount FROM ledger_transfers WHERE request_id = ANY ($1::uuid[])",
    [[...costs.keys()]],
  );
  const charged = new Map(charges.map(({ request_id: id, amount }) => [id, amount]));
  for (const [id, cost] of costs) {
    if ((charged.get(id) ?? 0n) !== cost)
      return `request ${id} cost ${cost}, the ledger has charged ${charged.get(id) ?? 0n}`;
  }
  return undefined;
}
