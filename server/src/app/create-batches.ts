import { BatchWorker } from "../batches/batch-worker.ts";
import { type Batch, Batches } from "../batches/batches.ts";
import { toBatchResponse } from "../http/responses/batch.ts";
import { createWebhookEvent } from "../notify/webhooks/deliver.ts";
import { PostgresBatches } from "../store/batches/batches.ts";
import { PostgresFiles } from "../store/batches/files.ts";
import type { Database } from "../store/database/database.ts";
import type { Services } from "./services.ts";

/** What the batch services depend on. */
interface BatchOptions extends Pick<Services, "clock" | "inFlight" | "warnThrottled"> {
  readonly database: Database;
  readonly instanceId: string;
  readonly limits: Services["config"]["limits"];
}

/** Creates the batch operations and the worker that runs batches. `onEventQueued` is called at a batch's end. */
export function createBatches(
  options: BatchOptions,
  onEventQueued: () => void,
): Pick<Services, "batches" | "batchWorker"> {
  const { database, instanceId, clock, inFlight, limits, warnThrottled } = options;
  // Half of the capacity is reserved for interactive requests.
  const hasRoom = () => inFlight.size < limits.concurrentRequests / 2;
  const onTrouble = (error: unknown) => warnThrottled(error, "A batch could not be processed.");
  const batches = new PostgresBatches(database, instanceId);
  const files = new PostgresFiles(database);
  const eventOf = (batch: Batch) => {
    const { status, ...shown } = toBatchResponse(batch);
    const type = `batch.${status}` as const;
    if (type === "batch.completed" || type === "batch.failed" || type === "batch.expired" || type === "batch.cancelled")
      return createWebhookEvent(type, { batch: { status, ...shown } }, clock.now());
    throw new Error(`A batch can't end as ${status}.`);
  };
  const worker = new BatchWorker({ batches, files, clock, hasCapacity: hasRoom, eventOf, onEventQueued }, onTrouble);
  return {
    batches: new Batches({ batches, files, clock, onChange: () => worker.wake() }),
    batchWorker: worker,
  };
}
