/** How much of a file is looked at to find where its samples begin. */
const HEAD_BYTES = 64 * 1024;
const CHUNK_HEAD_BYTES = 8;
const FIRST_CHUNK_OFFSET = 12;
/** Below this many bytes a `fmt ` chunk says too little. */
const FORMAT_BYTES_MIN = 16;
/** Plain samples of whole bytes: here a second is so many of them, and a header that says otherwise is wrong. */
const PLAIN_FORMATS: readonly number[] = [1, 3, 6, 7, 0xff_fe];
/** Whoever writes a file before its length is known says so with one of these. */
const UNKNOWN_SIZES: readonly number[] = [0, 0xff_ff_ff_ff];

/** How many milliseconds of audio a data URL holds, where it is a WAV file whose header says so; a started one counts. */
export function wavDurationMs(url: string): number | undefined {
  const start = /^data:[^,]{0,256};base64,/i.exec(url.slice(0, 300))?.[0].length;
  if (start === undefined) return undefined;
  const head = Buffer.from(url.slice(start, start + Math.ceil(HEAD_BYTES / 3) * 4), "base64");
  if (head.toString("latin1", 0, 4) !== "RIFF" || head.toString("latin1", 8, 12) !== "WAVE") return undefined;
  return durationOf(head, base64ByteLength(url, start));
}

/** How many bytes a data URL holds, without decoding them. */
export function base64ByteLength(url: string, start = url.indexOf(",") + 1): number {
  const padding = url.endsWith("==") ? 2 : url.endsWith("=") ? 1 : 0;
  return Math.floor(((url.length - start - padding) * 3) / 4);
}

/** Walks from chunk to chunk until the samples are reached; the format stands before them. */
function durationOf(head: Buffer, totalBytes: number): number | undefined {
  let bytesPerSecond = 0;
  for (let at = FIRST_CHUNK_OFFSET; at + CHUNK_HEAD_BYTES <= head.length; ) {
    const name = head.toString("latin1", at, at + 4);
    const size = head.readUInt32LE(at + 4);
    const body = at + CHUNK_HEAD_BYTES;
    if (name === "fmt " && size >= FORMAT_BYTES_MIN && body + FORMAT_BYTES_MIN <= head.length)
      bytesPerSecond = bytesPerSecondOf(head.subarray(body, body + FORMAT_BYTES_MIN));
    if (name === "data") {
      if (bytesPerSecond === 0) return undefined;
      const there = Math.max(0, totalBytes - body);
      // What a header claims beyond the end of the file is not there to be heard.
      const bytes = UNKNOWN_SIZES.includes(size) ? there : Math.min(size, there);
      return Math.ceil((bytes * 1_000) / bytesPerSecond);
    }
    // Chunks begin at even places.
    at = body + size + (size % 2);
  }
  return undefined;
}

/** 0 where the format contradicts itself: then it measures nothing. */
function bytesPerSecondOf(format: Buffer): number {
  const bytesPerSecond = format.readUInt32LE(8);
  if (!PLAIN_FORMATS.includes(format.readUInt16LE(0))) return bytesPerSecond;
  const samplesPerSecond = format.readUInt32LE(4);
  const bytesPerSample = format.readUInt16LE(12);
  return samplesPerSecond * bytesPerSample === bytesPerSecond ? bytesPerSecond : 0;
}
