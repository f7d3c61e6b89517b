import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { credentialHeader } from "../../http/credential-header.ts";
import type { WireRequest } from "../../http/wire-format.ts";
import { toConverseBody } from "./converse-body.ts";
import { signingKeyOf } from "./credential.ts";
import { toEmbeddingsBody } from "./embeddings.ts";
import { signHeaders } from "./sign.ts";

/** What is sent to the Converse API, or to a model that makes vectors, which it does not know: signed where the credential is a pair of keys. */
export function toBedrockRequest(
  call: Omit<ProviderCall, "signal">,
  credential: Secret | undefined,
  clock: Clock = systemClock,
): WireRequest | Promise<WireRequest> {
  const { model, inference, requestId } = call;
  const isEmbedding = model.type === "embedding";
  const streaming = inference.streaming && model.streaming && !isEmbedding;
  const operation = isEmbedding ? "invoke" : streaming ? "converse-stream" : "converse";
  const base = model.endpoint.replace(/\/+$/, "");
  const url = new URL(`${base}/model/${encodeURIComponent(upstreamNameOf(model))}/${operation}`);
  const body = JSON.stringify(isEmbedding ? toEmbeddingsBody(call) : toConverseBody(call));
  const headers = { "content-type": "application/json" };
  const others = {
    accept: streaming ? "application/vnd.amazon.eventstream" : "application/json",
    "x-request-id": requestId,
  };
  const key =
    model.authType === "none" || credential === undefined ? undefined : signingKeyOf(credential, url);
  if (key === undefined) {
    const shown = credentialHeader(model, credential);
    return { url: url.href, streaming, headers: { ...headers, ...shown, ...others }, body };
  }
  return signHeaders(url, body, headers, key, clock.now()).then((signed) => ({
    url: url.href,
    streaming,
    headers: { ...signed, ...others },
    body,
  }));
}
