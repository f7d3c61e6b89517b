import type { JsonObject } from "../../http/json-frames.ts";
import { nonEmptyText, objectField } from "../../http/json-object.ts";

interface PartialToolCall {
  id: string | undefined;
  name: string;
  arguments: string;
}

/** A call that is complete; undefined ids are for those whose provider has none. */
export interface CompleteToolCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: string;
}

/** Puts calls together from their pieces, which may come interleaved. */
export class ToolCallAssembler {
  readonly #partialToolCalls: PartialToolCall[] = [];
  readonly #byIndex = new Map<unknown, PartialToolCall>();

  /** A piece of a call, or all of it. */
  add(delta: JsonObject): void {
    const { name, arguments: given } = objectField(delta, "function");
    const id = nonEmptyText(delta.id);
    const partialToolCall = this.#draftFor(delta.index ?? undefined, id, nonEmptyText(name));
    partialToolCall.id ??= id;
    // The name comes once. Those who repeat it with every piece don't mean it to grow.
    if (partialToolCall.name === "") partialToolCall.name = nonEmptyText(name) ?? "";
    partialToolCall.arguments +=
      typeof given === "object" && given !== null ? JSON.stringify(given) : (nonEmptyText(given) ?? "");
  }

  /** All calls, in the order in which they were begun. */
  collect(): readonly CompleteToolCall[] {
    return this.#partialToolCalls.map((partialToolCall) => ({
      ...partialToolCall,
      arguments: partialToolCall.arguments.trim() || "{}",
    }));
  }

  /** Some give all calls one index, or none at all: then another id begins another call. */
  #draftFor(index: unknown, id: string | undefined, name: string | undefined): PartialToolCall {
    const known = index === undefined ? this.#partialToolCalls.at(-1) : this.#byIndex.get(index);
    const isAnother = known?.id !== undefined && id !== undefined && id !== known.id && name !== undefined;
    const isWithoutSigns = index === undefined && id === undefined && name !== undefined;
    if (known !== undefined && !isAnother && !isWithoutSigns) return known;
    const partialToolCall: PartialToolCall = { id: undefined, name: "", arguments: "" };
    this.#partialToolCalls.push(partialToolCall);
    if (index !== undefined) this.#byIndex.set(index, partialToolCall);
    return partialToolCall;
  }
}
