import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference, TaskKind } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Reading } from "@trunkline/core/prediction.ts";
import type { Health, LeftOut, Quote } from "@trunkline/core/route.ts";
import { expectedTime } from "../predict/expected-time.ts";
import { fitTask } from "../predict/fit-task.ts";
import type { Predictor } from "../predict/predictor.ts";
import { isVisible } from "./catalogue.ts";
import type { Tier, TierKind } from "./list-tiers.ts";
import type { Prospect } from "./prospect.ts";
import {
  type Demand,
  demandOf,
  type Reason,
  whyBarred,
  whyOutOfBounds,
  whyWrongType,
} from "./why-left-out.ts";

const RETRY_SECONDS = 30;

/** Which built-in model stands in for which kind of work, when no registered one can. */
const STAND_INS: Readonly<Record<TaskKind, string | undefined>> = {
  chat: "guide",
  text: "guide",
  code: "guide",
  analysis: "summary",
  image: "sketch",
  audio: "voice",
  transcription: undefined,
  embedding: "embed",
  multimodal: undefined,
};

/** A model that can't serve, as it is kept until somebody asks why. */
interface Refusal {
  readonly model: Model;
  readonly reason: Reason;
}

interface SieveInput {
  readonly healthOf: (model: Model) => Health;
  readonly quoteOf: (model: Model, inference: Inference) => Quote | undefined;
  readonly predictor: Predictor;
  readonly reading: Reading;
  readonly caller: Caller;
  readonly inference: Inference;
  readonly ticket: number;
}

/** Parts the models that can serve one request from those that can't, and remembers why not. */
export class Sieve {
  readonly #input: SieveInput;
  readonly #demand: Demand;
  readonly #taken: Model[] = [];
  /** Models that were judged because a name led to them: the same rules hold for all such tiers. */
  readonly #judgedByName = new Set<string>();
  readonly #builtins: Model[] = [];
  readonly #refused: Refusal[] = [];
  readonly #wrongType: Refusal[] = [];
  /** Models that would serve if their breakers let calls through. */
  readonly #down: Prospect[] = [];

  constructor(input: SieveInput) {
    this.#input = input;
    this.#demand = demandOf(input.inference, input.caller, input.ticket);
  }

  /** The models of a tier that can serve and that no earlier tier has taken. */
  takeFrom({ kind, models }: Tier): Prospect[] {
    const prospects: Prospect[] = [];
    const automatic = kind === "automatic";
    for (const model of models) {
      if (!isVisible(model, this.#input.caller)) continue;
      if (automatic && model.wire === "builtin") {
        this.#builtins.push(model);
        continue;
      }
      if (!automatic) {
        if (this.#isTaken(model) || this.#judgedByName.has(model.id)) continue;
        this.#judgedByName.add(model.id);
      }
      const prospect = this.#judge(model, kind);
      if (prospect === undefined) continue;
      this.#taken.push(model);
      prospects.push(prospect);
    }
    return prospects;
  }

  /** What is merely down is better than nothing: a breaker never takes away the last candidates. */
  takeLastResort(): Prospect[] {
    for (const { model } of this.#down) this.#taken.push(model);
    return this.#down;
  }

  /** A built-in model never hides an outage, so it comes after everything that is merely down. */
  takeStandIns(): Prospect[] {
    const name = STAND_INS[this.#input.inference.task.kind];
    return this.takeFrom({
      kind: "built-in",
      models: this.#builtins.filter((model) => model.name === name),
    });
  }

  /** What can't serve, each model once, the instructive cases first. In words, so only for those who ask. */
  leftOut(): LeftOut[] {
    const reasons = new Map<string, string>();
    for (const refusal of this.#refused) reasons.set(fullNameOf(refusal.model), wordsOf(refusal));
    for (const refusal of this.#wrongType) reasons.set(fullNameOf(refusal.model), wordsOf(refusal));
    for (const model of this.#builtins) reasons.set(fullNameOf(model), WHY_BUILTIN);
    // A model that was left out at first may still be taken: because a fallback names it, or as the last resort.
    for (const model of this.#taken) reasons.delete(fullNameOf(model));
    return Array.from(reasons, ([model, reason]) => ({ model, reason }));
  }

  /** The refusal of a request that no model can serve. */
  nothingLeft(): Fault {
    const { inference } = this.#input;
    // Of an automatic request nobody wants to read about every image model that can't chat.
    const telling = inference.model === undefined ? this.#refused : [...this.#refused, ...this.#wrongType];
    const shown = telling.slice(0, 3).map((refusal) => `${fullNameOf(refusal.model)}: ${wordsOf(refusal)}`);
    const message =
      shown.length === 0
        ? `No registered model ${this.#demand.attached ? "takes attachments" : `fits the task "${inference.task.word}"`}.`
        : `No model can serve this request. ${shown.join("; ")}.`;
    return new Fault("no_model_available", message, { retryAfterSeconds: RETRY_SECONDS });
  }

  #judge(model: Model, tier: TierKind): Prospect | undefined {
    const wrongType = whyWrongType(model, tier, this.#demand);
    if (wrongType !== undefined) {
      this.#wrongType.push({ model, reason: wrongType });
      return undefined;
    }
    const barred = whyBarred(model, tier, this.#demand);
    if (barred !== undefined) return this.#refuse(model, barred);

    const { inference, predictor, reading, caller } = this.#input;
    const quote = this.#input.quoteOf(model, inference);
    if (quote === undefined)
      return this.#refuse(model, "its price is not known, so that it can't be paid for");
    const health = this.#input.healthOf(model);
    const fit = fitTask(model, inference.task);
    const prediction = predictor.predict(model, reading, fit, caller.accountId);
    const time = expectedTime(model, health, quote);
    const prospect = { model, quote, health, fit, prediction, time, tier };
    const outOfBounds = whyOutOfBounds(prospect, inference);
    if (outOfBounds !== undefined) return this.#refuse(model, outOfBounds);

    // Last, so that the list holds exactly the models that would serve if they were up.
    if (!health.available) {
      this.#down.push(prospect);
      return this.#refuse(model, "it failed repeatedly or asked for a pause, and is not called for a moment");
    }
    return prospect;
  }

  #refuse(model: Model, reason: Reason): undefined {
    this.#refused.push({ model, reason });
    return undefined;
  }

  #isTaken({ id }: Model): boolean {
    return this.#taken.some((model) => model.id === id);
  }
}

const WHY_BUILTIN = "built-in models serve automatic requests only when no other model can";

function wordsOf({ reason }: Refusal): string {
  return typeof reason === "string" ? reason : reason();
}
