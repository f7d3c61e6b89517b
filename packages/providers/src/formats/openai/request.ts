import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { credentialHeader } from "../../http/credential-header.ts";
import type { WireRequest } from "../../http/wire-format.ts";
import { operationUrl } from "./address.ts";
import { findCompatibleProvider } from "./bases.ts";
import { toChatBody } from "./chat-request.ts";
import type { ConversionContext } from "./content.ts";
import { toEmbeddingsBody } from "./embeddings.ts";
import { toImagesBody } from "./images.ts";
import { type Operation, operationOf } from "./operation.ts";
import { toPassthroughFields } from "./passed-fields.ts";
import { DEFAULT_QUIRKS, type Quirks } from "./quirks.ts";
import { toSpeechBody } from "./speech.ts";
import { toTranscriptionForm } from "./transcription.ts";
import { reportUnusedParameters } from "./unused-parameters.ts";

/** What is sent to a provider of this wire. */
export function toOpenAiRequest(
  call: Omit<ProviderCall, "signal">,
  credential: Secret | undefined,
): WireRequest {
  const { model, inference, requestId, onUnsupported: onDropped = () => undefined } = call;
  const operation = operationOf(call);
  const base = findCompatibleProvider(model.endpoint);
  const quirks = base?.quirks ?? DEFAULT_QUIRKS;
  const streaming = operation === "chat" && inference.streaming && model.streaming;
  reportUnusedParameters(inference.parameters, operation, onDropped);
  const { contentType, body } = toBody(operation, call, streaming, { quirks, onUnsupported: onDropped });
  return {
    url: operationUrl(model, operation, base),
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

function toBody(
  operation: Operation,
  call: Pick<ProviderCall, "model" | "inference">,
  streaming: boolean,
  conversionContext: ConversionContext,
): { readonly contentType: string; readonly body: string | Buffer } {
  const passed = toPassthroughFields(call.inference, conversionContext);
  const json = (body: object) => ({ contentType: "application/json", body: JSON.stringify(body) });
  switch (operation) {
    case "chat":
      return json(toChatBody(call, passed, streaming, conversionContext));
    case "embeddings":
      return json(toEmbeddingsBody(call, passed));
    case "images":
      return json(toImagesBody(call, passed));
    case "speech":
      return json(toSpeechBody(call, passed));
    case "transcription":
      return toTranscriptionForm(call, passed);
  }
}

function acceptOf(operation: Operation, streaming: boolean): string {
  if (operation === "speech") return "audio/*, application/octet-stream";
  if (operation === "transcription") return "application/json, text/plain";
  return streaming ? "text/event-stream, application/json" : "application/json";
}

function toCredential(model: Model, quirks: Quirks, credential: Secret | undefined): Record<string, string> {
  if (quirks.credentialHeader === undefined || model.authType === "none" || credential === undefined)
    return credentialHeader(model, credential);
  return { [quirks.credentialHeader]: credential.reveal() };
}
