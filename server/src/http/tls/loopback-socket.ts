import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Whose connection a loopback stands for. */
type ClientAddress = Pick<Socket, "remoteAddress" | "remotePort" | "remoteFamily" | "localAddress" | "localPort">;

/**
 * One side of a connection inside this process, which node:http takes for a socket. What one side writes the other
 * reads; a write is done when the other side wants more, so that neither buffers without bound.
 */
export class LoopbackSocket extends Duplex {
  /** As of the TLS connection behind it: cookies depend on it. */
  readonly encrypted = true;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly remoteFamily: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  bytesRead = 0;
  bytesWritten = 0;
  #peer: LoopbackSocket | undefined;
  /** Called when this side wants more. */
  #onWanted: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(client: ClientAddress) {
    super({ allowHalfOpen: false });
    this.remoteAddress = client.remoteAddress;
    this.remotePort = client.remotePort;
    this.remoteFamily = client.remoteFamily;
    this.localAddress = client.localAddress;
    this.localPort = client.localPort;
  }

  /** The two sides of a new connection. */
  static pair(client: ClientAddress): readonly [LoopbackSocket, LoopbackSocket] {
    const [one, other] = [new LoopbackSocket(client), new LoopbackSocket(client)];
    one.#peer = other;
    other.#peer = one;
    return [one, other];
  }

  override _read(): void {
    const onWanted = this.#onWanted;
    this.#onWanted = undefined;
    onWanted?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const peer = this.#peer;
    this.bytesWritten += chunk.length;
    if (peer === undefined || chunk.length === 0) {
      process.nextTick(done);
      return;
    }
    peer.bytesRead += chunk.length;
    peer.#onWanted = () => {
      this.#timer?.refresh();
      done();
    };
    peer.push(chunk);
  }

  override _final(done: () => void): void {
    const peer = this.#peer;
    if (peer === undefined || peer.destroyed) {
      done();
      return;
    }
    // What was written must be read before the connection may be closed.
    const onRead = () => {
      peer.off("end", onRead).off("close", onRead);
      done();
    };
    peer.on("end", onRead).on("close", onRead);
    peer.push(null);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    const peer = this.#peer;
    this.#peer = undefined;
    if (peer?.destroyed === false) process.nextTick(() => peer.destroy());
    done(error);
  }

  /** Ends when everything written was read. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  /** Emits `timeout` when the other side has taken nothing for this long; 0: never. */
  setTimeout(ms: number, callback?: () => void): this {
    clearTimeout(this.#timer);
    this.#timer = ms === 0 ? undefined : setTimeout(() => this.emit("timeout"), ms).unref();
    if (callback !== undefined) this.once("timeout", callback);
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
