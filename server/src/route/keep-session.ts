import { clearsFloor } from "./clears-floor.ts";
import { moveFirst, type Order } from "./order.ts";

/**
 * Puts the model that answered last in the session before all others, where it is among them: its provider has the
 * session's beginning in its cache. One below the floor of quality, to which an outage may have led, is left again.
 */
export function keepSession(order: Order, sessionModel: string | undefined, qualityFloor: number): Order {
  if (sessionModel === undefined) return order;
  // A provider's name has no slash in it; a model's may have one.
  const slash = sessionModel.indexOf("/");
  const [provider, name] = [sessionModel.slice(0, slash), sessionModel.slice(slash + 1)];
  const { best, prospects } = order;
  const place = prospects.findIndex(({ model }) => model.name === name && model.provider === provider);
  const kept = prospects[place];
  if (kept === undefined || best === undefined) return order;
  if (!clearsFloor(kept, qualityFloor) && clearsFloor(best, qualityFloor)) return order;
  return { ...order, prospects: moveFirst(prospects, place), propensity: 1, stickyTo: sessionModel };
}
