/** What the playground begins with, where an address says so; otherwise it is as it was left. */
export interface PlaygroundSearch {
  readonly model?: string;
  /** A second model to put beside the first. */
  readonly against?: string;
  readonly task?: string;
  /** A past request to open, by its id. */
  readonly request?: string;
}

/** What an address asks for; whatever can't be is left out. */
export function readPlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const model = nameOf(search.model);
  const against = nameOf(search.against);
  const request = nameOf(search.request);
  const task =
    typeof search.task === "string" && /^[A-Za-z0-9 _./-]{1,64}$/.test(search.task) ? search.task : undefined;
  return {
    ...(model === undefined ? {} : { model }),
    ...(against === undefined ? {} : { against }),
    ...(task === undefined ? {} : { task }),
    ...(request === undefined ? {} : { request }),
  };
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= 256 ? value : undefined;
}
