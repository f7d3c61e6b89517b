import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { DialResponse } from "../dialer/dial-request.ts";
import { sanitiseMessage, toProviderFailure } from "./provider-error.ts";
import { parseRetryAfter } from "./rate-limit.ts";
import type { WireFormat } from "./wire-format.ts";

/** How much of an error's body is read to find its message. */
const ERROR_BYTES_MAX = 64 * 1024;
/** How long to wait for that body. */
const ERROR_WAIT_MS = 500;

/** The failure that a response with an error status reports. */
export async function readProviderError(
  reply: DialResponse,
  format: WireFormat,
  credential: Secret | undefined,
  now: number,
  pauseSeconds: number | undefined,
): Promise<ProviderFailure> {
  const { status } = reply;
  const body = await readErrorBody(reply);
  return toProviderFailure({
    code: format.statusOf?.(body, status) ?? status,
    description: `answered with status ${status}`,
    message: sanitiseMessage(format.errorMessageOf(body), credential),
    retryAfterSeconds:
      parseRetryAfter(reply.headers["retry-after"], now) ?? format.retryAfterOf?.(body) ?? pauseSeconds,
  });
}

/** The body of an error, if it arrives quickly: another model could answer in the meantime. */
async function readErrorBody(reply: DialResponse): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ERROR_WAIT_MS);
  });
  const body = await Promise.race([readJson(reply), late]);
  clearTimeout(timer);
  reply.discardBody();
  return body;
}

/** JSON up to a limit; an HTML page would contain nothing to show. */
async function readJson(reply: DialResponse): Promise<unknown> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of reply.body) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > ERROR_BYTES_MAX) return undefined;
    }
    return JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch {
    // The status says enough, also where the rest of the body never arrives.
    return undefined;
  }
}
