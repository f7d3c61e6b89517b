import type { Caller } from "@trunkline/core/caller.ts";
import { Fault, ServiceStopping } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { type JsonObject, objectField } from "@trunkline/core/json-object.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { VerdictTally } from "@trunkline/guard/policy/verdict-tally.ts";
import { screenInput } from "@trunkline/guard/screen/screen-input.ts";
import { CLOSE_CODES, type EventSocket } from "@trunkline/providers/realtime/event-socket.ts";
import type { Services } from "../../app/services.ts";
import { unchargedSettlement } from "../../ledger/billing/settlement.ts";
import {
  audioDeltaOf,
  begunCallOf,
  failureOf,
  itemIdOf,
  readProviderEvent,
  responseIdOf,
  textDeltaOf,
  toReportedUsage,
  transcriptOf,
  wholePiecesOf,
  withCost,
} from "./answer-event.ts";
import { audioBytesOf, type ClientEvent, contentOf, type EventContent, readClientEvent } from "./client-event.ts";
import { type EarlyEnd, MeteredResponse, REALTIME_PATH, type ResponseInput } from "./metered-response.ts";
import { SessionContext } from "./session-context.ts";

/** How often the session's times are looked at. More often where a limit is shorter. */
const CHECK_MS = 1_000;
/** How many responses of one session may run at once. */
const RESPONSES_MAX = 8;

/** What a session is made from. */
export interface SessionInput extends Pick<ResponseInput, "services" | "opening" | "model"> {
  readonly caller: Caller;
  readonly client: EventSocket;
  readonly provider: EventSocket;
  /** An error as the client reads it, with the id of the event that it answers. */
  readonly toErrorEvent: (fault: Fault, eventId: string | undefined) => string;
}

/** A response that the client asked for and the provider has not begun. */
interface AskedResponse {
  readonly eventId: string;
  readonly response: MeteredResponse;
}

/**
 * Passes events between a client and a realtime model. The client's texts are judged before they are passed on, the
 * model's while they are; each response is held for before it begins and charged when it ends, however it ends.
 */
export class RealtimeSession {
  readonly #services: Services;
  readonly #opening: SessionInput["opening"];
  readonly #model: Model;
  readonly #client: EventSocket;
  readonly #provider: EventSocket;
  readonly #toErrorEvent: SessionInput["toErrorEvent"];
  readonly #context: SessionContext;
  #caller: Caller;
  #inputVerdicts: VerdictTally | undefined;
  readonly #asked: AskedResponse[] = [];
  readonly #running = new Map<string, MeteredResponse>();
  /** Responses of which nothing more is passed on, and the items that belong to responses. */
  readonly #stopped = new Set<string>();
  readonly #responseOfItem = new Map<string, string>();
  #beganMs = 0;
  #lastEventMs = 0;
  #lastProviderEventMs = 0;
  #check: NodeJS.Timeout | undefined;
  #stopsWhenIdle = false;
  #ending: Promise<void> | undefined;
  #onEnded: () => void = () => undefined;

  constructor({ services, opening, model, caller, client, provider, toErrorEvent }: SessionInput) {
    this.#services = services;
    this.#opening = opening;
    this.#model = model;
    this.#caller = caller;
    this.#client = client;
    this.#provider = provider;
    this.#toErrorEvent = toErrorEvent;
    this.#context = new SessionContext(fullNameOf(model));
  }

