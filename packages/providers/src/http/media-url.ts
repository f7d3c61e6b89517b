import { isIP } from "node:net";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { hostOf, isLocalName, isMetadataHost, isPublicAddress } from "../dialer/address-guard.ts";

/**
 * The URL of a medium as a provider gave it, in its normal form, so that it can stand in a header. Clients follow it
 * from their own network, so it must be https to a public host: a provider must not lead them to addresses inside. A model
 * that may be at a private address may also have its images there, never its audio, which clients are redirected to.
 */
export function readMediaUrl(text: string, kind: "image" | "audio", mayBePrivate = false): string {
  // A data URL can be megabytes long, so it is recognised by its start.
  if (/^data:/i.test(text)) return text;
  // The URL parser drops line breaks instead of refusing them.
  if (/[\p{Cc}\p{Z}]/u.test(text) || !URL.canParse(text)) throw unusable(kind);
  const url = new URL(text);
  const host = hostOf(url);
  if (url.username !== "" || url.password !== "" || isMetadataHost(host)) throw unusable(kind);
  if (mayBePrivate && kind === "image" && url.protocol === "http:") return url.href;
  const isPublic = isIP(host) === 0 ? !isLocalName(host) : isPublicAddress(host);
  if (url.protocol !== "https:" || !(isPublic || (mayBePrivate && kind === "image"))) throw unusable(kind);
  return url.href;
}

function unusable(kind: string): ProviderFailure {
  return new ProviderFailure("broken", `answered with an ${kind} URL that is neither https to a public host nor data`);
}
