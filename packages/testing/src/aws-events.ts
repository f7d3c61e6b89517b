import { EventStreamCodec } from "@smithy/eventstream-codec";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

const message = (kind: "event" | "exception", name: string, body: string): Buffer =>
  Buffer.from(
    codec.encode({
      headers: {
        [`:${kind}-type`]: { type: "string", value: name },
        ":content-type": { type: "string", value: "application/json" },
        ":message-type": { type: "string", value: kind },
      },
      body: Buffer.from(body, "utf8"),
    }),
  );

/** An event of an event stream of AWS. */
export const awsEvent = (name: string, body: unknown): Buffer => message("event", name, JSON.stringify(body));

/** An error in place of an event. */
export const awsException = (name: string, body: unknown): Buffer => message("exception", name, JSON.stringify(body));

/** An error that the transport itself reports. */
export const awsError = (code: string, words: string): Buffer =>
  Buffer.from(
    codec.encode({
      headers: {
        ":message-type": { type: "string", value: "error" },
        ":error-code": { type: "string", value: code },
        ":error-message": { type: "string", value: words },
      },
      body: new Uint8Array(),
    }),
  );