  /** Resolves when both connections are closed and every response is settled. */
  async run(): Promise<void> {
    this.#beganMs = this.#lastEventMs = this.#lastProviderEventMs = this.#services.clock.monotonicMs();
    const { realtimeSessionMs, realtimeIdleMs } = this.#services.config.limits;
    const checkMs = Math.min(CHECK_MS, realtimeSessionMs, realtimeIdleMs, this.#model.limits.silenceMs);
    this.#check = setInterval(() => this.#checkTimes(), checkMs);
    const ended = new Promise<void>((resolve) => {
      this.#onEnded = resolve;
    });
    const closed = Promise.all([
      new Promise<void>((resolve) => {
        this.#client.read(
          (text) => this.#guarded(() => this.#onClientEvent(text)),
          () => {
            this.#end("client", CLOSE_CODES.normal);
            resolve();
          },
        );
      }),
      new Promise<void>((resolve) => {
        this.#provider.read(
          (text) => this.#guarded(() => this.#onProviderEvent(text)),
          (code) => {
            this.#onProviderClosed(code);
            resolve();
          },
        );
      }),
    ]);
    await ended;
    await Promise.all([this.#ending, closed]);
  }

  /** Ends the session at once: the service stops. */
  stop(): void {
    this.#end(new ServiceStopping(), CLOSE_CODES.goingAway);
  }

  /** Ends the session when none of its responses runs. */
  stopWhenIdle(): void {
    this.#stopsWhenIdle = true;
    if (this.#asked.length + this.#running.size === 0) this.stop();
  }

  /** An error that is no fault is a bug: it ends the session. */
  async #guarded(handle: () => Promise<void>): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#lastEventMs = this.#services.clock.monotonicMs();
    try {
      await handle();
    } catch (error) {
      const isFault = error instanceof Fault;
      if (!isFault) this.#services.log.error({ error }, "Unexpected error in a realtime session.");
      const fault = isFault ? error : new Fault("internal", "Something went wrong on our side. Open another session.");
      this.#end(fault, CLOSE_CODES.internalError);
    }
    if (this.#stopsWhenIdle) this.stopWhenIdle();
  }

  async #onClientEvent(text: string): Promise<void> {
    let event: ClientEvent | undefined;
    try {
      event = readClientEvent(text);
      const content = contentOf(event);
      // Pieces of audio come many times per second, and hold no text.
      if (event.type !== "input_audio_buffer.append") await this.#judge(event, content);
      if (event.type === "response.create") return await this.#ask(event, content);
      this.#context.apply(event, content);
      await this.#provider.send(JSON.stringify(event.fields));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await this.#client.send(this.#toErrorEvent(error, event?.id));
    }
  }

  /** Judges the texts of an event by the caller's policy. Throws the refusal, which is recorded. */
  async #judge(event: ClientEvent, content: EventContent): Promise<void> {
    const { clock, ledger, observeRequest } = this.#services;
    const guard = this.#services.guardFor(this.#caller).forModel(this.#model);
    const inference = this.#context.inferenceOf(content);
    const trace = new RequestTrace(newId(clock.now()), REALTIME_PATH, clock);
    trace.inference = inference;
    try {
      const { redactions } = await screenInput(guard, inference, (verdict, safe) => {
        trace.inputVerdict = verdict;
        trace.inference = safe;
      });
      if (!redactions.isEmpty)
        throw new Fault(
          "unsafe_input",
          "The input was refused: it holds values that your safety policy redacts, which is not possible in a realtime session. Leave them out.",
          { categories: Object.keys(trace.inputVerdict?.acted ?? {}), param: event.type },
        );
      this.#inputVerdicts ??= new VerdictTally();
      if (trace.inputVerdict !== undefined) this.#inputVerdicts.add({ ...trace.inputVerdict, spans: [] }, 0);
    } catch (error) {
      if (error instanceof Fault) {
        trace.endStage("screen");
        ledger.recordRefusal(unchargedSettlement(trace, this.#caller, error));
        trace.faultType = error.type;
        observeRequest(trace, error.status);
      }
      throw error;
    }
  }

  /** Holds for a response and asks the provider for it. */
  async #ask(event: ClientEvent, content: EventContent): Promise<void> {
    const eventId = event.id ?? `event_${newId(this.#services.clock.now())}`;
    const response = await this.#begin(this.#context.nextInference(event, content), this.#context.takeHeardTokens());
    if (response === undefined) return;
    this.#asked.push({ eventId, response });
    await this.#provider.send(JSON.stringify({ ...event.fields, event_id: eventId }));
  }

  /** Holds for a response. Undefined where the session ended meanwhile. Throws a fault where it may not begin. */
  async #begin(inference: Inference, heardTokens: number): Promise<MeteredResponse | undefined> {
    if (this.#asked.length + this.#running.size >= RESPONSES_MAX)
      throw new Fault("rate_limited", `A session may have ${RESPONSES_MAX} responses at once.`);
    const response = await MeteredResponse.begin({
      services: this.#services,
      opening: this.#opening,
      model: this.#model,
      inference,
      audioTokens: this.#context.audioTokens,
      heardTokens,
      inputVerdict: this.#inputVerdicts?.verdict(),
    });
    this.#inputVerdicts = undefined;
    this.#caller = response.caller;
    if (this.#ending === undefined) return response;
    await response.endEarly("client");
    return undefined;
  }

  async #onProviderEvent(text: string): Promise<void> {
    this.#lastProviderEventMs = this.#services.clock.monotonicMs();
    const event = readProviderEvent(text);
    if (event === undefined) return;
    const itemId = itemIdOf(event);
    const ofItem = itemId === undefined ? undefined : this.#responseOfItem.get(itemId);
    const responseId = responseIdOf(event) ?? ofItem;
    const transcript = transcriptOf(event);
    if (transcript !== undefined) return this.#onTranscript(event, transcript, text);
    if (responseId === undefined) {
      this.#context.noteSpeech(event);
      if (event.type === "error") await this.#releaseRefused(event);
      await this.#client.send(text);
      return;
    }
    if (itemId !== undefined) this.#responseOfItem.set(itemId, responseId);
    if (event.type === "response.created") await this.#start(responseId);
    const response = this.#running.get(responseId);
    if (this.#stopped.has(responseId) || this.#ending !== undefined) return;
    if (response === undefined) {
      // An item of a response that is done may be read again. A response that never began is not passed on.
      if (responseIdOf(event) === undefined) await this.#client.send(text);
      return;
    }
    try {
      await this.#read(response, event);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return await this.#stopResponse(responseId, response, error);
    }
    if (event.type === "response.done") {
      this.#running.delete(responseId);
      this.#context.addMessage({ role: "assistant", content: [{ type: "text", text: response.text }] });
      const done = objectField(event, "response");
      const receipt = await response.finish(toReportedUsage(done.usage), failureOf(done));
      if (receipt !== undefined) return this.#client.send(JSON.stringify(withCost(event, toCredits(receipt.cost))));
    }
    await this.#client.send(text);
  }

  /**
   * The provider has written down what the user said, which is work of its own: one more request on record. The text is
   * judged as the user's; the speech itself has reached the provider by then.
   */
  async #onTranscript(event: JsonObject, transcript: string, text: string): Promise<void> {
    try {
      const response = await this.#begin(this.#context.transcriptInference(), this.#context.heardTokens);
      if (response === undefined) return;
      response.countText(transcript);
      await response.finish(toReportedUsage(event.usage));
      const item = { type: "message", role: "user", content: [{ type: "input_text", text: transcript }] };
      const said = { type: "conversation.item.create", id: undefined, fields: { item } };
      await this.#judge(said, contentOf(said));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await this.#client.send(this.#toErrorEvent(error, undefined));
      for (const id of error.type === "unsafe_input" ? [...this.#running.keys()] : []) await this.#stopById(id, error);
      return;
    }
    await this.#client.send(text);
  }

  /** A response has begun: one that the client asked for, or one that the provider begins when it has heard a question. */
  async #start(responseId: string): Promise<void> {
    if (this.#running.has(responseId)) return;
    try {
      const response =
        this.#asked.shift()?.response ??
        (await this.#begin(this.#context.nextInference(), this.#context.takeHeardTokens()));
      if (response !== undefined) this.#running.set(responseId, response);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await this.#cancel(responseId, error);
    }
  }

  /** Counts and judges what an event says, before it is passed on. */
  async #read(response: MeteredResponse, event: JsonObject): Promise<void> {
    const audio = audioDeltaOf(event);
    if (audio !== undefined) return response.readSpeech(this.#context.addSpeech(audioBytesOf(audio)));
    const call = begunCallOf(event);
    if (call !== undefined) response.beginToolCall(call.id, call.name);
    const delta = textDeltaOf(event);
    if (delta !== undefined) return response.readText(delta.place, delta.text);
    const pieces = wholePiecesOf(event);
    for (const piece of pieces) {
      if (piece.type === "text") await response.readWholeText(piece.text);
      else await response.readToolCall(piece.id, piece.name, piece.given);
    }
    if (pieces.length > 0 || event.type === "response.done") response.endTexts();
  }

  /** Ends a response to something that was refused. What was delivered of it is charged. */
  async #stopById(responseId: string, fault: Fault): Promise<void> {
    const response = this.#running.get(responseId);
    if (response !== undefined) await this.#stopResponse(responseId, response, fault);
  }

  /** Ends a response whose text was refused. What the provider made of it is charged. */
  async #stopResponse(responseId: string, response: MeteredResponse, fault: Fault): Promise<void> {
    this.#running.delete(responseId);
    const charged = await response.endEarly(fault);
    await this.#cancel(responseId, charged ?? fault);
  }

  async #cancel(responseId: string, fault: Fault): Promise<void> {
    this.#stopped.add(responseId);
    await this.#provider.send(JSON.stringify({ type: "response.cancel", response_id: responseId }));
    await this.#client.send(this.#toErrorEvent(fault, undefined));
  }

  /** The provider refused an event. Where that asked for a response, nothing is charged for it. */
  async #releaseRefused(event: JsonObject): Promise<void> {
    const { event_id: eventId, message } = objectField(event, "error");
    const place = this.#asked.findIndex((asked) => asked.eventId === eventId);
    const [asked] = place === -1 ? [] : this.#asked.splice(place, 1);
    const said = typeof message === "string" ? message.slice(0, 200) : "no reason";
    await asked?.response.endEarly(new Fault("provider_error", `The provider refused the response: ${said}`));
  }

