import type { FastifyInstance, RouteOptions } from "fastify";

/**
 * Some formats put a verb behind a name that may hold slashes and colons, as in `/models/a/b:generate`. Such a path is
 * written `/models/*:generate` in the table; the router knows the name by a wildcard and the verb by this.
 */
export const VERB_CONSTRAINT = "verb";

/** Teaches the router to tell operations apart by their verb. */
export function addVerbConstraint(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: VERB_CONSTRAINT,
    storage: () => {
      const handlers = new Map<unknown, never>();
      return {
        get: (verb: unknown) => handlers.get(verb) ?? null,
        set: (verb: unknown, handler: never) => void handlers.set(verb, handler),
      };
    },
    deriveConstraint: ({ url }) => /(?::|%3a)(\w+)(?:\?|$)/i.exec(url ?? "")?.[1],
  });
}

/** What the router is told of a path of the table. */
export function routeOptionsOf(path: string): Pick<RouteOptions, "url" | "constraints"> {
  const [, url, verb] = /^(.*\*):(\w+)$/.exec(path) ?? [];
  return url === undefined ? { url: path } : { url, constraints: { [VERB_CONSTRAINT]: verb } };
}
