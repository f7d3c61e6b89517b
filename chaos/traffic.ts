import { setTimeout as wait } from "node:timers/promises";
import type { ClientLog, ClientRecord } from "./client-log.ts";
import type { Dice } from "./dice.ts";
import { exchange, type Order } from "./exchange.ts";
import type { Wishes } from "./provider.ts";
import type { Customer, Testbed } from "./testbed.ts";

/** How often which kind of request is sent. */
const MIX = { plain: 4, stream: 3, failover: 2, failing: 1, idempotent: 4, "hang-up": 2 };
type Kind = keyof typeof MIX;

/** How long a client repeats an idempotent request before it counts as never answered. */
const PATIENCE_MS = 300_000;
const RETRY_MS = [20, 250] as const;
const THINK_MS = [0, 40] as const;
const LOOK_MS = 20;

interface Visit {
  readonly kind: Kind;
  readonly ticket: string;
  readonly customer: Customer;
  readonly path: string;
  readonly body: unknown;
  readonly idempotencyKey?: string;
  readonly leave?: Order["leave"];
}

/** Clients that send every kind of request, each as fast as it is answered, and record the answers. */
export class Traffic {
  readonly #testbed: Testbed;
  readonly #customers: readonly [Customer, ...Customer[]];
  readonly #log: ClientLog;
  readonly #dice: Dice;
  #clients: Promise<void>[] = [];
  #isStopped = false;

  constructor(site: {
    readonly testbed: Testbed;
    readonly customers: readonly [Customer, ...Customer[]];
    readonly log: ClientLog;
    readonly dice: Dice;
  }) {
    this.#testbed = site.testbed;
    this.#customers = site.customers;
    this.#log = site.log;
    this.#dice = site.dice;
  }

  start(clients: number): void {
    this.#clients = Array.from({ length: clients }, (_, index) => {
      const name = lettersOf(index);
      return this.#beClient(name, this.#dice.fork(`client ${name}`));
    });
  }

  /** No new visits. Resolves when every client has been answered or has given up. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #beClient(name: string, dice: Dice): Promise<void> {
    for (let count = 0; !this.#isStopped; count++) {
      const visit = this.#draw(`ticket-${name}-${lettersOf(count)}`, dice);
      if (visit.idempotencyKey === undefined) await this.#send(visit, dice);
      else await this.#insist(visit, dice);
      await wait(dice.between(...THINK_MS));
    }
  }

  #draw(ticket: string, dice: Dice): Visit {
    const kind = dice.weighted(MIX);
    const path = kind === "stream" || dice.chance(0.3) ? "/v1/stream" : "/v1/ai/request";
    const canFail = kind === "failover" || kind === "failing" || (kind === "idempotent" && dice.chance(0.3));
    const wishes: Wishes = {
      ticket,
      words: dice.whole(1, 40),
      pause_ms: dice.whole(0, 25),
      usage: dice.chance(0.8),
      ...(canFail && (kind === "failing" || dice.chance(0.5))
        ? { fail: dice.pick(["status", "hang-up", "nonsense"] as const) }
        : {}),
    };
    const leave = dice.chance(0.5) ? { afterPieces: dice.whole(1, 10) } : { afterMs: dice.between(0, 150) };
    return {
      kind,
      ticket,
      customer: dice.pick(this.#customers),
      path,
      body: {
        task: "chat",
        input: `Please write a few words for ${ticket}.`,
        model: canFail ? "flaky" : "steady",
        ...(canFail && kind !== "failing" ? { fallbacks: ["steady"] } : {}),
        parameters: { max_tokens: 300, ...wishes },
      },
      ...(kind === "idempotent" ? { idempotencyKey: ticket } : {}),
      ...(kind === "hang-up" ? { leave } : {}),
    };
  }

  /** Sends one until it is answered; and then once more, as the answer must be the same for ever. */
  async #insist(visit: Visit, dice: Dice): Promise<void> {
    for (let answers = 0; answers < 2; answers++) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        const record = await this.#send(visit, dice);
        if (record !== undefined && isFinal(record)) break;
        if (performance.now() > deadline) {
          this.#log.givenUp.push(visit.ticket);
          return;
        }
        await wait(dice.between(...RETRY_MS));
      }
    }
  }

  /** Sends it to one of the instances that are up, if any. */
  async #send(visit: Visit, dice: Dice): Promise<ClientRecord | undefined> {
    const { kind, ticket, customer, path, body, idempotencyKey, leave } = visit;
    const [first, ...others] = this.#testbed.up;
    if (first === undefined) {
      await wait(LOOK_MS);
      return undefined;
    }
    const instance = dice.pick([first, ...others]);
    const sentAt = performance.now();
    const ending = await exchange(this.#testbed.agent, {
      url: instance.url,
      method: "POST",
      path,
      key: customer.key,
      body,
      ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
      ...(leave === undefined ? {} : { leave }),
    });
    const sending = {
      kind,
      ticket,
      accountId: customer.id,
      instance: instance.name,
      path,
      idempotencyKey,
      sentAt,
    };
    return this.#log.note(sending, ending);
  }
}

/** Whether a client has its answer. Otherwise it was cut off, or refused for now. */
function isFinal({ outcome, status }: ClientRecord): boolean {
  return outcome === "answered" && status !== 409 && status !== 503;
}

/** A number in letters: digits in a prompt could be taken for private data. */
function lettersOf(count: number): string {
  const letter = String.fromCharCode(97 + (count % 26));
  return count < 26 ? letter : lettersOf(Math.floor(count / 26) - 1) + letter;
}
