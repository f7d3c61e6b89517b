import { BatchWorker } from "../batches/batch-worker.ts";
import { type Batch, Batches } from "../batches/batches.ts";
import { toBatchResponse } from "../http/responses/batch.ts";
import { createWebhookEvent } from "../notify/webhooks/deliver.ts";
import { PostgresBatches } from "../store/batches/batches.ts";
import { PostgresFiles } from "../store/batches/files.ts";
import type { BaseServices, BatchServices } from "./services.ts";

/** Creates the batch operations and the worker that runs batches. `onEventQueued` is called at a batch's end. */
export function createBatches(
  { config, database, instance, clock, warnThrottled }: BaseServices,
  inFlight: ReadonlySet<AbortController>,
  onEventQueued: () => void,
): { readonly services: BatchServices; sweep(): Promise<void> } {
  // Half of the capacity is reserved for interactive requests.
  const hasCapacity = () => inFlight.size < config.limits.concurrentRequests / 2;
  const onError = (error: unknown) => warnThrottled(error, "A batch could not be processed.");
  const store = new PostgresBatches(database, instance.id);
  const files = new PostgresFiles(database);
  const eventOf = (batch: Batch) => {
    const { status, ...shown } = toBatchResponse(batch);
    const type = `batch.${status}` as const;
    if (type === "batch.completed" || type === "batch.failed" || type === "batch.expired" || type === "batch.cancelled")
      return createWebhookEvent(type, { batch: { status, ...shown } }, clock.now());
    throw new Error(`A batch can't end as ${status}.`);
  };
  const worker = new BatchWorker({ batches: store, files, clock, hasCapacity, eventOf, onEventQueued }, onError);
  const batches = new Batches({ batches: store, files, clock, onChange: () => worker.wake() });
  return { services: { batches, worker }, sweep: () => batches.sweep() };
}
