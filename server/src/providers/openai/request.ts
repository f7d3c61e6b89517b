import type { Model } from "../../domain/model.ts";
import type { Secret } from "../../kit/secret.ts";
import type { ProviderCall } from "../adapter.ts";
import { credentialHeader } from "../http/credential-header.ts";
import type { WireRequest } from "../http/wire-format.ts";
import { addressOf } from "./address.ts";
import { baseOf } from "./bases.ts";
import { toChatBody } from "./chat-request.ts";
import { toEmbeddingsBody } from "./embeddings.ts";
import { toImagesBody } from "./images.ts";
import { type Operation, operationOf } from "./operation.ts";
import { type Quirks, USUAL } from "./quirks.ts";
import { toSpeechBody } from "./speech.ts";
import { toTranscriptionForm } from "./transcription.ts";
import { tellUnused } from "./unused-parameters.ts";

/** What is sent to a provider of this wire. */
export function toOpenAiRequest(
  call: Omit<ProviderCall, "signal">,
  credential: Secret | undefined,
): WireRequest {
  const { model, inference, requestId, onDropped = () => undefined } = call;
  const operation = operationOf(call);
  const quirks = baseOf(model.endpoint)?.quirks ?? USUAL;
  const streaming = operation === "chat" && inference.streaming && model.streaming;
  tellUnused(inference.parameters, operation, onDropped);
  const { contentType, body } = toBody(operation, call, { streaming, quirks, onDropped });
  return {
    url: addressOf(model, operation),
    streaming,
    headers: {
      "content-type": contentType,
      accept: acceptOf(operation, streaming),
      ...toCredential(model, quirks, credential),
      "x-request-id": requestId,
    },
    body,
  };
}

interface Way {
  readonly streaming: boolean;
  readonly quirks: Quirks;
  readonly onDropped: (field: string) => void;
}

function toBody(
  operation: Operation,
  call: Pick<ProviderCall, "model" | "inference">,
  { streaming, quirks, onDropped }: Way,
): { readonly contentType: string; readonly body: string | Buffer } {
  const json = (body: object) => ({ contentType: "application/json", body: JSON.stringify(body) });
  switch (operation) {
    case "chat":
      return json(toChatBody(call, streaming, { quirks, onDropped }));
    case "embeddings":
      return json(toEmbeddingsBody(call, onDropped));
    case "images":
      return json(toImagesBody(call, onDropped));
    case "speech":
      return json(toSpeechBody(call, onDropped));
    case "transcription":
      return toTranscriptionForm(call, onDropped);
  }
}

function acceptOf(operation: Operation, streaming: boolean): string {
  if (operation === "speech") return "audio/*, application/octet-stream";
  if (operation === "transcription") return "application/json, text/plain";
  return streaming ? "text/event-stream, application/json" : "application/json";
}

function toCredential(model: Model, quirks: Quirks, credential: Secret | undefined): Record<string, string> {
  if (quirks.credential === undefined || model.authType === "none" || credential === undefined)
    return credentialHeader(model, credential);
  return { [quirks.credential]: credential.reveal() };
}
