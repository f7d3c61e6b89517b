const RETRY_AFTER_SECONDS_MAX = 86_400;

/** The seconds that a Retry-After header asks to wait, given as a number or as a date; undefined where it says neither. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)), RETRY_AFTER_SECONDS_MAX);
  // Only the forms that HTTP knows: the parser would take almost anything for a date.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(Math.ceil((at - now) / 1_000), 0), RETRY_AFTER_SECONDS_MAX);
}
