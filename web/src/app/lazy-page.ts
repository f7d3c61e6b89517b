import { lazyRouteComponent } from "@tanstack/react-router";
import { texts } from "../texts/texts.ts";

/** A page whose code could not be fetched: the service can't be reached, or it serves a newer dashboard. */
export class PageNotLoaded extends Error {
  override readonly name = "PageNotLoaded";
}

/**
 * A page that is fetched when it is first opened. The router's own answer to code that could not be fetched is to load
 * the whole document again, which ends at the browser's error page while the service is away.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (cause) {
      throw new PageNotLoaded(texts.shell.connection.pageNotLoaded, { cause });
    }
  }, name);
