import { SCOPES } from "@trunkline/core/caller.ts";
import { storable } from "@trunkline/core/storable.ts";
import { z } from "zod";
import { KEY_STATES } from "../../../identity/keys/api-key.ts";
import {
  keyChangeOf,
  keyDraft,
  keyPatch,
  keyRotation,
  keyShown,
  keyTermsOf,
  keyToWire,
} from "../../responses/api-key.ts";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { withoutPhrases } from "../told-rules.ts";

const DEFAULT_GRACE_SECONDS = 86_400;
const secretOnce = { key: z.string().describe("The secret. Shown this once.") };

const createKey = control({
  method: "POST",
  path: "/v1/keys",
  power: "keys.change",
  deed: { action: "key.create", details: ({ body }) => ({ scopes: body.scopes }) },
  status: 201,
  tag: "Keys",
  summary: "Make a key",
  faults: [],
  body: keyDraft,
  answer: keyShown.extend(secretOnce),
  async handle({ house, caller, body }) {
    const { key, secret } = await house.keys.create(caller, keyTermsOf(body));
    return { ...keyToWire(key), key: secret };
  },
});

const listKeys = control({
  method: "GET",
  path: "/v1/keys",
  power: "keys.read",
  status: 200,
  tag: "Keys",
  summary: "List the account's keys",
  description: "Newest first. Revoked ones are listed only where `state` asks for them.",
  faults: [],
  query: pageQuery.extend({
    state: z.enum(KEY_STATES).optional().describe("Default: active and expired ones."),
    q: storable(z.string().trim().max(128))
      .optional()
      .describe("A part of the name or of the hint. Never send a secret here."),
  }),
  answer: pageOf(keyShown),
  handle: ({ house, caller, query }) =>
    listPage(
      query,
      (limit, cursor) =>
        house.keys.list(caller, { state: query.state, search: query.q || undefined }, limit, cursor),
      keyToWire,
    ),
});

const listScopes = control({
  method: "GET",
  path: "/v1/keys/scopes",
  power: "keys.read",
  status: 200,
  tag: "Keys",
  summary: "Which scopes you can give to a key",
  description: "A key gives those that it has, a member those whose every power the role has.",
  faults: [],
  answer: z.object({
    data: z.array(z.object({ scope: z.enum(SCOPES), can_give: z.boolean() })),
    next_cursor: z.null(),
  }),
  handle: async ({ caller }) => ({
    data: SCOPES.map((scope) => ({ scope, can_give: caller.scopes.has(scope) })),
    next_cursor: null,
  }),
});

const readKey = control({
  method: "GET",
  path: "/v1/keys/:id",
  power: "keys.read",
  status: 200,
  tag: "Keys",
  summary: "Read a key",
  faults: ["not_found"],
  answer: keyShown,
  handle: async ({ house, caller, params }) => keyToWire(await house.keys.find(caller, params.id ?? "")),
});

const changeKey = control({
  method: "PATCH",
  path: "/v1/keys/:id",
  power: "keys.change",
  deed: {
    action: "key.change",
    details: ({ body }) => (body.safety ? { ...body, safety: withoutPhrases(body.safety) } : body),
  },
  status: 200,
  tag: "Keys",
  summary: "Change a key",
  description: "`null` lifts a limit; what is not given stays.",
  faults: ["not_found"],
  body: keyPatch,
  answer: keyShown,
  handle: async ({ house, caller, params, body }) =>
    keyToWire(await house.keys.change(caller, params.id ?? "", keyChangeOf(body))),
});

const rotateKey = control({
  method: "POST",
  path: "/v1/keys/:id/rotate",
  power: "keys.change",
  deed: { action: "key.rotate" },
  status: 200,
  tag: "Keys",
  summary: "Give a key a new secret",
  faults: ["not_found"],
  body: keyRotation,
  bodyOptional: true,
  answer: keyShown.extend({ ...secretOnce, old_secret_ends_at: z.string() }),
  async handle({ house, caller, params, body }) {
    const { key, secret, oldEndsAt } = await house.keys.rotate(
      caller,
      params.id ?? "",
      body.grace_seconds ?? DEFAULT_GRACE_SECONDS,
    );
    return { ...keyToWire(key), key: secret, old_secret_ends_at: oldEndsAt.toISOString() };
  },
});

const revokeKey = control({
  method: "DELETE",
  path: "/v1/keys/:id",
  power: "keys.change",
  deed: { action: "key.revoke" },
  status: 204,
  tag: "Keys",
  summary: "Revoke a key",
  faults: ["not_found"],
  answer: z.null(),
  handle: ({ house, caller, params }) => house.keys.revoke(caller, params.id ?? ""),
});

export const keyEndpoints: readonly Endpoint[] = [
  createKey,
  listKeys,
  listScopes,
  readKey,
  changeKey,
  rotateKey,
  revokeKey,
];
