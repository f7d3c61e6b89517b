import { composeEvent } from "./alerts/event.ts";
import type { Batch } from "./batches/batch.ts";
import { BatchDesk } from "./batches/batch-desk.ts";
import { BatchWorker } from "./batches/batch-worker.ts";
import type { House } from "./house.ts";
import type { Clock } from "./kit/clock.ts";
import { PostgresBatches } from "./store/batches.ts";
import type { Database } from "./store/database.ts";
import { PostgresFiles } from "./store/files.ts";
import { batchToWire } from "./wire/batch.ts";

/** What the room of batches is built from. */
export interface BatchSite {
  readonly database: Database;
  readonly instanceId: string;
  readonly clock: Clock;
  /** Whether there is room for another line beside what clients are waiting for. */
  readonly hasRoom: () => boolean;
  /** Called when somebody may have to be told of a batch's end. */
  readonly told: () => void;
  readonly onTrouble: (error: unknown) => void;
}

/** The room of batches, and what sweeps it. */
export function buildBatches(
  site: BatchSite,
): Pick<House, "batches" | "batchWorker"> & { readonly sweeper: { sweep(): Promise<void> } } {
  const { database, instanceId, clock, hasRoom, told, onTrouble } = site;
  const batches = new PostgresBatches(database, instanceId);
  const files = new PostgresFiles(database);
  const eventOf = (batch: Batch) => {
    const { status, ...shown } = batchToWire(batch);
    const type = `batch.${status}` as const;
    if (
      type === "batch.completed" ||
      type === "batch.failed" ||
      type === "batch.expired" ||
      type === "batch.cancelled"
    )
      return composeEvent(type, { batch: { status, ...shown } }, clock.now());
    throw new Error(`A batch can't end as ${status}.`);
  };
  const worker = new BatchWorker({ batches, files, clock, hasRoom, eventOf, told }, onTrouble);
  return {
    batches: new BatchDesk({ batches, files, clock, poke: () => worker.poke() }),
    batchWorker: worker,
    sweeper: { sweep: () => batches.sweep(new Date(clock.now())) },
  };
}
