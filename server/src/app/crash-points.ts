import { writeSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { type Adapter, type ProviderCall, partsOf } from "@trunkline/core/adapter.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Hold } from "../ledger/billing/account-funds.ts";
import { type CrashPlan, type CrashPoint, CrashSchedule } from "./config/crash-plan.ts";
import type { Services } from "./services.ts";

/** Kills the process at a point. `requestIds` are the requests that it interrupts, where they are known. */
export type Crash = (point: CrashPoint, requestIds: readonly string[]) => void;

/** A crash in a stream comes after one of its first pieces, up to this number. */
const PIECES = 5;
/** A commit takes a few milliseconds. A crash within them leaves open whether it took place. */
const OPEN_MS = 6;
const UNSENT_SHARE = 0.3;

/** A testing tool: the same services, which kill the process at named points. Used only if TRUNKLINE_CRASH_POINTS is set. */
export function withCrashPoints(services: Services, plan: CrashPlan, crash: Crash = killSelf): Services {
  const draws = new CrashSchedule(plan, services.clock);
  const strike = (point: CrashPoint, ...requestIds: string[]) => {
    if (draws.strikes(point)) crash(point, requestIds);
  };

  const withStrikes = (original: Services): Services => ({
    ...original,
    ledger: withLedgerCrashPoints(original.ledger, draws, strike, crash),
    providers: {
      ...original.providers,
      adapterFor: (model) => withAdapterCrashPoints(original.providers.adapterFor(model), draws, crash),
    },
  });
  const { forAccount } = services;
  if (forAccount === undefined) return withStrikes(services);
  // Each cluster has services of its own.
  const placed = new Map<Services, Services>();
  return {
    ...withStrikes(services),
    forAccount: (accountId) => {
      const original = forAccount(accountId);
      const known = placed.get(original) ?? withStrikes(original);
      placed.set(original, known);
      return known;
    },
  };
}

function withLedgerCrashPoints(
  ledger: Services["ledger"],
  draws: CrashSchedule,
  strike: (point: CrashPoint, ...requestIds: string[]) => void,
  crash: Crash,
): Services["ledger"] {
  const { store, settlementWriter, funds } = ledger;
  const write = store.write.bind(store);
  // Changed in place, as the settlement writer has its own reference to the store.
  store.write = async (batch) => {
    const outcome = write(batch);
    if (draws.strikes("inside-transaction")) {
      outcome.catch(() => undefined);
      // An immediate crash may come before the statement is sent. A turn later the server has it and may commit it.
      if (draws.share("inside-transaction") > UNSENT_SHARE) {
        await nextTurn();
        await wait(draws.share("inside-transaction") * OPEN_MS);
      }
      crash(
        "inside-transaction",
        batch.map(({ requestId }) => requestId),
      );
    }
    return outcome;
  };
  return {
    ...ledger,
    funds: withMethods(funds, {
      openHold: async (caller, at) => {
        const hold = await funds.openHold(caller, at);
        return withMethods<Hold>(hold, {
          raiseTo: async (amount) => {
            const outcome = await hold.raiseTo(amount);
            if (outcome === "held") strike("after-hold");
            return outcome;
          },
        });
      },
    }),
    settlementWriter: withMethods(settlementWriter, {
      queue: (queued) =>
        settlementWriter.queue(
          withMethods(queued, {
            resolve: (written) => {
              strike("after-commit", queued.settlement.requestId);
              queued.resolve(written);
            },
          }),
        ),
    }),
  };
}

/** An adapter that may kill the process during its calls. */
function withAdapterCrashPoints(adapter: Adapter, draws: CrashSchedule, crash: Crash): Adapter {
  async function* call(order: ProviderCall): AsyncGenerator<readonly Part[]> {
    const ids = [order.requestId];
    if (draws.strikes("before-connect")) crash("before-connect", ids);
    const lastPiece =
      order.inference.streaming && draws.strikes("mid-stream")
        ? 1 + Math.floor(draws.share("mid-stream") * PIECES)
        : undefined;
    let pieces = 0;
    for await (const part of partsOf(adapter.call(order))) {
      // Checked before the part is passed on, as the reader asks for nothing after the finish.
      if (part.type === "finish" && draws.strikes("provider-ended")) crash("provider-ended", ids);
      yield [part];
      if (part.type === "text" && ++pieces === lastPiece) crash("mid-stream", ids);
    }
  }
  return { call };
}

/** The same object with other `methods`. The rest run on the original, as a copy would lack its private fields. */
function withMethods<Kind extends object>(original: Kind, methods: Partial<Kind>): Kind {
  return new Proxy(original, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Writes one log line that names the point, flushes nothing else and kills the process. */
function killSelf(point: CrashPoint, requestIds: readonly string[]): void {
  writeSync(2, `${JSON.stringify({ crashPoint: point, requestIds })}\n`);
  process.kill(process.pid, "SIGKILL");
}
