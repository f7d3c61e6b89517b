import { createHash, randomFillSync } from "node:crypto";

const ID_BYTES = 16;
/** Random bytes are fetched for many ids at once: a separate call per id costs more than the rest of making it. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** The millisecond of the last id, and the 12 bits that follow it: they count up within a millisecond. */
let lastTime = -1;
let sequence = 0;
const SEQUENCE_MAX = 0xfff;

/**
 * A UUIDv7: ids sort by time, so an index on them grows at one end. Those that a process makes in one millisecond sort
 * in the order they were made, as long as there are fewer than 2,048 of them.
 */
export function newId(now: number = Date.now()): string {
  const start = nextRandomBytes();
  // A count that starts in the lower half always has room for as many again.
  sequence =
    now === lastTime ? Math.min(sequence + 1, SEQUENCE_MAX) : pool.readUInt16BE(start + 6) & (SEQUENCE_MAX >> 1);
  lastTime = now;
  pool.writeUIntBE(now, start, 6);
  pool.writeUInt16BE(0x7000 | sequence, start + 6);
  pool.writeUInt8((pool.readUInt8(start + 8) & 0x3f) | 0x80, start + 8);
  // Every request needs one, so it is written into one text at once.
  for (let index = 0; index < ID_BYTES; index++) {
    const byte = pool[start + index] ?? 0;
    const place = TEXT_PLACES[index] ?? 0;
    idText[place] = HEX_DIGITS.charCodeAt(byte >> 4);
    idText[place + 1] = HEX_DIGITS.charCodeAt(byte & 0xf);
  }
  return idText.toString("latin1");
}

const HEX_DIGITS = "0123456789abcdef";
/** Where each byte stands in the text of an id. */
const TEXT_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const idText = Buffer.alloc(36, "-");

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** When an id was created, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** A deterministic id for something with a fixed name: the same on every instance and after every start. */
export function idFromName(name: string): string {
  const bytes = createHash("sha256").update(name).digest().subarray(0, ID_BYTES);
  // UUID version 8 is the one for custom layouts.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return formatUuid(bytes.toString("hex"));
}

const TIMESTAMP_MS_MAX = 2 ** 48 - 1;

/** The lowest id of a moment: everything created before has a lower one. */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.min(ms, TIMESTAMP_MS_MAX)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Whether a text has the form of our ids. Checked before a query. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** Where the next random bytes begin in the pool. */
function nextRandomBytes(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return used - ID_BYTES;
}
