import type { JsonObject } from "../../http/json-frames.ts";
import { objectIn, textIn } from "../../http/json-object.ts";

interface Draft {
  id: string | undefined;
  name: string;
  arguments: string;
}

/** A call that is complete; undefined ids are for those whose provider has none. */
export interface CollectedCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: string;
}

/** Puts calls together from their pieces, which may come interleaved. */
export class ToolCallDeltas {
  readonly #drafts: Draft[] = [];
  readonly #byIndex = new Map<unknown, Draft>();

  /** A piece of a call, or all of it. */
  take(delta: JsonObject): void {
    const { name, arguments: given } = objectIn(delta, "function");
    const id = textIn(delta.id);
    const draft = this.#draftFor(delta.index ?? undefined, id, textIn(name));
    draft.id ??= id;
    // The name comes once. Those who repeat it with every piece don't mean it to grow.
    if (draft.name === "") draft.name = textIn(name) ?? "";
    draft.arguments +=
      typeof given === "object" && given !== null ? JSON.stringify(given) : (textIn(given) ?? "");
  }

  /** All calls, in the order in which they were begun. */
  collect(): readonly CollectedCall[] {
    return this.#drafts.map((draft) => ({ ...draft, arguments: draft.arguments.trim() || "{}" }));
  }

  /** Some give all calls one index, or none at all: then another id begins another call. */
  #draftFor(index: unknown, id: string | undefined, name: string | undefined): Draft {
    const known = index === undefined ? this.#drafts.at(-1) : this.#byIndex.get(index);
    const isAnother = known?.id !== undefined && id !== undefined && id !== known.id && name !== undefined;
    const isWithoutSigns = index === undefined && id === undefined && name !== undefined;
    if (known !== undefined && !isAnother && !isWithoutSigns) return known;
    const draft: Draft = { id: undefined, name: "", arguments: "" };
    this.#drafts.push(draft);
    if (index !== undefined) this.#byIndex.set(index, draft);
    return draft;
  }
}
