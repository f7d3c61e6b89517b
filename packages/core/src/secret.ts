import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { inspect } from "node:util";

/** A value that no log line, error or JSON response can show by accident. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The only access to the value. Call it where the value is sent, and nowhere else. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 1;

/** Encrypts secrets for storage (AES-256-GCM with a key derived from a secret, mostly the service's own). */
export class Sealer {
  readonly #key: Buffer;

  /** A value sealed for one purpose does not open for another. */
  constructor(secret: Secret, purpose = "credentials") {
    this.#key = Buffer.from(hkdfSync("sha256", secret.reveal(), "trunkline", purpose, 32));
  }

  /** `owner` is authenticated: a box that was moved to another row does not open. */
  seal(secret: Secret, owner: string): Buffer {
    return this.sealBytes(Buffer.from(secret.reveal()), owner);
  }

  /** The same for the content of a file. */
  sealBytes(bytes: Buffer, owner: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, iv).setAAD(Buffer.from(owner));
    const body = [cipher.update(bytes), cipher.final()];
    return Buffer.concat([Buffer.from([FORMAT]), iv, cipher.getAuthTag(), ...body]);
  }

  /** Throws where the box was sealed with another secret or was modified. */
  open(box: Buffer, owner: string): Secret {
    return new Secret(this.openBytes(box, owner).toString("utf8"));
  }

  openBytes(box: Buffer, owner: string): Buffer {
    if (box[0] !== FORMAT) throw new Error("This box is of an unknown format.");
    const iv = box.subarray(1, 1 + IV_BYTES);
    const tag = box.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", this.#key, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(owner))
      .setAuthTag(tag);
    const body = box.subarray(1 + IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  }
}

/** A new secret for a cookie or a link: 256 bits, in characters that both allow. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The only form in which a token is stored or looked up. */
export function hashOfToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
