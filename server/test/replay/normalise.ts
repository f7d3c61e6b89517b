/** Headers that belong to the connection or to the moment. The rate limit counts by the database's clock. */
const LEFT_OUT = new Set(["connection", "date", "keep-alive", "ratelimit", "transfer-encoding"]);

const ID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const UNIX_TIME = /("(?:created|created_at|completed_at)": ?)\d{10}\b/g;
const ADDRESS = /127\.0\.0\.1:\d+/g;

/**
 * Puts placeholders into texts in the place of ids, times and addresses. A request's id becomes its number, so that a
 * reference to another request is compared; other ids are counted within the texts of one request.
 */
export class Normaliser {
  readonly #requests = new Map<string, string>();

  /** Names a request by its number from now on. */
  nameRequest(id: string, place: number): void {
    this.#requests.set(bare(id), `<request ${place}>`);
  }

  /** A function for all texts of one request. */
  begin(): (text: string) => string {
    const others = new Map<string, string>();
    return (text) =>
      text
        .replaceAll(ID, (id) => {
          const known = this.#requests.get(bare(id)) ?? others.get(bare(id));
          if (known !== undefined) return known;
          const name = `<id ${others.size + 1}>`;
          others.set(bare(id), name);
          return name;
        })
        .replaceAll(TIME, "<time>")
        .replaceAll(UNIX_TIME, "$1<time>")
        .replaceAll(ADDRESS, "<address>");
  }
}

/** An id is written with dashes and without. */
function bare(id: string): string {
  return id.replaceAll("-", "");
}

/** The headers that are compared, one per line. */
export function comparedHeaders(headers: Headers): string {
  return [...headers]
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join("\n");
}
