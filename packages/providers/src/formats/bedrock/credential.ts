import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** The two halves of a key by which requests are signed, and for which region. */
export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
}

/**
 * The key in a credential of the form `ACCESS_KEY_ID:SECRET[:SESSION_TOKEN[:REGION]]`; undefined where it is one word,
 * which is an API key. The region counts where the address does not name one, as behind a proxy.
 */
export function signingKeyOf(credential: Secret, url: URL): SigningKey | undefined {
  const [accessKeyId = "", secretAccessKey, sessionToken = "", givenRegion = ""] = credential
    .reveal()
    .split(":");
  if (secretAccessKey === undefined) return undefined;
  const region = regionOf(url.hostname) ?? (givenRegion || undefined);
  if (accessKeyId === "" || secretAccessKey === "")
    throw invalidCredential(
      "the credential has to be ACCESS_KEY_ID:SECRET, with a session token after a second colon",
    );
  if (region === undefined)
    throw invalidCredential(
      "its address names no region, so the credential has to: ACCESS_KEY_ID:SECRET::REGION",
    );
  return { accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined, region };
}

/** The region in a name such as `bedrock-runtime.eu-west-1.amazonaws.com`, also of a private endpoint. */
function regionOf(hostname: string): string | undefined {
  return /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d+)\./.exec(hostname)?.[1];
}

function invalidCredential(why: string): ProviderFailure {
  return new ProviderFailure("refused", `can't be signed for: ${why}`);
}
