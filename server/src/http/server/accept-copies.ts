import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";

/** How many connections are accepted in a turn of the event loop: one by the server, the others by copies of its socket. */
const ACCEPTS_PER_TURN = 16;
/** How long the copies may take. Without them the service runs as well, with one connection in a turn. */
const COPY_MS_MAX = 10_000;

/** Sends back what it is sent, as often as the message says. A process that receives a socket has a copy of its own. */
const SEND_BACK =
  'process.on("message", (times, socket) => { for (let n = 0; n < times; n++) process.send(n, socket, { keepOpen: true }); });';

/**
 * Copies of a server's listening socket. Node accepts one connection on a socket in a turn of the event loop, so that a
 * client that connects to a busy service would wait for as many long turns as there are clients before it. Each copy
 * accepts one more. Node can't copy a socket, but a process that is sent one gets a copy: a short-lived process sends
 * it back.
 */
export class AcceptCopies {
  readonly #server: Server;
  readonly #copies: Server[] = [];
  #process: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Resolves when all copies listen, or there will be no more. A server that does not listen itself gets none. */
  async open(): Promise<void> {
    const handle = handleOf(this.#server);
    if (handle === undefined) return;
    const ended = this.#startCopier(handle);
    await ended;
    this.#endProcess();
  }

  /** Resolves when the process has ended. Where it can't be started, it has. */
  #startCopier(handle: Server): Promise<void> {
    const copier = spawn(process.execPath, ["-e", SEND_BACK], {
      env: {},
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#process = copier;
    this.#timer = setTimeout(() => this.#endProcess(), COPY_MS_MAX);
    const ended = new Promise<void>((resolve) => copier.once("error", () => resolve()).once("exit", () => resolve()));
    copier.on("message", (_number, socket) => this.#listenOn(socket));
    // Without a process there may be no channel either.
    copier.send?.(ACCEPTS_PER_TURN - 1, handle, { keepOpen: true }, () => undefined);
    return ended;
  }

  /** Accepts nothing more. Connections that were accepted stay open. */
  close(): void {
    this.#endProcess();
    for (const copy of this.#copies.splice(0)) copy.close();
  }

  #listenOn(socket: unknown): void {
    if (this.#process === undefined) {
      // Closed meanwhile.
      (socket as Server | undefined)?.close();
      return;
    }
    // As node:http sets up its own.
    const copy = createServer({ allowHalfOpen: true, noDelay: true }, (connection: Socket) => {
      this.#server.emit("connection", connection);
    });
    // Another copy, or the server itself, accepts.
    copy.on("error", () => undefined);
    copy.listen(socket);
    this.#copies.push(copy);
    if (this.#copies.length === ACCEPTS_PER_TURN - 1) this.#endProcess();
  }

  #endProcess(): void {
    clearTimeout(this.#timer);
    const copier = this.#process;
    this.#process = undefined;
    copier?.kill("SIGKILL");
  }
}

/** The socket that a server listens on, which has no public name. */
function handleOf(server: Server): Server | undefined {
  return (server as unknown as { readonly _handle?: Server | null })._handle ?? undefined;
}
