import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { Secret } from "@trunkline/core/secret.ts";

/**
 * Browsers in which somebody has logged in before. Such a browser has tries of its own at the door, so that strangers who
 * use up a person's tries can't keep that person out. It proves nothing else.
 */
export class KnownDevices {
  readonly #key: Buffer;

  constructor(serviceSecret: Secret) {
    this.#key = Buffer.from(hkdfSync("sha256", serviceSecret.reveal(), "trunkline", "devices", 32));
  }

  /** What a browser is to remember, bound to the address that logged in there. */
  issueToken(email: string): string {
    const nonce = randomBytes(16).toString("base64url");
    return `${nonce}.${this.#signature(nonce, email)}`;
  }

  /** Which browser it is; undefined where it is not known for this address. */
  recognise(mark: string | undefined, email: string): string | undefined {
    const [nonce = "", signature = ""] = mark?.split(".") ?? [];
    const given = Buffer.from(signature);
    const due = Buffer.from(this.#signature(nonce, email));
    return given.length === due.length && timingSafeEqual(given, due) ? nonce : undefined;
  }

  #signature(nonce: string, email: string): string {
    return createHmac("sha256", this.#key).update(`${nonce} ${email}`).digest("base64url");
  }
}
