import type { Model } from "../../domain/model.ts";
import type { Secret } from "../../kit/secret.ts";

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
