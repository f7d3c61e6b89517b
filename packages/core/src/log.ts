import pino, { type DestinationStream, type Logger } from "pino";

export type { Logger };

/** Logs JSON lines to standard error; standard output is for people. Errors keep their causes. */
export function createLogger(level: string, destination: DestinationStream = openStandardError()): Logger {
  return pino({ level, serializers: { error: describeError } }, destination);
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
