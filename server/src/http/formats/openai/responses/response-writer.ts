import type { FinishPart, Part } from "@trunkline/core/answer.ts";
import type { Fault } from "@trunkline/core/fault.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import { type Fields, readObject } from "../../../requests/fields.ts";
import { openAiErrorOf } from "../dialect.ts";
import { type AnswerIdentity, identifyAnswer } from "../identify-answer.ts";
import { type Event, ItemWriter } from "./item-writer.ts";
import type { ResponseShown } from "./response-shown.ts";
import { showResponse } from "./show-response.ts";

/** Makes a response of the parts of an answer, step by step. A whole one is what it is after the last step. */
export class ResponseWriter {
  readonly #identity: AnswerIdentity;
  readonly #asked: Fields;
  readonly #items: ItemWriter;
  #hasBegun = false;
  #finish: FinishPart["reason"] | undefined;
  #sent = 0;

  constructor(journal: Journal, asked: unknown, receipt?: Receipt) {
    this.#identity = identifyAnswer("resp", journal, receipt);
    this.#asked = readObject(asked, "");
    this.#items = new ItemWriter(this.#identity.id.slice("resp-".length));
  }

  /** The events of one part, numbered. */
  *write(part: Part | Receipt): Generator<Event> {
    for (const event of this.#eventsOf(part)) yield this.#number(event);
  }

  /** The events of an answer that broke off. */
  *fail(fault: Fault): Generator<Event> {
    const { error } = openAiErrorOf(fault);
    const { code, message, param } = error;
    for (const event of [...this.#begin(), ...this.#items.close("incomplete")]) yield this.#number(event);
    const response = showResponse(this.#identity, this.#asked, {
      status: "failed",
      output: this.#items.output,
      error: { code, message },
    });
    yield this.#number({ type: "response.failed", response });
    // Some clients look for the error at the top of an event, some below.
    yield this.#number({ type: "error", code, message, param, error });
  }

  /** The whole response. */
  finish(receipt: Receipt): ResponseShown {
    return showResponse(this.#identity, this.#asked, {
      status: this.#isIncomplete ? "incomplete" : "completed",
      output: this.#items.output,
      finish: this.#finish,
      receipt,
    });
  }

  *#eventsOf(part: Part | Receipt): Generator<Event> {
    yield* this.#begin();
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

  *#begin(): Generator<Event> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const response = showResponse(this.#identity, this.#asked, { status: "in_progress", output: [] });
    yield { type: "response.created", response };
    yield { type: "response.in_progress", response };
  }

  get #isIncomplete(): boolean {
    return this.#finish === "length" || this.#finish === "refused";
  }

  #number(event: Event): Event {
    const numbered = { ...event, sequence_number: this.#sent };
    this.#sent += 1;
    return numbered;
  }
}
