import type { Caller } from "@trunkline/core/caller.ts";
import { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import { Fault, ServiceStopping } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import { fastPriceOf } from "@trunkline/core/price.ts";
import { type Attempt, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { ReportedUsage } from "@trunkline/core/usage.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import { Redactions } from "@trunkline/guard/private-data/redactions.ts";
import { AnswerContext } from "@trunkline/guard/screen/answer-context.ts";
import { AnswerScreen, screenPart } from "@trunkline/guard/screen/screen-output.ts";
import type { CallObservation } from "@trunkline/providers/health/call-observation.ts";
import type { Services } from "../../app/services.ts";
import { explainInsufficientFunds } from "../../ledger/billing/account-funds.ts";
import { Bill } from "../../ledger/billing/bill.ts";
import { IdempotentRun } from "../../ledger/billing/idempotent-run.ts";
import { unchargedSettlement } from "../../ledger/billing/settlement.ts";
import { planRoute } from "../plan-route.ts";
import { admit, type IncomingRequest } from "../serve.ts";

/** The path under which responses are recorded. */
export const REALTIME_PATH = "/openai/v1/realtime";

/** The longest answer of a model that sets no limit, as for other models. */
const DEFAULT_OUTPUT_TOKENS = 4_096;

/** What a response of a session is made from. */
export interface ResponseInput {
  readonly services: Services;
  /** The request that opened the session: its key and its source count for every response. */
  readonly opening: Omit<IncomingRequest, "trace">;
  readonly model: Model;
  readonly inference: Inference;
  /** How many tokens the provider may count for audio, beyond the texts. */
  readonly audioTokens: number;
  /** How many of these it has heard since the response before. */
  readonly heardTokens: number;
  /** About the client's texts since the response before. */
  readonly inputVerdict: Verdict | undefined;
}

/** Why a response ended before it was done. */
export type EarlyEnd = "client" | Fault;

/** One response of a realtime session: one request on record, one charge. */
export class MeteredResponse {
  readonly caller: Caller;
  readonly #services: Services;
  readonly #trace: RequestTrace;
  readonly #bill: Bill;
  readonly #screen: AnswerScreen;
  readonly #redacts: boolean;
  readonly #model: Model;
  /** What was passed on to the client. */
  readonly #delivered = new CollectedAnswer(false);
  /** The texts so far, by their places in the answer. */
  readonly #texts = new Map<string, string>();
  readonly #toolNames = new Map<string, string>();
  readonly #observation: CallObservation;
  #isSettling = false;

  private constructor(
    { services, model, inference }: ResponseInput,
    caller: Caller,
    requestTrace: RequestTrace,
    bill: Bill,
  ) {
    const guard = services.guardFor(caller).forModel(model);
    this.caller = caller;
    this.#services = services;
    this.#trace = requestTrace;
    this.#bill = bill;
    this.#model = model;
    this.#redacts = guard.redacts;
    // The session's opening was admitted; its responses follow on the same connection.
    const options = { accountId: caller.accountId, hasSlot: false };
    this.#observation = services.providers.health.observe(model.id, options);
    this.#screen = new AnswerScreen(guard, new AnswerContext(inference, new Redactions()));
  }

  /** Admits a response as a request of its own and holds its highest cost. Throws a fault where it may not begin. */
  static async begin(input: ResponseInput): Promise<MeteredResponse> {
    const { opening, model, inference } = input;
    let { services } = input;
    const { clock } = services;
    const trace = new RequestTrace(newId(clock.now()), REALTIME_PATH, clock);
    trace.context = services.tracer?.start(trace.requestId);
    let caller: Caller | undefined;
    try {
      caller = await admit(services, { ...opening, trace }, "inference.use");
      services = services.forAccount?.(caller.accountId) ?? services;
      const { ledger } = services;
      trace.inference = inference;
      trace.inputVerdict = input.inputVerdict;
      const { requestId, receivedAt } = trace;
      const { random } = services.routing;
      const route = await planRoute(services, caller, inference, { requestId, receivedAt, random, explores: false });
      trace.route = route;
      trace.endStage("route");
      const planned = route.candidates.find((candidate) => candidate.model.id === model.id);
      if (planned === undefined)
        throw new Fault("no_model_available", "This session's model is no longer available. Open another session.");
      const candidate = withAudio(planned, input);
      const bill = await Bill.open(ledger.funds, ledger.settlementWriter, caller, trace);
      try {
        await bill.holdForFirstAffordable([candidate]);
      } catch (error) {
        await explainInsufficientFunds(ledger.store, caller.accountId, error);
      }
      trace.endStage("hold");
      trace.chosen = candidate;
      bill.startSegment(candidate, { maxTokens: inference.parameters.maxTokens });
      return new MeteredResponse(input, caller, trace, bill);
    } catch (error) {
      if (error instanceof Fault) {
        if (caller !== undefined) services.ledger.recordRefusal(unchargedSettlement(trace, caller, error));
        trace.faultType = error.type;
        services.observeRequest(trace, error.status);
      }
      throw error;
    }
  }

  /** The text of the answer so far. */
  get text(): string {
    return this.#delivered.output;
  }

  /** Counts and judges the next piece of a text, before it is passed on. Throws the refusal. */
  async readText(place: string, text: string): Promise<void> {
    if (text === "") return;
    this.#texts.set(place, (this.#texts.get(place) ?? "") + text);
    const choice = [...this.#texts.keys()].indexOf(place);
    await this.#read({ type: "text", text, choice });
  }

  /** The same for a text that is complete. Most of it, or all, has come in pieces. */
  async readWholeText(text: string): Promise<void> {
    for (const [place, known] of this.#texts) {
      if (known === text) return;
      if (known !== "" && text.startsWith(known)) return this.readText(place, text.slice(known.length));
    }
    await this.readText(`whole ${this.#texts.size}`, text);
  }

  /** Counts and judges a call of a tool, once. */
  async readToolCall(id: string, name: string, given: string): Promise<void> {
    const place = `call ${id}`;
    if (this.#texts.has(place)) return;
    this.#texts.set(place, given);
    const known = name === "" ? (this.#toolNames.get(id) ?? name) : name;
    await this.#read({ type: "tool-call", id, name: known, arguments: given });
  }

  /** Takes note of the name of a tool whose call has begun. */
  beginToolCall(id: string, name: string): void {
    this.#toolNames.set(id, name);
  }

  /** Counts a text that is not the model's. */
  countText(text: string): void {
    const part: Part = { type: "text", text };
    this.#bill.meter(part);
    this.#delivered.add(part);
  }

  /** Counts audio, which can't be judged. */
  readSpeech(tokens: number): void {
    this.#observation.firstPart();
    this.#bill.meterSpeech(tokens);
  }

  /** Judges what is left of the texts. Throws the refusal. */
  endTexts(): void {
    this.#throwRefusal(this.#screen.end());
    const { verdict } = this.#screen;
    this.#trace.outputVerdict = verdict;
    if (!this.#redacts || verdict.redacted === undefined) return;
    throw new Fault(
      "unsafe_output",
      "The model's answer was stopped: it holds values that your safety policy redacts, which is not possible in a realtime session.",
      { categories: Object.keys(verdict.acted ?? {}) },
    );
  }

  async #read(part: Part): Promise<void> {
    this.#observation.firstPart();
    this.#bill.meter(part);
    this.#throwRefusal(await screenPart(this.#screen, part));
    this.#delivered.add(part);
  }

  #throwRefusal({ refusal }: { readonly refusal: { readonly error: unknown } | undefined }): void {
    if (refusal === undefined) return;
    this.#trace.outputVerdict = this.#screen.verdict;
    throw refusal.error;
  }

  /** Charges a response that is done, by the provider's count where that is plausible. Undefined: it is settled already. */
  async finish(usage: ReportedUsage | undefined, failure?: ProviderFailure): Promise<Receipt | undefined> {
    if (this.#isSettling) return undefined;
    this.#isSettling = true;
    this.#observation.finished();
    if (failure === undefined) this.#observation.succeeded({ outputTokens: countOf(usage?.outputTokens) });
    else this.#observation.failed(failure);
    if (usage !== undefined) this.#bill.meter({ type: "usage", ...usage });
    this.#addAttempt("answered", "ok");
    const receipt = await this.#bill.settle(this.#delivered, IdempotentRun.withoutKey);
    this.#services.observeRequest(this.#trace, 200);
    return receipt;
  }

  /** Charges what was delivered. Returns the fault with its cost; undefined where there is none. */
  async endEarly(end: EarlyEnd): Promise<Fault | undefined> {
    if (this.#isSettling) return undefined;
    this.#isSettling = true;
    const isFailure = end !== "client" && end.type !== "unsafe_output" && !(end instanceof ServiceStopping);
    if (end !== "client" && (end.type === "provider_error" || end.type === "provider_timeout"))
      this.#observation.failed(
        new ProviderFailure(end.type === "provider_timeout" ? "timeout" : "broken", end.message),
      );
    else this.#observation.dispose();
    this.#addAttempt(isFailure ? "cut-off" : "answered", isFailure ? end.message : "ok");
    const ended = await this.#settleEarly(end);
    this.#services.observeRequest(this.#trace, ended?.status ?? 200);
    return ended;
  }

  async #settleEarly(end: EarlyEnd): Promise<Fault | undefined> {
    const run = IdempotentRun.withoutKey;
    if (end instanceof ServiceStopping) return this.#bill.settleStop(end, this.#delivered, run);
    if (end !== "client") return this.#bill.settleFault(end, this.#delivered, run);
    await this.#bill.settleDisconnect(this.#delivered, run);
    return undefined;
  }

  #addAttempt(outcome: Attempt["outcome"], reason: string): void {
    this.#trace.endStage("provider");
    this.#trace.attempts = [
      { model: fullNameOf(this.#model), outcome, reason, ms: this.#trace.elapsedMs, firstPartMs: undefined },
    ];
  }
}

function countOf(tokens: unknown): number | undefined {
  return typeof tokens === "number" ? tokens : undefined;
}

/** A candidate that is held for with the audio of its session, which only the provider can count. */
function withAudio(
  candidate: Candidate,
  { audioTokens, heardTokens }: Pick<ResponseInput, "audioTokens" | "heardTokens">,
): Candidate {
  const { quote } = candidate;
  const attachedTokens = quote.attachedTokens + audioTokens;
  const inputTokens = quote.inputTokens + attachedTokens;
  const { price } = quote;
  const { inputPerMillion: input, cachedInputPerMillion: cached = 0n } = price;
  const maxOutputTokens = quote.maxOutputTokens === 0 ? DEFAULT_OUTPUT_TOKENS : quote.maxOutputTokens;
  const worst = fastPriceOf(price, {
    inputTokens,
    cachedInputTokens: cached > input ? inputTokens : 0,
    cacheWriteTokens: 0,
    outputTokens: maxOutputTokens,
    images: 0,
    audioMs: 0,
  });
  return { ...candidate, quote: { ...quote, attachedTokens, heardTokens, maxOutputTokens, worst } };
}
