import { createHash, randomBytes } from "node:crypto";

/** A new secret for a cookie or a link: 256 bits, in characters that both take. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The only form in which a token is stored or looked up. */
export function hashOfToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
