import type { Model } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** The header by which most providers are shown a credential. */
export function credentialHeader(
  { authType }: Pick<Model, "authType">,
  credential: Secret | undefined,
): Record<string, string> {
  if (credential === undefined || authType === "none") return {};
  return authType === "bearer"
    ? { authorization: `Bearer ${credential.reveal()}` }
    : { "x-api-key": credential.reveal() };
}
