/** The part of WebAssembly that is used here: the types for Node 20 leave it out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (shape: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

/** What one run of flite gave. */
export interface FliteRun {
  /** What it wrote to its output file; undefined where it wrote none. */
  readonly file: Uint8Array | undefined;
  /** What it printed. */
  readonly printed: string;
  /** The file grew beyond the limit and the run was stopped. */
  readonly tooLong: boolean;
}

/**
 * Runs flite's command line with the few system calls it makes answered in memory: it sees no file but the one
 * it writes, no environment, no clock. Node's own `node:wasi` is not used: once the module's memory grows it
 * works on memory that is gone and takes the whole process down (nodejs/node#52402, seen with this very module).
 *
 * This function is sent to a worker thread as source text, so it must not use anything from outside itself.
 */
export function runFlite(module: object, args: readonly string[], bytesMax: number): FliteRun {
  const SUCCESS = 0;
  const BAD_DESCRIPTOR = 8;
  const FOLDER = 3;
  const OUTPUT = 4;
  class Exit extends Error {}
  class TooLong extends Error {}

  const encoder = new TextEncoder();
  const argBytes = args.map((arg) => encoder.encode(`${arg}\0`));
  let printed = "";
  let file = new Uint8Array(0);
  let size = 0;
  let position = 0;
  let isOpen = false;

  // Views are made anew each time: when the memory grows, old ones are detached.
  const view = () => new DataView(memory.buffer);
  const bytes = (at: number, length: number) => new Uint8Array(memory.buffer, at, length);

  const write = (chunk: Uint8Array) => {
    const end = position + chunk.length;
    if (end > bytesMax) throw new TooLong();
    if (end > file.length) {
      const larger = new Uint8Array(Math.max(end, file.length * 2, 65_536));
      larger.set(file);
      file = larger;
    }
    file.set(chunk, position);
    position = end;
    size = Math.max(size, end);
  };

  const system = {
    args_sizes_get(countAt: number, sizeAt: number) {
      view().setUint32(countAt, argBytes.length, true);
      view().setUint32(
        sizeAt,
        argBytes.reduce((sum, arg) => sum + arg.length, 0),
        true,
      );
      return SUCCESS;
    },
    args_get(pointersAt: number, bytesAt: number) {
      let at = bytesAt;
      argBytes.forEach((arg, index) => {
        view().setUint32(pointersAt + index * 4, at, true);
        bytes(at, arg.length).set(arg);
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
      bytes(nameAt, 1).set([0x2f]);
      return SUCCESS;
    },
    fd_fdstat_get(descriptor: number, statAt: number) {
      const terminal = 2;
      const folder = 3;
      const plainFile = 4;
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
    path_open(...call: readonly unknown[]) {
      // Whatever name it opens is its one output file.
      const descriptorAt = Number(call[8]);
      isOpen = true;
      position = 0;
      view().setUint32(descriptorAt, OUTPUT, true);
      return SUCCESS;
    },
    fd_seek(descriptor: number, offset: bigint, from: number, newPositionAt: number) {
      if (descriptor !== OUTPUT || !isOpen) return BAD_DESCRIPTOR;
      position = Number(offset) + (from === 0 ? 0 : from === 1 ? position : size);
      view().setBigUint64(newPositionAt, BigInt(position), true);
      return SUCCESS;
    },
    fd_write(descriptor: number, vectorsAt: number, count: number, writtenAt: number) {
      if (descriptor > 2 && (descriptor !== OUTPUT || !isOpen)) return BAD_DESCRIPTOR;
      let written = 0;
      for (let vector = vectorsAt; vector < vectorsAt + count * 8; vector += 8) {
        const chunk = bytes(view().getUint32(vector, true), view().getUint32(vector + 4, true));
        if (descriptor === OUTPUT) write(chunk);
        else if (printed.length < 4_000) printed += new TextDecoder().decode(chunk);
        written += chunk.length;
      }
      view().setUint32(writtenAt, written, true);
      return SUCCESS;
    },
    fd_read() {
      return BAD_DESCRIPTOR;
    },
    fd_close(descriptor: number) {
      if (descriptor === OUTPUT) isOpen = false;
      return SUCCESS;
    },
    proc_exit() {
      throw new Exit();
    },
  };

  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system });
  const { memory, _start: start } = instance.exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof start !== "function")
    throw new Error("This is not flite.");
  try {
    start();
  } catch (error) {
    if (error instanceof TooLong) return { file: undefined, printed, tooLong: true };
    if (!(error instanceof Exit)) throw error;
  }
  return { file: size === 0 ? undefined : file.slice(0, size), printed, tooLong: false };
}
