import { createRootRoute, createRoute, redirect } from "@tanstack/react-router";
import { queryClient } from "../api/query-client.ts";
import { safeNext } from "../api/safe-next.ts";
import { isLoggedOut, sessionQuery } from "../api/session.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { RootLayout } from "./root-layout.tsx";
import { Shell } from "./shell.tsx";

/** What every page is under. */
export const rootRoute = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundPage });

/** Everything inside the shell needs a session; it is loaded before anything is drawn. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (isLoggedOut(error)) redirect({ to: "/log-in", search: { next: safeNext(location.href) }, throw: true });
      throw error;
    }
  },
});
