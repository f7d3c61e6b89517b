import { createHash, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { Secret } from "@trunkline/core/secret.ts";

export interface SigningKey {
  /** The 32 bytes of an Ed25519 key, in base64url. */
  readonly publicKey: string;
  /** In PEM form. */
  readonly privateKey: Secret;
}

export interface SigningKeyStore {
  find(name: string): Promise<SigningKey | undefined>;
  /** Stores the key unless there is one of this name, and returns the one that is there. */
  ensure(name: string, made: SigningKey): Promise<SigningKey>;
}

const KEY_NAME = "audit-log";
/** Signed together with the digest, so that no other signature of the key can stand for one of these. */
const AUDIT_EXPORT_FORMAT = "trunkline-audit-log/1";

/** Signs exports of the audit log with a key of the service, so that they can be checked without it. */
export class AuditSigner {
  readonly #store: SigningKeyStore;

  constructor(store: SigningKeyStore) {
    this.#store = store;
  }

  async publicKey(): Promise<string> {
    return (await this.#key()).publicKey;
  }

  /** JSON lines: what it is, the events, and the signature over all lines before. */
  async export(about: Readonly<Record<string, unknown>>, events: readonly unknown[]): Promise<string> {
    const { publicKey, privateKey } = await this.#key();
    const head = { format: AUDIT_EXPORT_FORMAT, ...about, events: events.length, key: publicKey };
    const text = [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join("");
    const digest = createHash("sha256").update(text).digest("hex");
    const signature = sign(
      null,
      Buffer.from(`${AUDIT_EXPORT_FORMAT}\n${digest}`),
      createPrivateKey(privateKey.reveal()),
    );
    return `${text}${JSON.stringify({ sha256: digest, signature: signature.toString("base64url") })}\n`;
  }

  async #key(): Promise<SigningKey> {
    return (await this.#store.find(KEY_NAME)) ?? this.#store.ensure(KEY_NAME, makeKey());
  }
}

function makeKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    publicKey: publicKey.export({ format: "jwk" }).x ?? "",
    privateKey: new Secret(privateKey.export({ type: "pkcs8", format: "pem" }).toString()),
  };
}
