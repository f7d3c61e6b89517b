/** What we use of `ws`, which comes without types. */
declare module "ws" {
  import type { EventEmitter } from "node:events";
  import type { IncomingMessage } from "node:http";
  import type { Socket } from "node:net";
  import type { Duplex } from "node:stream";

  interface ClientOptions {
    readonly headers: Readonly<Record<string, string>>;
    readonly createConnection: () => Socket;
    readonly handshakeTimeout: number;
    readonly maxPayload: number;
    readonly perMessageDeflate: false;
    readonly followRedirects: false;
  }

  interface ServerOptions {
    readonly noServer: true;
    readonly clientTracking: false;
    readonly maxPayload: number;
    readonly perMessageDeflate: false;
    readonly handleProtocols: (offered: ReadonlySet<string>) => string | false;
  }

  export class WebSocket extends EventEmitter {
    constructor(url: string, protocols: readonly string[], options: ClientOptions);
    readonly bufferedAmount: number;
    send(text: string, callback: (error?: Error) => void): void;
    close(code: number, reason: string): void;
    terminate(): void;
    ping(): void;
    pause(): void;
    resume(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: ServerOptions);
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      callback: (accepted: WebSocket) => void,
    ): void;
  }
}
