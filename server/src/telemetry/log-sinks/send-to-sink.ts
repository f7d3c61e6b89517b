import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { signHeaders } from "@trunkline/providers/formats/bedrock/signing.ts";
import { signedHeaders } from "../../notify/webhooks/deliver.ts";
import type { SendResult } from "../batch-queue.ts";
import { createEnvelope } from "../otlp-json.ts";
import { batchLimits, failureResult, postBatch, readResult } from "../otlp-sender.ts";
import type { OpenLogSink } from "./log-sink.ts";

const TIMEOUT_MS = 10_000;
const ENVELOPE = createEnvelope("spans", { "service.name": "trunkline" });
const compress = promisify(gzip);

/** Sends records to a sink in the form of its kind: spans for otlp, lines of JSON for the others. */
export async function sendToSink(
  dialer: Dialer,
  clock: Clock,
  sink: OpenLogSink,
  records: readonly string[],
  signal: AbortSignal,
): Promise<SendResult> {
  const { url, mayDialPrivate, secret } = sink;
  if (secret === undefined) return { kind: "rejected", reason: "its secret can't be decrypted; set it again" };
  const target = { url, mayDialPrivate, timeoutMs: TIMEOUT_MS };
  switch (sink.kind) {
    case "otlp": {
      const body = ENVELOPE.before + records.join(",") + ENVELOPE.after;
      return postBatch(dialer, { ...target, headers: headersOf(secret.reveal()) }, body, "application/json", signal);
    }
    case "http": {
      const body = records.join("\n");
      const headers = signedHeaders([secret], newId(clock.now()), body, clock.now());
      return postBatch(dialer, { ...target, headers }, body, "application/x-ndjson", signal);
    }
    case "s3":
      return putObject(dialer, clock, sink, secret.reveal(), records, signal);
  }
}

function headersOf(json: string): Record<string, string> {
  const headers: unknown = JSON.parse(json);
  return isObject(headers)
    ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    : {};
}

/** Puts one object with these records into the bucket, in a folder of its hour. */
async function putObject(
  dialer: Dialer,
  clock: Clock,
  { url, region = "", accessKeyId = "", mayDialPrivate }: OpenLogSink,
  secretAccessKey: string,
  records: readonly string[],
  signal: AbortSignal,
): Promise<SendResult> {
  const now = clock.now();
  const hour = new Date(now).toISOString().slice(0, 13).replace(/[-T]/g, "/");
  const object = new URL(`${url.replace(/\/$/, "")}/${hour}/${newId(now)}.jsonl.gz`);
  const body = await compress(Buffer.from(`${records.join("\n")}\n`, "utf8"));
  const plain = { "content-type": "application/x-ndjson", "content-encoding": "gzip" };
  const key = { accessKeyId, secretAccessKey, sessionToken: undefined, region };
  const headers = await signHeaders(object, body, plain, key, now, { service: "s3", method: "PUT" });
  const limits = batchLimits(TIMEOUT_MS);
  try {
    const request = { method: "PUT", url: object.href, headers, body, mayDialPrivate, limits } as const;
    return await readResult(await dialer.post(request, signal));
  } catch (error) {
    return failureResult(error);
  }
}
