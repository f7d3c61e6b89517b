/** What a test makes of a WAV file that is otherwise plain. */
export interface WavTraits {
  readonly bytes?: number;
  readonly samplesPerSecond?: number;
  readonly bytesPerSecond?: number;
  readonly format?: number;
  /** What the header says of the samples, where that is not the truth. */
  readonly claimedBytes?: number;
  /** Chunks that stand between the format and the samples. */
  readonly between?: Buffer;
  readonly mediaType?: string;
}

/** A WAV file of one byte a sample, eight thousand a second, as a data URL. */
export function makeWav(traits: WavTraits = {}): string {
  const { bytes = 4_000, samplesPerSecond = 8_000, between = Buffer.alloc(0) } = traits;
  const format = Buffer.alloc(16);
  format.writeUInt16LE(traits.format ?? 1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(samplesPerSecond, 4);
  format.writeUInt32LE(traits.bytesPerSecond ?? samplesPerSecond, 8);
  format.writeUInt16LE(1, 12);
  format.writeUInt16LE(8, 14);
  const samples = Buffer.alloc(bytes, 128);
  const file = Buffer.concat([
    Buffer.from("RIFF\0\0\0\0WAVE", "latin1"),
    makeChunk("fmt ", format),
    between,
    makeChunk("data", samples, traits.claimedBytes),
  ]);
  return `data:${traits.mediaType ?? "audio/wav"};base64,${file.toString("base64")}`;
}

/** A chunk with its name and its size in front, and filled up to an even length. */
export function makeChunk(name: string, body: Buffer, claimedBytes = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(claimedBytes, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}
