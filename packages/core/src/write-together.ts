/** A socket that can hold back what is written to it. */
interface CorkableSocket {
  cork(): void;
  uncork(): void;
}

/** As many writes wait for each other at most, so that none waits long in a long turn of the event loop. */
const TOGETHER_MAX = 8;
/** After a turn with a single write, as many go out at once: waiting would be of no use to a service with little to do. */
const DIRECT_WRITES = 31;

/** What waits to be written, as an object: a function would be made for each write. */
export interface HeldWrite {
  writeNow(): void;
}

let waiting: HeldWrite[] = [];
let isScheduled = false;
let writesOfTurn = 0;
let directWrites = 0;

/**
 * Holds back what is written to a socket until this turn of the event loop ends or some other sockets wait too, then writes
 * to all of them and calls `afterwards` of each. A write to a process that sleeps takes more than three times as long as one
 * right after it, since the system wakes that process up. Returns false where nothing is held back: then `afterwards` is
 * the caller's to do.
 */
export function writeTogether(socket: CorkableSocket, afterwards?: () => void): boolean {
  if (isDirect()) return false;
  socket.cork();
  hold(new CorkedWrites(socket, afterwards));
  return true;
}

class CorkedWrites implements HeldWrite {
  readonly #socket: CorkableSocket;
  readonly #afterwards: (() => void) | undefined;

  constructor(socket: CorkableSocket, afterwards: (() => void) | undefined) {
    this.#socket = socket;
    this.#afterwards = afterwards;
  }

  writeNow(): void {
    this.#socket.uncork();
    this.#afterwards?.();
  }
}

/** Does a write together with the others of this turn; at once, where nothing is held back. */
export function writeInTurn(write: HeldWrite): void {
  if (isDirect()) write.writeNow();
  else hold(write);
}

/** The same, but held back in any case: what has come already is read before it, unless many writes wait. */
export function writeAfterReads(write: HeldWrite): void {
  hold(write);
}

function isDirect(): boolean {
  if (directWrites === 0) return false;
  directWrites -= 1;
  return true;
}

function hold(write: HeldWrite): void {
  waiting.push(write);
  writesOfTurn += 1;
  if (!isScheduled) {
    isScheduled = true;
    setImmediate(endTurn);
  }
  if (waiting.length >= TOGETHER_MAX) writeAll();
}

function endTurn(): void {
  if (writesOfTurn === 1) directWrites = DIRECT_WRITES;
  writesOfTurn = 0;
  isScheduled = false;
  writeAll();
}

function writeAll(): void {
  const writes = waiting;
  waiting = [];
  for (const write of writes) write.writeNow();
}