  #onProviderClosed(code: number): void {
    const isCalm = code === CLOSE_CODES.normal && this.#asked.length + this.#running.size === 0;
    if (isCalm) this.#end("client", CLOSE_CODES.normal);
    else
      this.#end(
        new Fault("provider_error", "The provider closed the connection. What was delivered is charged."),
        CLOSE_CODES.internalError,
      );
  }

  #checkTimes(): void {
    const nowMs = this.#services.clock.monotonicMs();
    const { silenceMs } = this.#model.limits;
    const { realtimeSessionMs, realtimeIdleMs } = this.#services.config.limits;
    if (this.#asked.length + this.#running.size > 0 && nowMs - this.#lastProviderEventMs > silenceMs) {
      // A response that was asked for a moment ago is not late.
      if (nowMs - this.#lastEventMs <= silenceMs) return;
      const fault = new Fault("provider_timeout", "The provider sent nothing in time. What was delivered is charged.");
      this.#end(fault, CLOSE_CODES.internalError);
    } else if (nowMs - this.#lastEventMs > realtimeIdleMs) this.#end("client", CLOSE_CODES.normal);
    else if (nowMs - this.#beganMs > realtimeSessionMs) {
      const minutes = Math.round(realtimeSessionMs / 6_000) / 10;
      const said = `This session has lasted ${minutes} minutes, which is the longest. What was delivered is charged. Open another one.`;
      this.#end(new Fault("request_timeout", said), CLOSE_CODES.goingAway);
    }
  }

  /** Closes both connections and settles what runs. Only the first end counts. */
  #end(end: EarlyEnd, code: number): void {
    if (this.#ending !== undefined) return;
    clearInterval(this.#check);
    this.#ending = this.#settleAll(end, code);
    this.#onEnded();
  }

  async #settleAll(end: EarlyEnd, code: number): Promise<void> {
    const open = [...this.#asked.splice(0).map(({ response }) => response), ...this.#running.values()];
    this.#running.clear();
    this.#provider.close(CLOSE_CODES.normal, "");
    const settled = await Promise.allSettled(open.map((response) => response.endEarly(end)));
    for (const result of settled)
      if (result.status === "rejected" && !(result.reason instanceof Fault))
        this.#services.log.error({ error: result.reason }, "Unexpected error while a response was settled.");
    if (end !== "client" && !(end instanceof ServiceStopping))
      void this.#client.send(this.#toErrorEvent(end, undefined));
    this.#client.close(code, end === "client" ? "" : end.type);
  }
}
