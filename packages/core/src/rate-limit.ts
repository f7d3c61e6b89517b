/** Where a key stands with its rate limit; told in the headers of every answer. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  /** How many more may be sent at once. */
  readonly left: number;
  /** When the whole burst is there again. */
  readonly resetSeconds: number;
}
