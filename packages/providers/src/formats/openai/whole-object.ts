import type { Part } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { AnswerObjectReader } from "../../http/json-answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { failureIn } from "./errors.ts";

/** An answer that is one object. It is read when all of it has come, and ends as it should or not at all. */
export class SingleObjectReader implements AnswerObjectReader {
  readonly done = false;
  readonly #credential: Secret | undefined;
  readonly #read: (body: JsonObject) => readonly Part[];
  #body: JsonObject | undefined;

  constructor(credential: Secret | undefined, read: (body: JsonObject) => readonly Part[]) {
    this.#credential = credential;
    this.#read = read;
  }

  take(body: JsonObject): readonly Part[] {
    const failure = failureIn(body, this.#credential);
    if (failure !== undefined) throw failure;
    this.#body ??= body;
    return [];
  }

  end(): readonly Part[] {
    if (this.#body === undefined) throw new ProviderFailure("broken", "the answer has no output");
    return [...this.#read(this.#body), { type: "finish", reason: "stop" }];
  }
}
