import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type IdentityProvider = NonNullable<AnswerOf<"GET /v1/organisation/sso">["provider"]>;
export type EmailDomain = AnswerOf<"GET /v1/organisation/domains">["data"][number];

/** How the organisation's members log in by single sign-on. */
export const ssoQuery = queryOptions({
  queryKey: ["sso"],
  queryFn: ({ signal }) => api.call("GET /v1/organisation/sso", { signal }),
});

/** The domains of the organisation's e-mail addresses. */
export const domainsQuery = queryOptions({
  queryKey: ["sso", "domains"],
  queryFn: ({ signal }) => api.call("GET /v1/organisation/domains", { signal }),
});
