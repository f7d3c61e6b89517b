import type { Conversation } from "@trunkline/core/conversation.ts";
import type { Extras, Inference, Parameters, Strategy, Task } from "@trunkline/core/inference.ts";
import type { RoutingOptions } from "./read-routing-options.ts";

/** What a body in any wire format says. */
interface ReadFields {
  readonly task: Task;
  readonly conversation: Conversation;
  readonly model: string | undefined;
  /** Asked for by the model's name; undefined: as the routing options say. */
  readonly strategy: Strategy | undefined;
  readonly routingOptions: RoutingOptions;
  readonly parameters: Parameters;
  readonly streaming: boolean;
  readonly extras: Extras | undefined;
  readonly dropped: readonly string[] | undefined;
  /** A session that another field implies; it counts where the routing options name none. */
  readonly impliedSession?: string | undefined;
}

/** An inference with all fields, whatever the body leaves out, so that those of all wire formats have one shape. */
export function toInference({
  task,
  conversation,
  model,
  strategy,
  routingOptions,
  parameters,
  streaming,
  extras,
  dropped,
  impliedSession,
}: ReadFields): Inference {
  const { session } = routingOptions;
  return {
    task,
    conversation,
    model,
    fallbacks: routingOptions.fallbacks,
    strategy: strategy ?? routingOptions.strategy,
    preferences: routingOptions.preferences,
    parameters,
    streaming,
    extras,
    batch: undefined,
    cache: routingOptions.cache,
    session: session ?? impliedSession,
    sessionIsImplied: session === undefined && impliedSession !== undefined ? true : undefined,
    continues: routingOptions.continues,
    cascade: routingOptions.cascade,
    preset: undefined,
    tags: routingOptions.tags,
    dropped,
  };
}
