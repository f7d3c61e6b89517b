/** How long and how much is waited for. */
export interface DialLimits {
  /** From the call to a connection that stands: the look-up of the name, TCP and TLS. */
  readonly connectMs: number;
  /** From sending the request to the whole head of the answer. */
  readonly firstByteMs: number;
  /** Between two pieces of the body, while we are ready to read. */
  readonly silenceMs: number;
  /** Everything together. */
  readonly wholeMs: number;
  readonly responseBytes: number;
  /** One object of a stream. Known only to whoever understands the body, so the dialer leaves it to them. */
  readonly chunkBytes: number;
}

/** A POST to make. */
export interface DialRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly mayDialPrivate: boolean;
  readonly limits: DialLimits;
}

/** An answer whose head has come. */
export interface DialResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** To be read once. Ending the iteration early closes the connection at once. */
  readonly body: AsyncIterable<Buffer>;
  /**
   * Says that the rest of the body does not matter. Unlike ending the iteration it keeps the connection for the
   * next call, provided that the answer ends soon by itself.
   */
  discardBody(): void;
}
