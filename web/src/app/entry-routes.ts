import { createRoute } from "@tanstack/react-router";
import { safeNext } from "../api/safe-next.ts";
import { lazyPage } from "./lazy-page.ts";
import { rootRoute } from "./root-route.ts";

/** The search parameters of the pages outside the shell. */
interface EntrySearch {
  readonly next?: string;
  readonly token?: string;
}

function readEntrySearch(search: Record<string, unknown>): EntrySearch {
  return {
    ...(typeof search.next === "string" ? { next: safeNext(search.next) } : {}),
    ...(typeof search.token === "string" ? { token: search.token } : {}),
  };
}

const MODEL_TYPES = ["text", "image", "audio", "multimodal", "embedding"] as const;

/** What the public catalogue shows. */
interface CatalogueSearch {
  readonly q?: string;
  readonly type?: (typeof MODEL_TYPES)[number];
}

function readCatalogueSearch(search: Record<string, unknown>): CatalogueSearch {
  const type = MODEL_TYPES.find((known) => known === search.type);
  return {
    ...(typeof search.q === "string" && search.q !== "" ? { q: search.q } : {}),
    ...(type === undefined ? {} : { type }),
  };
}

/** The pages of those who are not logged in yet. */
export const entryRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/log-in",
    validateSearch: readEntrySearch,
    component: lazyPage(() => import("../features/entry/log-in-page.tsx"), "LogInPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/status",
    component: lazyPage(() => import("../features/public/status-page.tsx"), "StatusPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/catalogue",
    validateSearch: readCatalogueSearch,
    component: lazyPage(() => import("../features/public/catalogue-page.tsx"), "CataloguePage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-up",
    validateSearch: readEntrySearch,
    component: lazyPage(() => import("../features/entry/sign-up-page.tsx"), "SignUpPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sso",
    validateSearch: readEntrySearch,
    component: lazyPage(() => import("../features/entry/sso-page.tsx"), "SsoPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sso/$name",
    validateSearch: readEntrySearch,
    component: lazyPage(() => import("../features/entry/sso-page.tsx"), "SsoPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sso/callback/$provider",
    component: lazyPage(() => import("../features/entry/sso-callback-page.tsx"), "SsoCallbackPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sso/confirm",
    component: lazyPage(() => import("../features/entry/sso-confirm-page.tsx"), "SsoConfirmPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/forgot",
    component: lazyPage(() => import("../features/entry/forgot-page.tsx"), "ForgotPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/reset",
    validateSearch: readEntrySearch,
    component: lazyPage(() => import("../features/entry/reset-page.tsx"), "ResetPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/verify",
    validateSearch: readEntrySearch,
    component: lazyPage(() => import("../features/entry/verify-page.tsx"), "VerifyPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/first-login",
    validateSearch: readEntrySearch,
    component: lazyPage(() => import("../features/entry/first-login-page.tsx"), "FirstLoginPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/invitation",
    validateSearch: readEntrySearch,
    component: lazyPage(() => import("../features/entry/invitation-page.tsx"), "InvitationPage"),
  }),
] as const;
