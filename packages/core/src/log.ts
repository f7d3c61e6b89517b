import pino, { type DestinationStream, type Logger } from "pino";

export type { Logger };

/** Lines of JSON for machines, on standard error: what people read goes to standard output. Errors keep their causes. */
export function createLogger(level: string, destination: DestinationStream = openStandardError()): Logger {
  return pino({ level, serializers: { error: describeError } }, destination);
}

/** What can't be written waits for a while, up to this much of it. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

/** Where its file is on a full disk, the log has gaps: that must not end the service, which may have what to do. */
function openStandardError(): DestinationStream {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: BUFFERED_BYTES_MAX });
  destination.on("error", () => undefined);
  return destination;
}

/** Only what is named here is logged of an error: drivers hang whole connections on theirs, secrets included. */
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
