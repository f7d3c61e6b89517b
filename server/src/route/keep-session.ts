import type { Model } from "../domain/model.ts";
import { moveFirst, type Order } from "./order.ts";

/** Puts the model that answered last in the session before all others, where it is among them: its provider has the session's beginning in its cache. */
export function keepSession(order: Order, sessionModel: string | undefined): Order {
  if (sessionModel === undefined) return order;
  const place = order.prospects.findIndex(({ model }) => isCalled(model, sessionModel));
  if (place === -1) return order;
  const prospects = moveFirst(order.prospects, place);
  return { ...order, prospects, propensity: 1, stickyTo: sessionModel };
}

/** Whether this is a model's full name, without writing that down for each of many. */
function isCalled({ provider, name }: Model, fullName: string): boolean {
  return (
    fullName.length === provider.length + 1 + name.length &&
    fullName[provider.length] === "/" &&
    fullName.startsWith(provider) &&
    fullName.endsWith(name)
  );
}
