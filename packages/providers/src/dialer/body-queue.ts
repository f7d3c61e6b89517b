/** How much may wait for a slow reader before the sender is told to wait. */
const BUFFERED_BYTES_MAX = 64 * 1024;

interface Reader {
  resolve(result: IteratorResult<Buffer, undefined>): void;
  reject(error: Error): void;
}

/** What the queue asks of whoever fills it. */
interface BodySource {
  /** There is room again. */
  onDrain(): void;
  /** The reader has left before the end. */
  onCancel(): void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The pieces of a body between the socket that brings them and the one reader that takes them. */
export class BodyQueue implements AsyncIterableIterator<Buffer, undefined> {
  readonly #source: BodySource;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #reader: Reader | undefined;
  #ended = false;
  #failure: Error | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** Whether the sender should wait. */
  get isFull(): boolean {
    return this.#waitingBytes >= BUFFERED_BYTES_MAX;
  }

  push(piece: Buffer): void {
    if (this.#ended || piece.length === 0) return;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: piece });
      return;
    }
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
  }

  /** Nothing more comes. What waits can still be read, and then the failure if there is one. */
  end(failure?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    const reader = this.#takeReader();
    if (failure === undefined) reader?.resolve(DONE);
    else if (reader === undefined) this.#failure = failure;
    else reader.reject(failure);
  }

  /** Drops what waits. */
  clear(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    const piece = this.#waiting.shift();
    if (piece !== undefined) {
      this.#waitingBytes -= piece.length;
      if (!this.#ended && this.#waitingBytes < BUFFERED_BYTES_MAX / 2) this.#source.onDrain();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    const early = !this.#ended;
    this.clear();
    this.#failure = undefined;
    this.end();
    if (early) this.#source.onCancel();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #takeReader(): Reader | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }
}
