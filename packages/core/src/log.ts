import pino, { type DestinationStream, type Logger } from "pino";

export type { Logger };

/** Logs JSON lines to standard error; standard output is for people. Errors keep their causes. */
export function createLogger(level: string, destination: DestinationStream = openStandardError()): Logger {
  return pino({ level, serializers: { error: describeError } }, new LogDestination(destination));
}

/** Where the lines of a log go: to its destination, and to those who listen. */
class LogDestination implements DestinationStream {
  readonly #destination: DestinationStream;
  readonly #listeners: ((lines: string) => void)[] = [];

  constructor(destination: DestinationStream) {
    this.#destination = destination;
  }

  write(lines: string): void {
    this.#destination.write(lines);
    for (const listener of this.#listeners) listener(lines);
  }

  listen(listener: (lines: string) => void): void {
    this.#listeners.push(listener);
  }
}

function destinationOf(log: Logger): LogDestination {
  const stream: unknown = Reflect.get(log, pino.symbols.streamSym);
  if (!(stream instanceof LogDestination)) throw new Error("The logger was not made by createLogger.");
  return stream;
}

/** Calls back with each line that a log writes from now on; several may come together. */
export function onLogLines(log: Logger, listener: (lines: string) => void): void {
  destinationOf(log).listen(listener);
}

/** Writes lines of JSON into a log as they are. */
export function writeLogLines(log: Logger, lines: string): void {
  destinationOf(log).write(lines);
}

/** How much of the log is buffered while it can't be written. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

/** On a full disk the log gets gaps, but the service must go on. */
function openStandardError(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: BUFFERED_BYTES_MAX });
  destination.on("error", () => undefined);
  return destination;
}

/** Only these fields of an error are logged: drivers attach whole connections to theirs, secrets included. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return {
    type: error.name,
    message: error.message,
    ...("code" in error ? { code: error.code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
