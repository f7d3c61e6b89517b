import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";
import { byRows } from "./by-rows.ts";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const TRUE_COLOUR = 2;
const FILTER_SUB = 1;
const FILTER_UP = 2;
/** Higher levels take twice the time for a few per cent. */
const COMPRESSION_LEVEL = 5;

const compress = promisify<Buffer, { level: number }, Buffer>(deflate);

/** A picture as rows of red, green and blue bytes. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray;
}

/** A picture as a PNG file. The compression runs beside the event loop. */
export async function encodePng(picture: Picture, nextTurn: () => Promise<void>): Promise<Buffer> {
  const { width, height } = picture;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, TRUE_COLOUR, 0, 0, 0], 8);
  const filtered = Buffer.allocUnsafe((width * 3 + 1) * height);
  await byRows(0, height, filterRows(picture, filtered), nextTurn);
  const data = await compress(filtered, { level: COMPRESSION_LEVEL });
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Stores each row as its difference to the row above or to its left, whichever is smaller: that packs better. */
function filterRows({ width, pixels }: Picture, filtered: Buffer): (row: number) => void {
  const rowBytes = width * 3;
  return (row) => {
    const start = row * rowBytes;
    const goesUp =
      row > 0 && stepsOf(pixels, start, rowBytes, rowBytes) < stepsOf(pixels, start, rowBytes, 3);
    const distance = goesUp ? rowBytes : 3;
    const at = row * (rowBytes + 1) + 1;
    filtered[at - 1] = goesUp ? FILTER_UP : FILTER_SUB;
    for (let i = 0; i < rowBytes; i += 1) {
      const before = !goesUp && i < 3 ? 0 : (pixels[start + i - distance] ?? 0);
      filtered[at + i] = (pixels[start + i] ?? 0) - before;
    }
  };
}

/** How far a row's bytes are from those a fixed distance before them, on a sample of the row. */
function stepsOf(pixels: Uint8ClampedArray, start: number, rowBytes: number, distance: number): number {
  let sum = 0;
  for (let i = start + 3; i < start + rowBytes; i += 7) {
    sum += Math.abs((pixels[i] ?? 0) - (pixels[i - distance] ?? 0));
  }
  return sum;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
