import type { Caller } from "@trunkline/core/caller.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { PRESET_NAME, PRESETS_LENGTH_MAX, PRESETS_MAX, type Preset, presetSchema } from "@trunkline/core/preset.ts";
import { z } from "zod";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const presetResponseSchema = presetSchema.extend({ name: z.string().describe("What to send as `model`.") });

const listPresets = controlEndpoint({
  method: "GET",
  path: "/v1/presets",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "List the account's presets",
  description: "By name.",
  faults: [],
  response: z.object({ data: z.array(presetResponseSchema), next_cursor: z.null() }),
  async handle({ services, caller }) {
    const presets = await services.identity.accounts.presetsOf(caller.accountId);
    const data = Array.from(presets ?? [], ([name, preset]) => ({ name, ...preset }));
    return { data: data.sort((one, other) => (one.name < other.name ? -1 : 1)), next_cursor: null };
  },
});

const getPreset = controlEndpoint({
  method: "GET",
  path: "/v1/presets/:name",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "Read a preset",
  faults: ["not_found"],
  response: presetResponseSchema,
  async handle({ services, caller, params: { name = "" } }) {
    const preset = (await services.identity.accounts.presetsOf(caller.accountId))?.get(name);
    if (preset === undefined) throw noSuchPreset(name);
    return { name, ...preset };
  },
});

const setPreset = controlEndpoint({
  method: "PUT",
  path: "/v1/presets/:name",
  permission: "routing.change",
  audit: { action: "preset.set", details: ({ body, params }) => ({ name: params.name, ...auditSafe(body) }) },
  status: 200,
  tag: "Routing",
  summary: "Make or replace a preset",
  description:
    "A request that sends its name as `model` gets its models, strategy, instructions, parameters and bounds, where it does not set them itself. Holds within a second. A preset of a model's name goes before the model.",
  faults: [],
  body: presetSchema,
  response: presetResponseSchema,
  async handle({ services, caller, params: { name = "" }, body }) {
    if (!PRESET_NAME.test(name))
      throw new Fault(
        "invalid_request",
        "The name of a preset has 1 to 64 letters, digits, `.`, `_` and `-`, begins with a letter or digit, and is not `auto`.",
        { param: "name" },
      );
    requireOtherThanOwn(caller, name);
    const isSet = await services.identity.accounts.setPreset(caller.accountId, name, body);
    if (!isSet)
      throw new Fault(
        "invalid_request",
        `An account has at most ${PRESETS_MAX} presets, with ${PRESETS_LENGTH_MAX / 1024} KiB as JSON together. Shorten or delete one first.`,
        { param: "name" },
      );
    services.identity.keyring.invalidate();
    return { name, ...body };
  },
});

const deletePreset = controlEndpoint({
  method: "DELETE",
  path: "/v1/presets/:name",
  permission: "routing.change",
  audit: { action: "preset.delete", details: ({ params }) => ({ name: params.name }) },
  status: 204,
  tag: "Routing",
  summary: "Delete a preset",
  faults: ["not_found"],
  response: z.null(),
  async handle({ services, caller, params: { name = "" } }) {
    requireOtherThanOwn(caller, name);
    if (!(await services.identity.accounts.deletePreset(caller.accountId, name))) throw noSuchPreset(name);
    services.identity.keyring.invalidate();
    return null;
  },
});

/** A key that may use a preset, and few models beside, could reach any model by changing it. */
function requireOtherThanOwn({ models, person }: Caller, name: string): void {
  if (person === undefined && models?.has(name) === true)
    throw new Fault(
      "insufficient_scope",
      `Your key may use some models only, and "${name}" is among them: it can't change what that name stands for. Use a key without this limit, or the dashboard.`,
    );
}

/** Instructions may be confidential within an organisation, and long. */
function auditSafe({ system, ...others }: Preset) {
  return system === undefined ? others : { ...others, system: `${system.length} characters` };
}

function noSuchPreset(name: string): Fault {
  return new Fault("not_found", `There is no preset "${truncateText(name, 64)}". List yours with GET /v1/presets.`);
}

export const presetEndpoints: readonly Endpoint[] = [listPresets, getPreset, setPreset, deletePreset];
