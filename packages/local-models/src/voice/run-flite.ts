/** The part of WebAssembly that is used here, because the types for Node 20 lack it. */
declare const WebAssembly: {
  readonly Memory: new (shape: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

export interface FliteRequest {
  /** Command-line options, without the text and the output file. */
  readonly options: readonly string[];
  readonly text: string;
  readonly bytesMax: number;
}

export interface FliteResult {
  /** The WAV file; undefined: there is none. */
  readonly wav: Uint8Array | undefined;
  readonly printed: string;
  /** The file exceeded the limit and the run was stopped. */
  readonly tooLong: boolean;
}

/**
 * Runs flite's command line and answers its few system calls in memory: it sees only its text and the WAV file that it
 * writes, no environment and no clock. `node:wasi` is not used: after the module's memory grows, it uses detached memory
 * and ends the process (nodejs/node#52402, with this module).
 *
 * This function is sent to a worker thread as source text, so it must not use anything from outside itself.
 */
export function runFlite(module: object, order: FliteRequest): FliteResult {
  const SUCCESS = 0;
  const BAD_DESCRIPTOR = 8;
  const NO_ENTRY = 44;
  const FOLDER = 3;
  const TRUNCATE = 8;
  class Exit extends Error {}
  class TooLong extends Error {}

  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const args = ["flite", ...order.options, "-f", "/text", "-o", "/sound"].map((arg) => encoder.encode(`${arg}\0`));
  const text = { bytes: encoder.encode(order.text), size: 0 };
  text.size = text.bytes.length;
  const sound = { bytes: new Uint8Array(65_536), size: 0 };
  const opened = new Map<number, { readonly file: typeof text; position: number }>();
  let nextDescriptor = FOLDER + 1;
  let printed = "";

  // Views are created each time, because they are detached when the memory grows.
  const view = () => new DataView(memory.buffer);
  const bytesAt = (at: number, length: number) => new Uint8Array(memory.buffer, at, length);

  /** Calls back with each buffer of a read or write, until one is not used completely. */
  const forEachBuffer = (vectorsAt: number, count: number, totalAt: number, use: (buffer: Uint8Array) => number) => {
    let total = 0;
    for (let vector = vectorsAt; vector < vectorsAt + count * 8; vector += 8) {
      const buffer = bytesAt(view().getUint32(vector, true), view().getUint32(vector + 4, true));
      const used = use(buffer);
      total += used;
      if (used < buffer.length) break;
    }
    view().setUint32(totalAt, total, true);
    return SUCCESS;
  };

  const system = {
    args_sizes_get(countAt: number, sizeAt: number) {
      view().setUint32(countAt, args.length, true);
      const size = args.reduce((sum, arg) => sum + arg.length, 0);
      view().setUint32(sizeAt, size, true);
      return SUCCESS;
    },
    args_get(pointersAt: number, charactersAt: number) {
      let at = charactersAt;
      args.forEach((arg, index) => {
        view().setUint32(pointersAt + index * 4, at, true);
        bytesAt(at, arg.length).set(arg);
        at += arg.length;
      });
      return SUCCESS;
    },
    clock_time_get(_clock: number, _precision: bigint, timeAt: number) {
      view().setBigUint64(timeAt, 0n, true);
      return SUCCESS;
    },
    fd_prestat_get(descriptor: number, statAt: number) {
      if (descriptor !== FOLDER) return BAD_DESCRIPTOR;
      view().setUint32(statAt, 0, true);
      view().setUint32(statAt + 4, 1, true);
      return SUCCESS;
    },
    fd_prestat_dir_name(_descriptor: number, nameAt: number) {
      bytesAt(nameAt, 1).set([0x2f]);
      return SUCCESS;
    },
    fd_fdstat_get(descriptor: number, statAt: number) {
      const [terminal, folder, plainFile] = [2, 3, 4];
      const allRights = 0xffff_ffff_ffff_ffffn;
      view().setUint8(statAt, descriptor < FOLDER ? terminal : descriptor === FOLDER ? folder : plainFile);
      view().setUint16(statAt + 2, 0, true);
      view().setBigUint64(statAt + 8, allRights, true);
      view().setBigUint64(statAt + 16, allRights, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags() {
      return SUCCESS;
    },
    path_open(_folder: number, _lookup: number, nameAt: number, nameLength: number, flags: number, ...rest: unknown[]) {
      const name = decoder.decode(bytesAt(nameAt, nameLength));
      const file = name === "text" ? text : name === "sound" ? sound : undefined;
      if (file === undefined) return NO_ENTRY;
      if ((flags & TRUNCATE) !== 0) file.size = 0;
      const descriptor = nextDescriptor;
      nextDescriptor += 1;
      opened.set(descriptor, { file, position: 0 });
      view().setUint32(Number(rest[3]), descriptor, true);
      return SUCCESS;
    },
    fd_seek(descriptor: number, offset: bigint, from: number, positionAt: number) {
      const handle = opened.get(descriptor);
      if (handle === undefined) return BAD_DESCRIPTOR;
      const start = [0, handle.position, handle.file.size][from] ?? 0;
      handle.position = start + Number(offset);
      view().setBigUint64(positionAt, BigInt(handle.position), true);
      return SUCCESS;
    },
    fd_read(descriptor: number, vectorsAt: number, count: number, totalAt: number) {
      const handle = opened.get(descriptor);
      if (handle === undefined) return BAD_DESCRIPTOR;
      const { file } = handle;
      return forEachBuffer(vectorsAt, count, totalAt, (buffer) => {
        const chunk = file.bytes.subarray(handle.position, Math.min(file.size, handle.position + buffer.length));
        buffer.set(chunk);
        handle.position += chunk.length;
        return chunk.length;
      });
    },
    fd_write(descriptor: number, vectorsAt: number, count: number, totalAt: number) {
      const handle = opened.get(descriptor);
      if (handle === undefined && descriptor >= FOLDER) return BAD_DESCRIPTOR;
      return forEachBuffer(vectorsAt, count, totalAt, (buffer) => {
        if (handle === undefined) {
          if (printed.length < 4_000) printed += decoder.decode(buffer);
          return buffer.length;
        }
        const { file } = handle;
        const end = handle.position + buffer.length;
        if (end > order.bytesMax) throw new TooLong();
        if (end > file.bytes.length) {
          const larger = new Uint8Array(Math.max(end, file.bytes.length * 2));
          larger.set(file.bytes);
          file.bytes = larger;
        }
        file.bytes.set(buffer, handle.position);
        handle.position = end;
        file.size = Math.max(file.size, end);
        return buffer.length;
      });
    },
    fd_close(descriptor: number) {
      return opened.delete(descriptor) ? SUCCESS : BAD_DESCRIPTOR;
    },
    proc_exit() {
      throw new Exit();
    },
  };

  const { memory: exported, _start: start } = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: system,
  }).exports;
  if (!(exported instanceof WebAssembly.Memory) || typeof start !== "function") {
    throw new Error("This is not flite.");
  }
  const memory = exported;
  try {
    start();
  } catch (error) {
    if (error instanceof TooLong) return { wav: undefined, printed, tooLong: true };
    if (!(error instanceof Exit)) throw error;
  }
  return { wav: sound.size === 0 ? undefined : sound.bytes.slice(0, sound.size), printed, tooLong: false };
}
