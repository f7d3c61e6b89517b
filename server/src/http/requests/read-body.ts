import type { IncomingMessage } from "node:http";
import { Fault } from "@trunkline/core/fault.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON body as text within its size and time limits. What is not JSON in UTF-8 is refused here. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  waitMs: number,
): Promise<string> {
  requireJsonBody(request);
  const bytes = await readBytes(request, limitBytes, waitMs);
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new Fault("invalid_request", "The body is not valid UTF-8.", {}, { cause: error });
  }
}

/** Reads a body of any form within its size and time limits. */
export async function readBytes(
  request: IncomingMessage,
  limitBytes: number,
  waitMs: number,
): Promise<Buffer> {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new Fault("unsupported_media_type", "Compressed bodies are not taken. Send it plain.");
  }
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limitBytes) throw bodyTooLargeFault(limitBytes);
  return collectBytes(request, limitBytes, waitMs);
}

function requireJsonBody(request: IncomingMessage): void {
  if (!/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? "")) {
    throw new Fault("unsupported_media_type", "Send the body as JSON with `Content-Type: application/json`.");
  }
  if (/charset="?(?!utf-?8\b)[\w-]+/i.test(request.headers["content-type"] ?? "")) {
    throw new Fault("unsupported_media_type", "Send the body in UTF-8.");
  }
}

function collectBytes(request: IncomingMessage, limitBytes: number, waitMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A client that left before anyone listened is not heard leaving again.
    if (request.destroyed && !request.readableEnded) {
      reject(new Fault("invalid_request", "The body broke off."));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(
      () =>
        settle(() => reject(new Fault("request_timeout", "The body did not arrive in time. Send it again."))),
      waitMs,
    );
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) settle(() => reject(bodyTooLargeFault(limitBytes)));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks)));
    const onGone = () => settle(() => reject(new Fault("invalid_request", "The body broke off.")));
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      finish();
    };
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

export function bodyTooLargeFault(limitBytes: number): Fault {
  return new Fault(
    "payload_too_large",
    `The body is larger than ${limitBytes.toLocaleString("en")} bytes. Send less.`,
  );
}
