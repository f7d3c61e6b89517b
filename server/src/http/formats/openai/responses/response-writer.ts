import type { FinishPart, Part } from "@trunkline/core/answer.ts";
import type { Fault } from "@trunkline/core/fault.ts";
import type { RequestTrace } from "@trunkline/core/journal.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import { type Fields, readObject } from "../../../requests/fields.ts";
import { toOpenAiError } from "../dialect.ts";
import { identifyResponse, type ResponseIdentity } from "../identify-answer.ts";
import { OutputItemWriter, type ResponseEvent } from "./item-writer.ts";
import type { ResponseObject } from "./response-shown.ts";
import { toResponseObject } from "./show-response.ts";

/** Makes a response of the parts of an answer, step by step. A whole one is what it is after the last step. */
export class ResponseWriter {
  readonly #identity: ResponseIdentity;
  readonly #asked: Fields;
  readonly #items: OutputItemWriter;
  #hasStarted = false;
  #finish: FinishPart["reason"] | undefined;
  #sent = 0;

  constructor(requestTrace: RequestTrace, asked: unknown, receipt?: Receipt) {
    this.#identity = identifyResponse("resp", requestTrace, receipt);
    this.#asked = readObject(asked, "");
    this.#items = new OutputItemWriter(this.#identity.id.slice("resp-".length));
  }

  /** The events of one part, numbered. */
  *write(part: Part | Receipt): Generator<ResponseEvent> {
    for (const responseEvent of this.#eventsOf(part)) yield this.#number(responseEvent);
  }

  /** The events of an answer that broke off. */
  *fail(fault: Fault): Generator<ResponseEvent> {
    const { error } = toOpenAiError(fault);
    const { code, message, param } = error;
    for (const responseEvent of [...this.#start(), ...this.#items.close("incomplete")])
      yield this.#number(responseEvent);
    const response = toResponseObject(this.#identity, this.#asked, {
      status: "failed",
      output: this.#items.output,
      error: { code, message },
    });
    yield this.#number({ type: "response.failed", response });
    // Some clients look for the error at the top of an event, some below.
    yield this.#number({ type: "error", code, message, param, error });
  }

  /** The whole response. */
  finish(receipt: Receipt): ResponseObject {
    return toResponseObject(this.#identity, this.#asked, {
      status: this.#isIncomplete ? "incomplete" : "completed",
      output: this.#items.output,
      finish: this.#finish,
      receipt,
    });
  }

  *#eventsOf(part: Part | Receipt): Generator<ResponseEvent> {
    yield* this.#start();
    // There is one answer on this wire.
    if ("choice" in part && (part.choice ?? 0) > 0) return;
    switch (part.type) {
      case "text":
        return yield* this.#items.text(part);
      case "thinking":
        return yield* this.#items.thinking(part);
      case "tool-call":
        return yield* this.#items.call(part);
      case "logprobs":
        return this.#items.logprobs(part);
      case "finish":
        this.#finish = part.reason;
        return;
      case "receipt": {
        yield* this.#items.close(this.#isIncomplete ? "incomplete" : "completed");
        const response = this.finish(part);
        yield { type: `response.${response.status}`, response };
      }
    }
  }

  *#start(): Generator<ResponseEvent> {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const response = toResponseObject(this.#identity, this.#asked, { status: "in_progress", output: [] });
    yield { type: "response.created", response };
    yield { type: "response.in_progress", response };
  }

  get #isIncomplete(): boolean {
    return this.#finish === "length" || this.#finish === "refused";
  }

  #number(responseEvent: ResponseEvent): ResponseEvent {
    const numbered = { ...responseEvent, sequence_number: this.#sent };
    this.#sent += 1;
    return numbered;
  }
}
