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
const KEY_ID_BYTES = 4;
const HEAD_BYTES = 1 + KEY_ID_BYTES;
/** A box says by which key it was sealed, so that those of an old secret can be found without opening them. */
const FORMAT = 2;
/** Boxes of earlier versions, which don't say so. */
const FORMAT_WITHOUT_KEY_ID = 1;

interface SealingKey {
  readonly key: Buffer;
  /** The first bytes of the boxes that it seals. */
  readonly head: Buffer;
}

/** Encrypts secrets for storage (AES-256-GCM with a key derived from a secret, mostly the service's own). */
export class Sealer {
  readonly #current: SealingKey;
  /** Opens what was sealed before the secret was changed. */
  readonly #fallback: SealingKey | undefined;

  /** A value sealed for one purpose does not open for another. `fallback` only opens. */
  constructor(secret: Secret, purpose = "credentials", fallback?: Secret) {
    this.#current = deriveSealingKey(secret, purpose);
    this.#fallback = fallback && deriveSealingKey(fallback, purpose);
  }

  /** How the boxes begin that are sealed now. */
  get head(): Buffer {
    return this.#current.head;
  }

  /** `owner` is authenticated: a box that was moved to another row does not open. */
  seal(secret: Secret, owner: string): Buffer {
    return this.sealBytes(Buffer.from(secret.reveal()), owner);
  }

  /** The same for the content of a file. */
  sealBytes(bytes: Buffer, owner: string): Buffer {
    const { key, head } = this.#current;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(owner));
    const body = [cipher.update(bytes), cipher.final()];
    return Buffer.concat([head, iv, cipher.getAuthTag(), ...body]);
  }

  /** Throws where the box was sealed with another secret or was modified. */
  open(box: Buffer, owner: string): Secret {
    return new Secret(this.openBytes(box, owner).toString("utf8"));
  }

  openBytes(box: Buffer, owner: string): Buffer {
    if (box[0] === FORMAT) {
      const head = box.subarray(0, HEAD_BYTES);
      const sealing = [this.#current, this.#fallback].find((known) => known?.head.equals(head) === true);
      if (sealing === undefined) throw new Error("This box was sealed with another secret.");
      return decrypt(sealing.key, box.subarray(HEAD_BYTES), owner);
    }
    if (box[0] !== FORMAT_WITHOUT_KEY_ID) throw new Error("This box is of an unknown format.");
    const sealed = box.subarray(1);
    try {
      return decrypt(this.#current.key, sealed, owner);
    } catch (error) {
      if (this.#fallback === undefined) throw error;
      return decrypt(this.#fallback.key, sealed, owner);
    }
  }
}

function deriveSealingKey(secret: Secret, purpose: string): SealingKey {
  const key = Buffer.from(hkdfSync("sha256", secret.reveal(), "trunkline", purpose, 32));
  const id = createHash("sha256").update("trunkline key id").update(key).digest().subarray(0, KEY_ID_BYTES);
  return { key, head: Buffer.concat([Buffer.of(FORMAT), id]) };
}

function decrypt(key: Buffer, sealed: Buffer, owner: string): Buffer {
  const iv = sealed.subarray(0, IV_BYTES);
  const tag = sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  const body = sealed.subarray(IV_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]);
}

/** A new secret for a cookie or a link: 256 bits, in characters that both allow. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The only form in which a token is stored or looked up. */
export function hashOfToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
