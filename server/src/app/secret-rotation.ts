import type { Clock } from "@trunkline/core/clock.ts";
import type { Logger } from "@trunkline/core/log.ts";
import { Sealer, type Secret } from "@trunkline/core/secret.ts";
import { fileOwner } from "../batches/batches.ts";
import { totpOwner } from "../store/identity/credentials.ts";
import { signingKeyOwner } from "../store/identity/signing-keys.ts";
import { identityProviderOwner } from "../store/identity/single-sign-on.ts";
import type { PostgresSealedBoxes, SealedBox, SealedColumn } from "../store/sealed-boxes.ts";
import { itemOwner, metadataOwner } from "../stored-responses/conversations.ts";
import { responseOwner } from "../stored-responses/stored-responses.ts";
import { acmeAccountOwner } from "../tls/tls-settings.ts";

/** What each Sealer is for. */
export const SEALER_PURPOSES = { credentials: "credentials", files: "files", responses: "responses" } as const;

const byId = ({ id = "" }: Readonly<Record<string, string>>) => id;
const credentials = { key: ["id"], purpose: SEALER_PURPOSES.credentials } as const;
const responses = { purpose: SEALER_PURPOSES.responses } as const;

/** Every column that holds values encrypted with the service's secret. A test compares it with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    ...credentials,
    what: "credentials of models",
    table: "models",
    column: "sealed_credential",
    ownerOf: byId,
  },
  { ...credentials, what: "keys for providers", table: "provider_keys", column: "sealed_key", ownerOf: byId },
  { ...credentials, what: "webhooks' secrets", table: "webhooks", column: "sealed_secret", ownerOf: byId },
  { ...credentials, what: "webhooks' old secrets", table: "webhooks", column: "sealed_old_secret", ownerOf: byId },
  { ...credentials, what: "log sinks' credentials", table: "log_sinks", column: "sealed_secret", ownerOf: byId },
  {
    ...credentials,
    what: "guardrail hooks' secrets",
    table: "guardrail_hooks",
    column: "sealed_secret",
    ownerOf: byId,
  },
  {
    ...credentials,
    what: "second factors",
    table: "people",
    column: "sealed_totp",
    ownerOf: ({ id = "" }) => totpOwner(id),
  },
  {
    ...credentials,
    what: "secrets of identity providers",
    table: "identity_providers",
    column: "sealed_secret",
    more: ["account_id"],
    ownerOf: ({ account_id = "" }) => identityProviderOwner(account_id),
  },
  {
    ...credentials,
    what: "keys of ACME accounts",
    table: "acme_accounts",
    column: "key_box",
    key: ["directory"],
    ownerOf: ({ directory = "" }) => acmeAccountOwner(directory),
  },
  {
    ...credentials,
    what: "keys of certificates",
    table: "acme_certificates",
    column: "key_box",
    key: ["name"],
    ownerOf: ({ name = "" }) => name,
  },
  {
    ...credentials,
    what: "signing keys",
    table: "signing_keys",
    column: "sealed_key",
    key: ["name"],
    ownerOf: ({ name = "" }) => signingKeyOwner(name),
  },
  {
    what: "files",
    table: "files",
    column: "content",
    key: ["id"],
    more: ["account_id"],
    // The files of batches are not encrypted: their lines are not either while they run.
    where: "purpose NOT IN ('batch', 'batch_output')",
    purpose: SEALER_PURPOSES.files,
    ownerOf: ({ account_id = "", id = "" }) => fileOwner(account_id, id),
  },
  {
    ...responses,
    what: "inputs of kept responses",
    table: "stored_responses",
    column: "input",
    key: ["id"],
    more: ["account_id"],
    ownerOf: ({ account_id = "", id = "" }) => responseOwner(account_id, id, "input"),
  },
  {
    ...responses,
    what: "kept responses",
    table: "stored_responses",
    column: "response",
    key: ["id"],
    more: ["account_id"],
    ownerOf: ({ account_id = "", id = "" }) => responseOwner(account_id, id, "response"),
  },
  {
    ...responses,
    what: "conversations",
    table: "conversations",
    column: "metadata",
    key: ["id"],
    more: ["account_id"],
    ownerOf: ({ account_id = "", id = "" }) => metadataOwner(account_id, id),
  },
  {
    ...responses,
    what: "items of conversations",
    table: "conversation_items",
    column: "item",
    key: ["conversation_id", "position"],
    more: ["account_id"],
    ownerOf: ({ account_id = "", conversation_id = "" }) => itemOwner(account_id, conversation_id),
  },
];

interface SecretRotationOptions {
  readonly store: Pick<
    PostgresSealedBoxes,
    "count" | "others" | "replace" | "runAlone" | "saveSealedWith" | "isSealedWith"
  >;
  readonly secret: Secret;
  /** The secret before; undefined: it was not changed. */
  readonly fallback: Secret | undefined;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly log: Pick<Logger, "info" | "warn">;
}

