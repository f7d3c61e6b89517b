import { createHash, randomFillSync } from "node:crypto";

const ID_BYTES = 16;
/** Random bytes are fetched for many ids at once: asking for each costs more than all the rest of making it. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** A UUIDv7: sorts by time, so that an index on it grows at one end. */
export function newId(now: number = Date.now()): string {
  const bytes = nextRandomBytes();
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return formatUuid(bytes.toString("hex"));
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** When an id was made, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The id of what is known by its name alone: the same name has the same id on every instance, at every start. */
export function idFromName(name: string): string {
  const bytes = createHash("sha256").update(name).digest().subarray(0, ID_BYTES);
  // Version 8 is the one for ids that are made in a way of one's own.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return formatUuid(bytes.toString("hex"));
}

const TIMESTAMP_MS_MAX = 2 ** 48 - 1;

/** The lowest of all ids made at a moment or later: below it is everything that was made before. */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.min(ms, TIMESTAMP_MS_MAX)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Whether a text can be an id of ours. Checked before the store is asked. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

function nextRandomBytes(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.subarray(used - ID_BYTES, used);
}
