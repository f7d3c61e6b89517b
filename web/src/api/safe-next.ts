/** Where to go after logging in: a path of this site, or the start. An address from outside is never followed. */
export function safeNext(next: unknown): string {
  if (typeof next !== "string" || !next.startsWith("/") || /[\\\s]/.test(next)) return "/";
  const url = new URL(next, "http://here.invalid");
  // Dots may fold to a path that begins with two slashes, which a browser takes for another site.
  const isHere = url.origin === "http://here.invalid" && !url.pathname.startsWith("//");
  return isHere ? url.pathname + url.search + url.hash : "/";
}