/** How encrypted values of one kind stand. */
export interface SealedCount {
  readonly what: string;
  readonly all: number;
  /** Sealed with the current secret, by a version that says so in the box. */
  readonly current: number;
}

/** Values can still come in under the old secret, from an instance that has no other yet. */
const AGAIN_MS = 600_000;

/** Encrypts with the new secret what is encrypted with the one before. */
export class SecretRotation {
  readonly #options: SecretRotationOptions;
  readonly #sealers: ReadonlyMap<string, Sealer>;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #isRunning = false;

  constructor(options: SecretRotationOptions) {
    this.#options = options;
    const { secret, fallback } = options;
    this.#sealers = new Map(
      Object.values(SEALER_PURPOSES).map((purpose) => [purpose, new Sealer(secret, purpose, fallback)]),
    );
  }

  /** Does nothing where the secret was not changed. */
  async sweep(): Promise<void> {
    const { fallback, clock, store } = this.#options;
    if (fallback === undefined || this.#isRunning || clock.monotonicMs() < this.#dueAtMs) return;
    this.#isRunning = true;
    try {
      if (await store.runAlone(() => this.#sealAll())) this.#dueAtMs = clock.monotonicMs() + AGAIN_MS;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Whether a service that runs with this secret has sealed everything again. Until then one may still run with the old secret. */
  isTakenOver(): Promise<boolean> {
    return this.#options.store.isSealedWith(this.#head);
  }

  count(): Promise<SealedCount[]> {
    return Promise.all(
      SEALED_COLUMNS.map(async (sealed) => ({
        what: sealed.what,
        ...(await this.#options.store.count(sealed, this.#sealerOf(sealed).head)),
      })),
    );
  }

  /** How many of those that are not known to be sealed with the current secret can't be opened, by what they are. Opens `most` of each kind. */
  async findUnreadable(most: number): Promise<ReadonlyMap<string, number>> {
    const unreadable = new Map<string, number>();
    for (const sealed of SEALED_COLUMNS) {
      let seen = 0;
      for await (const page of this.#options.store.others(sealed, this.#sealerOf(sealed).head)) {
        const failed = page.filter((one) => this.#open(sealed, one) === undefined).length;
        if (failed > 0) unreadable.set(sealed.what, (unreadable.get(sealed.what) ?? 0) + failed);
        seen += page.length;
        if (seen >= most) break;
      }
    }
    return unreadable;
  }

  async #sealAll(): Promise<void> {
    const { store, log } = this.#options;
    let done = 0;
    let failed = 0;
    for (const sealed of SEALED_COLUMNS) {
      const sealer = this.#sealerOf(sealed);
      for await (const page of store.others(sealed, sealer.head)) {
        for (const one of page) {
          const content = this.#open(sealed, one);
          if (content === undefined) {
            failed += 1;
            continue;
          }
          await store.replace(sealed, one, sealer.sealBytes(content, sealed.ownerOf(one.row)));
          done += 1;
        }
      }
    }
    await store.saveSealedWith(this.#head);
    if (failed > 0)
      log.warn({ values: failed }, "Encrypted values open neither with the secret nor with the one before.");
    if (done > 0) log.info({ values: done }, "Values of the secret before are encrypted with the new one.");
  }

  #open(sealed: SealedColumn, { row, box }: SealedBox): Buffer | undefined {
    try {
      return this.#sealerOf(sealed).openBytes(box, sealed.ownerOf(row));
    } catch {
      return undefined;
    }
  }

  get #head(): Buffer {
    return new Sealer(this.#options.secret).head;
  }

  #sealerOf({ purpose }: SealedColumn): Sealer {
    const sealer = this.#sealers.get(purpose);
    if (sealer === undefined) throw new Error(`There is no Sealer for ${purpose}.`);
    return sealer;
  }
}
