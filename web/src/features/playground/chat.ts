import { requestOf, type SentRequest } from "./chat-request.ts";
import { type AttachedFile, type Conversation, newConversation, type Reply } from "./conversation.ts";
import { LiveReply } from "./live-reply.ts";
import type { Settings } from "./settings.ts";
import { type ReplyPlace, reduceTurns, runningPlaces, type TurnAction } from "./turns.ts";

/** Sends a request and gives what became of it. */
export type Fetch = (request: SentRequest, signal: AbortSignal, live: LiveReply) => Promise<Reply>;

interface Run {
  readonly place: ReplyPlace;
  readonly live: LiveReply;
  readonly controller: AbortController;
}

/** A conversation that goes on: what was said, what is coming, and everything that can be done to it. */
export class Chat {
  #conversation: Conversation;
  readonly #fetch: Fetch;
  readonly #onReply: () => void;
  readonly #runs = new Map<string, Run>();
  readonly #listeners = new Set<() => void>();

  /** `onReply` hears of every reply that is over: it may have cost something. */
  constructor(conversation: Conversation, fetch: Fetch, onReply: () => void = () => undefined) {
    this.#conversation = conversation;
    this.#fetch = fetch;
    this.#onReply = onReply;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly conversation = (): Conversation => this.#conversation;

  /** The conversation as it would be if everything that is coming were stopped now: for the storage. */
  settled(): Conversation {
    let { turns } = this.#conversation;
    for (const { place, live } of this.#runs.values()) {
      const changes = { status: "stopped" as const, text: live.feed.whole(), calls: live.calls };
      turns = reduceTurns(turns, { type: "change-reply", place, changes });
    }
    return { ...this.#conversation, turns };
  }

  /** What has come of a reply that is still coming. */
  live({ turnId, columnId }: Pick<ReplyPlace, "turnId" | "columnId">): LiveReply | undefined {
    return this.#runs.get(keyOf(turnId, columnId))?.live;
  }

  change(changes: Partial<Settings>): void {
    this.#set({ ...this.#conversation, settings: { ...this.#conversation.settings, ...changes } });
  }

  /** Goes over to another conversation. */
  open(conversation: Conversation): void {
    this.stop();
    this.#runs.clear();
    this.#set(conversation);
  }

  startNew(): void {
    this.open(newConversation(this.#conversation.settings));
  }

  send(text: string, files: readonly AttachedFile[]): void {
    this.#do({ type: "send", text, files, columnIds: this.#columnIds() });
  }

  resend(turnId: string, text: string): void {
    this.#do({ type: "resend", turnId, text, columnIds: this.#columnIds() });
  }

  regenerate(turnId: string, columnId: string): void {
    this.#do({ type: "regenerate", turnId, columnId });
  }

  answerCalls(turnId: string, columnId: string, results: Readonly<Record<string, string>>): void {
    this.#do({ type: "answer-calls", turnId, columnId, results });
  }

  editReply(place: ReplyPlace, text: string): void {
    this.#do({ type: "change-reply", place, changes: { text } });
  }

  delete(turnId: string): void {
    this.#do({ type: "delete", turnId });
  }

  stop(): void {
    for (const { controller } of this.#runs.values()) controller.abort();
  }

  #columnIds(): readonly string[] {
    return this.#conversation.settings.columns.map(({ id }) => id);
  }

  /** Changes the turns, ends the runs of replies that are gone, and starts those that are to come. */
  #do(action: TurnAction): void {
    const before = this.#conversation;
    const turns = reduceTurns(before.turns, action);
    this.#conversation = { ...before, at: Date.now(), turns };
    const isNew = action.type === "regenerate" || action.type === "resend";
    for (const [key, { place, controller }] of this.#runs) {
      const isGone = !turns.some(({ id }) => id === place.turnId);
      const isReplaced =
        isNew && action.turnId === place.turnId && (action.type === "resend" || action.columnId === place.columnId);
      if (!isGone && !isReplaced) continue;
      this.#runs.delete(key);
      controller.abort();
    }
    for (const place of runningPlaces(turns)) this.#run(place);
    this.#tell();
  }

  #run(place: ReplyPlace): void {
    const key = keyOf(place.turnId, place.columnId);
    const { settings, turns } = this.#conversation;
    const column = settings.columns.find(({ id }) => id === place.columnId);
    if (this.#runs.has(key) || column === undefined) return;
    const run: Run = { place, live: new LiveReply(), controller: new AbortController() };
    this.#runs.set(key, run);
    const upTo = turns.slice(0, turns.findIndex(({ id }) => id === place.turnId) + 1);
    void this.#fetch(requestOf(settings, column, upTo), run.controller.signal, run.live).then((reply) => {
      this.#onReply();
      // A run that a newer one took the place of must not change anything.
      if (this.#runs.get(key) !== run) return;
      this.#runs.delete(key);
      this.#do({ type: "change-reply", place, changes: reply });
    });
  }

  #set(conversation: Conversation): void {
    this.#conversation = conversation;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function keyOf(turnId: string, columnId: string): string {
  return `${turnId} ${columnId}`;
}
