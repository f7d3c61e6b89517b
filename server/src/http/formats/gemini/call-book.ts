/**
 * Which call of a tool a result answers. In Google's form ids may be left out: then a result answers the first call of
 * its name that has none yet.
 */
export class ToolCallIds {
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  #made = 0;

  /** A call; returns the id that it has, or is given. */
  register(given: string | undefined, name: string): string {
    const id = given ?? this.#newId();
    this.#open.push({ id, name });
    return id;
  }

  /** The result of a call; returns that call's id. */
  resolve(given: string | undefined, name: string): string {
    const place = this.#open.findIndex((call) =>
      given === undefined ? call.name === name : call.id === given,
    );
    const [call] = place === -1 ? [] : this.#open.splice(place, 1);
    return given ?? call?.id ?? this.#newId();
  }

  #newId(): string {
    this.#made += 1;
    return `call_${this.#made}`;
  }
}
