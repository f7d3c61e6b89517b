import { texts } from "../texts/texts.ts";
import { api } from "./client.ts";
import type { Entry } from "./sign-in.ts";

/** Not an error: the person closed the browser's dialog, or let it time out. */
export class PasskeyDeclined extends Error {
  override readonly name = "PasskeyDeclined";
}

/** Why this browser can't use passkeys here, and where they would work; undefined: it can. */
export function passkeyHindrance(
  here: Pick<Location, "hostname" | "port" | "pathname" | "search"> = location,
  isSecure: boolean = globalThis.isSecureContext,
  isSupported: boolean = "PublicKeyCredential" in globalThis,
): { readonly why: string; readonly link: string | undefined } | undefined {
  const isAddress = /^\d+(\.\d+){3}$|^\[/.test(here.hostname);
  if (isAddress) {
    const isHere = /^127\.|^\[::1\]$/.test(here.hostname);
    const port = here.port === "" ? "" : `:${here.port}`;
    return {
      why: texts.api.passkeys.bareAddress,
      link: isHere ? `http://localhost${port}${here.pathname}${here.search}` : undefined,
    };
  }
  if (!isSecure) return { why: texts.api.passkeys.insecure, link: undefined };
  if (!isSupported) return { why: texts.api.passkeys.unsupported, link: undefined };
  return undefined;
}

/** Logs in by any passkey that the browser has for this site. `autofill`: it waits in the address field's suggestions. */
export async function logInByPasskey(autofill: boolean): Promise<Entry> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const { ticket, options } = await api.call("POST /v1/auth/passkey-options", { body: {} });
  const response = await startAuthentication({
    // The server makes them in the very form that the browser takes.
    optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]["optionsJSON"],
    useBrowserAutofill: autofill,
  }).catch((error: unknown) => decline(error, texts.api.passkeys.notUsed));
  const { authenticatorAttachment: _, ...rest } = response;
  return api.call("POST /v1/auth/passkey", {
    body: { ticket, response: { ...rest, clientExtensionResults: {} } },
  });
}

/** Whether the browser can offer passkeys among the suggestions of a field. */
export async function offersAutofill(): Promise<boolean> {
  if (passkeyHindrance() !== undefined) return false;
  const { browserSupportsWebAuthnAutofill } = await import("@simplewebauthn/browser");
  return browserSupportsWebAuthnAutofill();
}

/** Stops waiting in the suggestions. */
export async function stopAutofill(): Promise<void> {
  const { WebAuthnAbortService } = await import("@simplewebauthn/browser");
  WebAuthnAbortService.cancelCeremony();
}

/** Creates a passkey for the logged-in person. */
export async function makePasskey(name: string, current: string | undefined) {
  const { startRegistration } = await import("@simplewebauthn/browser");
  const { ticket, options } = await api.call("POST /v1/me/passkeys/options", {
    body: current === undefined ? {} : { current },
  });
  const made = await startRegistration({
    optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"],
  }).catch((error: unknown) => decline(error, texts.api.passkeys.notCreated));
  const { clientDataJSON, attestationObject, transports } = made.response;
  return api.call("POST /v1/me/passkeys", {
    body: {
      ticket,
      name,
      response: {
        id: made.id,
        rawId: made.rawId,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON,
          attestationObject,
          ...(transports === undefined ? {} : { transports }),
        },
      },
    },
  });
}

function decline(error: unknown, words: string): never {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") throw new Error(texts.api.passkeys.exists);
  if (name === "NotAllowedError" || name === "AbortError") {
    throw new PasskeyDeclined(words, { cause: error });
  }
  throw error;
}
