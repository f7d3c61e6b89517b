import { writeSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { Adapter, ProviderCall } from "@trunkline/core/adapter.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Hold } from "../ledger/billing/account-funds.ts";
import { type CrashPlan, type CrashPoint, CrashSchedule } from "./config/crash-plan.ts";
import type { Services } from "./services.ts";

/** Ends the process there and then. `requestIds` are those whose fate it decides, where they are known. */
export type Crash = (point: CrashPoint, requestIds: readonly string[]) => void;

/** A stream dies after one of its first pieces. */
const PIECES = 5;
/** A commit takes a few milliseconds: a death within them leaves its outcome open, one way or the other. */
const OPEN_MS = 6;
const UNSENT_SHARE = 0.3;

/** A testing tool: the same services, which kill the process at named points. Used only where the plan's variable is set. */
export function withCrashPoints(services: Services, plan: CrashPlan, crash: Crash = killSelf): Services {
  const draws = new CrashSchedule(plan, services.clock);
  const strike = (point: CrashPoint, ...requestIds: string[]) => {
    if (draws.strikes(point)) crash(point, requestIds);
  };

  const { ledger, settlementWriter, accountFunds } = services;
  const write = ledger.write.bind(ledger);
  // Changed in place, as the settlementWriter has its own hold of the ledger.
  ledger.write = async (batch) => {
    const outcome = write(batch);
    if (draws.strikes("inside-transaction")) {
      outcome.catch(() => undefined);
      // A death at once may be too early for the statement to leave; a turn later the server has it and may commit it.
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
    ...services,
    accountFunds: withMethods(accountFunds, {
      openHold: async (caller, at) => {
        const hold = await accountFunds.openHold(caller, at);
        return withMethods<Hold>(hold, {
          raiseTo: async (amount) => {
            const outcome = await hold.raiseTo(amount);
            if (outcome === "held") strike("after-hold");
            return outcome;
          },
        });
      },
    }),
    adapterFor: (model) => withAdapterCrashPoints(services.adapterFor(model), draws, crash),
    settlementWriter: withMethods(settlementWriter, {
      write: async (settlement) => {
        const writeResult = await settlementWriter.write(settlement);
        strike("after-commit", settlement.requestId);
        return writeResult;
      },
    }),
  };
}

/** An adapter whose calls may be the last thing that the process does. */
function withAdapterCrashPoints(adapter: Adapter, draws: CrashSchedule, crash: Crash): Adapter {
  async function* call(order: ProviderCall): AsyncGenerator<Part> {
    const ids = [order.requestId];
    if (draws.strikes("before-connect")) crash("before-connect", ids);
    const lastPiece =
      order.inference.streaming && draws.strikes("mid-stream")
        ? 1 + Math.floor(draws.share("mid-stream") * PIECES)
        : undefined;
    let pieces = 0;
    for await (const part of adapter.call(order)) {
      // Checked before the part is passed on, as the reader asks for nothing after the finish.
      if (part.type === "finish" && draws.strikes("provider-ended")) crash("provider-ended", ids);
      yield part;
      if (part.type === "text" && ++pieces === lastPiece) crash("mid-stream", ids);
    }
  }
  return { call };
}

/** The same object but for these methods. The others run on the object itself, whose private fields no copy has. */
function withMethods<Kind extends object>(original: Kind, methods: Partial<Kind>): Kind {
  return new Proxy(original, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Nothing is flushed, except for one log line that names the point. */
function killSelf(point: CrashPoint, requestIds: readonly string[]): void {
  writeSync(2, `${JSON.stringify({ crashPoint: point, requestIds })}\n`);
  process.kill(process.pid, "SIGKILL");
}
