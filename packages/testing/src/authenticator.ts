import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

type Cbor = number | string | Buffer | Map<Cbor, Cbor>;

/** A passkey made of software: ES256, with what a test wants to be wrong about it. */
export class Authenticator {
  readonly id = randomBytes(16);
  counter = 0;
  verifiesUser = true;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  #userHandle = "";

  /** What a browser at `origin` makes of the creation options. */
  register(options: CreationOptions, origin: string) {
    this.#userHandle = options.user.id;
    const jwk = this.#keys.publicKey.export({ format: "jwk" });
    const publicKey = encodeCbor(
      new Map<Cbor, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(jwk.x ?? "", "base64url")],
        [-3, Buffer.from(jwk.y ?? "", "base64url")],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, publicKey]);
    const authData = Buffer.concat([this.#authData(options.rp.id, 0x40), attested]);
    const attestation = new Map<Cbor, Cbor>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    return {
      ...this.#names(),
      response: {
        clientDataJSON: clientData("webauthn.create", options.challenge, origin).toString("base64url"),
        attestationObject: encodeCbor(attestation).toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  /** What a browser at `origin` answers to the request options. */
  answer(options: { challenge: string; rpId: string }, origin: string) {
    const authData = this.#authData(options.rpId, 0);
    const data = clientData("webauthn.get", options.challenge, origin);
    const signed = Buffer.concat([authData, createHash("sha256").update(data).digest()]);
    return {
      ...this.#names(),
      response: {
        clientDataJSON: data.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: createSign("sha256").update(signed).sign(this.#keys.privateKey).toString("base64url"),
        userHandle: this.#userHandle,
      },
    };
  }

  #names() {
    const id = this.id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {} };
  }

  #authData(rpId: string, flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    const present = 0x01 | (this.verifiesUser ? 0x04 : 0);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([present | flags]), count]);
  }
}

interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function encodeCbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, entry]) => [encodeCbor(key), encodeCbor(entry)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
