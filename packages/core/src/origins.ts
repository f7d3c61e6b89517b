const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?[^\sA-Z/*?#@,]+$/;

/** Any site, as an entry of a list. */
export const ANY_ORIGIN = "*";

/** Whether a list may hold this: `*`, an origin such as `https://app.example.com`, or all subdomains, `https://*.example.com`. */
export function isOriginPattern(value: string): boolean {
  return value === ANY_ORIGIN || (value.length <= 256 && ORIGIN.test(value));
}

/** Whether a page of this origin is in the list. */
export function isOriginIn(origin: string, patterns: readonly string[]): boolean {
  const given = origin.toLowerCase();
  return patterns.some((pattern) => {
    if (pattern === ANY_ORIGIN || pattern === given) return true;
    const starAt = pattern.indexOf("*");
    return (
      starAt !== -1 &&
      given.startsWith(pattern.slice(0, starAt)) &&
      given.endsWith(pattern.slice(starAt + 1)) &&
      // The star stands for at least one character.
      given.length >= pattern.length
    );
  });
}
