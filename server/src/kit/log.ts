import pino, { type DestinationStream, type Logger } from "pino";

export type { Logger };

/** Lines of JSON for machines, on standard error: what people read goes to standard output. Errors keep their causes. */
export function openLog(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: false }),
): Logger {
  return pino({ level, serializers: { error: pino.stdSerializers.errWithCause } }, destination);
}
