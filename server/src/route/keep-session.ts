import { moveFirst, type Order } from "./order.ts";

/** Puts the model that answered last in the session before all others, where it is among them: its provider has the session's beginning in its cache. */
export function keepSession(order: Order, sessionModel: string | undefined): Order {
  if (sessionModel === undefined) return order;
  // A provider's name has no slash in it; a model's may have one.
  const slash = sessionModel.indexOf("/");
  const [provider, name] = [sessionModel.slice(0, slash), sessionModel.slice(slash + 1)];
  const place = order.prospects.findIndex(({ model }) => model.name === name && model.provider === provider);
  if (place === -1) return order;
  const prospects = moveFirst(order.prospects, place);
  return { ...order, prospects, propensity: 1, stickyTo: sessionModel };
}
