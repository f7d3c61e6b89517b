import { availableParallelism, totalmem } from "node:os";
import { z } from "zod";

/** More would spend their time on connections to the database. Settings may ask for more. */
const DEFAULT_WORKERS_MAX = 8;
/** A worker under load, with its share of PostgreSQL, stays below this. */
const BYTES_PER_WORKER = 512 * 1024 * 1024;
/** The embedded PostgreSQL takes 100 connections, and a worker up to 8. */
export const EMBEDDED_WORKERS_MAX = 12;

/** How many processes may serve the port. */
export const workerCountSchema = z.int("must be a whole number").min(1).max(64);
/** The same, as variables and options have it. */
export const workerCountTextSchema = z
  .string()
  .regex(/^\d{1,6}$/, "must be a whole number")
  .transform(Number)
  .pipe(workerCountSchema);

/** What the machine allows this process. */
export interface Machine {
  readonly processors: number;
  readonly memoryBytes: number;
}

/** One worker for each processor, but at most 8 and no more than the memory has room for. */
export function defaultWorkerCount({ processors, memoryBytes }: Machine = thisMachine()): number {
  return Math.max(1, Math.min(processors, DEFAULT_WORKERS_MAX, Math.floor(memoryBytes / BYTES_PER_WORKER)));
}

/** The processors and the memory that this process may use: of its container, where that has a limit. */
function thisMachine(): Machine {
  const limit = process.constrainedMemory();
  return { processors: availableParallelism(), memoryBytes: limit > 0 ? Math.min(totalmem(), limit) : totalmem() };
}
