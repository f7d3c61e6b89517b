/** Where to go after logging in: a path of this site, or the start. An address from outside is never followed. */
export function safeNext(next: unknown): string {
  if (typeof next !== "string" || !next.startsWith("/") || /[\\\s]/.test(next)) return "/";
  const url = new URL(next, "http://here.invalid");
  return url.origin === "http://here.invalid" ? url.pathname + url.search + url.hash : "/";
}
