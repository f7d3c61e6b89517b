import { z } from "zod";

/** The variables by which systemd says that it wants to be told of the service's state. */
export const serviceManagerVariables = {
  NOTIFY_SOCKET: z.string().min(1).optional(),
  WATCHDOG_USEC: z.string().regex(/^\d+$/, "must be a whole number of microseconds").transform(Number).optional(),
};

/** How the service tells systemd that it runs. */
export interface ServiceManagerConfig {
  readonly socket: string;
  /** The time without a sign of life after which systemd restarts the service; undefined: any. */
  readonly watchdogMs: number | undefined;
}

export function readServiceManager({
  NOTIFY_SOCKET: socket,
  WATCHDOG_USEC: watchdogUs,
}: z.output<z.ZodObject<typeof serviceManagerVariables>>): ServiceManagerConfig | undefined {
  if (socket === undefined) return undefined;
  return { socket, watchdogMs: watchdogUs === undefined || watchdogUs === 0 ? undefined : watchdogUs / 1_000 };
}
