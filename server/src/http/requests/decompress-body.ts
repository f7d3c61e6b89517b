import { type BrotliDecompress, createBrotliDecompress, createGunzip, createInflate, type Gunzip } from "node:zlib";
import { Fault } from "@trunkline/core/fault.ts";

type CreateDecoder = () => Gunzip | BrotliDecompress;

const DECODERS: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** What undoes a body's `Content-Encoding`; undefined where the body is plain. */
export function decoderFor(encoding: string | undefined): CreateDecoder | undefined {
  if (encoding === undefined) return undefined;
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const decoder = DECODERS.get(name);
  if (decoder === undefined) {
    throw new Fault(
      "unsupported_media_type",
      "A body may be compressed once, with gzip, deflate or br. Send it so, or plain.",
    );
  }
  return decoder;
}

/**
 * Decompresses a body. `growTo` gets its size before each further piece is kept, and throws where it is too large:
 * then nothing more of it is decompressed.
 */
export async function decompressBody(
  bytes: Buffer,
  createDecoder: CreateDecoder,
  growTo: (size: number) => void,
): Promise<Buffer> {
  const decoder = createDecoder();
  const pieces: Buffer[] = [];
  let size = 0;
  decoder.end(bytes);
  try {
    for await (const piece of decoder) {
      size += piece.length;
      growTo(size);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("invalid_request", "The body is not what its `Content-Encoding` says.", {}, { cause: error });
  }
  return Buffer.concat(pieces, size);
}
