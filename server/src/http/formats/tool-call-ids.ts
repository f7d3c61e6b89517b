/**
 * Matches tool results to calls. Google's and Ollama's formats may leave out the ids: then a result answers the first call of its name
 * that has no result yet.
 */
export class ToolCallIds {
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  #made = 0;

  /** Notes a call and returns its id, which is made here where the call has none. */
  register(given: string | undefined, name: string): string {
    const id = given ?? this.#newId();
    this.#open.push({ id, name });
    return id;
  }

  /** Returns the id of the call that a result answers. */
  resolve(given: string | undefined, name: string): string {
    const place = this.#open.findIndex((call) => (given === undefined ? call.name === name : call.id === given));
    const [call] = place === -1 ? [] : this.#open.splice(place, 1);
    return given ?? call?.id ?? this.#newId();
  }

  #newId(): string {
    this.#made += 1;
    return `call_${this.#made}`;
  }
}
