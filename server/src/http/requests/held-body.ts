import { IncomingMessage } from "node:http";

const NO_BYTES = Buffer.alloc(0);

/** What a request of node:http keeps of its state, apart from what its type says. */
interface RequestState {
  _consuming: boolean;
  readonly _readableState: { ended: boolean; endEmitted: boolean };
}

/**
 * A request whose body is held back until it is read, if it comes in one piece, as most do. Then it can be taken as it is:
 * to pass it through the stream, and to end that, takes several ticks of the event loop and more memory than the body.
 */
export class HeldBodyRequest extends IncomingMessage {
  /** held: not passed to the stream yet. taken: never will be. */
  private body: "held" | "streamed" | "taken" = "held";
  private piece: Buffer | undefined = undefined;

  /** The whole body, where all of it has come and no reader has begun to stream it. */
  takeBody(): Buffer | undefined {
    if (this.body !== "held" || !this.complete) return undefined;
    this.body = "taken";
    const { piece = NO_BYTES } = this;
    this.piece = undefined;
    // Otherwise node:http would read it to its end after the answer, and let go of the request only then.
    const state = this as unknown as RequestState;
    state._consuming = true;
    state._readableState.ended = true;
    state._readableState.endEmitted = true;
    return piece;
  }

  /** Called by node:http with each piece of the body, and with null at its end. */
  override push(piece: Buffer | null): boolean {
    if (this.body !== "held") return super.push(piece);
    if (piece === null) return true;
    if (this.piece === undefined) {
      this.piece = piece;
      return piece.length < this.readableHighWaterMark;
    }
    this.stream();
    return super.push(piece);
  }

  /** Called when the body is read as a stream. */
  override _read(size: number): void {
    this.stream();
    super._read(size);
  }

  private stream(): void {
    if (this.body !== "held") return;
    this.body = "streamed";
    if (this.piece !== undefined) super.push(this.piece);
    this.piece = undefined;
    if (this.complete) super.push(null);
  }
}
