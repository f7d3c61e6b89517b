import type { Batch } from "../batches/batch.ts";
import { BatchDesk } from "../batches/batch-desk.ts";
import { BatchWorker } from "../batches/batch-worker.ts";
import { batchToWire } from "../http/responses/batch.ts";
import { composeEvent } from "../notify/webhooks/event.ts";
import { PostgresBatches } from "../store/batches/batches.ts";
import { PostgresFiles } from "../store/batches/files.ts";
import type { Database } from "../store/database/database.ts";
import type { House } from "./services.ts";

/** What the room of batches is built from. */
interface BatchSite extends Pick<House, "clock" | "inFlight" | "warnCalmly"> {
  readonly database: Database;
  readonly instanceId: string;
  readonly limits: House["config"]["limits"];
}

/** The desk for those who have batches run, and the worker who runs them. `told` is called at a batch's end. */
export function buildBatches(site: BatchSite, told: () => void): Pick<House, "batches" | "batchWorker"> {
  const { database, instanceId, clock, inFlight, limits, warnCalmly } = site;
  // Half of the room is for those who wait.
  const hasRoom = () => inFlight.size < limits.concurrentRequests / 2;
  const onTrouble = (error: unknown) => warnCalmly(error, "A batch could not be worked on.");
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
  };
}
