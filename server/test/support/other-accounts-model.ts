import type { ModelState } from "@trunkline/core/model.ts";
import { expect } from "vitest";
import type { Customer } from "./customer.ts";
import type { StartedService } from "./started-service.ts";

/** A public address that is registered and never dialled. */
export const PUBLIC_ENDPOINT = "https://93.184.215.14/v1/generate";

/**
 * Registers a model by an account that is not the operator's. Such an account may only name public addresses, so the
 * real endpoint, on this machine, is written into the store afterwards.
 */
export async function registerAsOtherAccount(
  service: StartedService,
  owner: Customer,
  registration: { readonly name: string; readonly endpoint: string },
  state: ModelState = "pending",
): Promise<void> {
  const { key, id } = owner;
  const body = { ...registration, endpoint: PUBLIC_ENDPOINT };
  const answer = await service.call("POST", "/v1/provider/models", body, { key });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.json.state).toBe("pending");
  const model = service.services.providers.catalogue.registeredBy(id).find(({ name }) => name === registration.name);
  if (model === undefined) throw new Error("The model is not in the catalogue.");
  await service.services.providers.modelStore.update({
    ...model,
    price: undefined,
    endpoint: registration.endpoint,
    mayDialPrivate: true,
    state,
  });
  await service.services.providers.catalogue.reload();
}
