import pino, { type DestinationStream, type Logger } from "pino";

export type { Logger };

/** Lines of JSON for machines, on standard error: what people read goes to standard output. Errors keep their causes. */
export function openLog(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino({ level, serializers: { error: describeError } }, destination);
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
