import { type AttachedFile, newId, type Reply, RUNNING, type Turn } from "./conversation.ts";

/** Where a reply stands. */
export interface ReplyPlace {
  readonly turnId: string;
  readonly columnId: string;
  readonly index: number;
}

/** What can happen to the turns of a conversation. */
export type TurnAction =
  | {
      readonly type: "send";
      readonly text: string;
      readonly files: readonly AttachedFile[];
      readonly columnIds: readonly string[];
    }
  /** Sends a message again in other words. What came after it is dropped. */
  | { readonly type: "resend"; readonly turnId: string; readonly text: string; readonly columnIds: readonly string[] }
  | { readonly type: "regenerate"; readonly turnId: string; readonly columnId: string }
  /** Gives the results of the tools that the last reply called, by the ids of the calls, and asks for the next reply. */
  | {
      readonly type: "answer-calls";
      readonly turnId: string;
      readonly columnId: string;
      readonly results: Readonly<Record<string, string>>;
    }
  | { readonly type: "delete"; readonly turnId: string }
  | { readonly type: "change-reply"; readonly place: ReplyPlace; readonly changes: Partial<Reply> };

export function reduceTurns(turns: readonly Turn[], action: TurnAction): readonly Turn[] {
  switch (action.type) {
    case "send": {
      const { text, files, columnIds } = action;
      return [...turns, { id: newId(), text, files, replies: runningIn(columnIds) }];
    }
    case "resend": {
      const place = turns.findIndex(({ id }) => id === action.turnId);
      const turn = turns[place];
      if (turn === undefined) return turns;
      return [...turns.slice(0, place), { ...turn, text: action.text, replies: runningIn(action.columnIds) }];
    }
    case "regenerate":
      return changeReplies(turns, action, () => [RUNNING]);
    case "answer-calls":
      return changeReplies(turns, action, (replies) => {
        const last = replies.at(-1);
        if (last === undefined || last.calls.length === 0) return replies;
        const calls = last.calls.map((call) => ({ ...call, result: action.results[call.id] ?? call.result ?? "" }));
        return [...replies.slice(0, -1), { ...last, calls }, RUNNING];
      });
    case "delete":
      return turns.filter(({ id }) => id !== action.turnId);
    case "change-reply":
      return changeReplies(turns, action.place, (replies) =>
        replies.map((reply, index) => (index === action.place.index ? { ...reply, ...action.changes } : reply)),
      );
  }
}

function runningIn(columnIds: readonly string[]): Turn["replies"] {
  return Object.fromEntries(columnIds.map((id) => [id, [RUNNING]]));
}

function changeReplies(
  turns: readonly Turn[],
  { turnId, columnId }: Pick<ReplyPlace, "turnId" | "columnId">,
  change: (replies: readonly Reply[]) => readonly Reply[],
): readonly Turn[] {
  return turns.map((turn) =>
    turn.id === turnId
      ? { ...turn, replies: { ...turn.replies, [columnId]: change(turn.replies[columnId] ?? []) } }
      : turn,
  );
}

/** Every reply that is still to come. */
export function runningPlaces(turns: readonly Turn[]): readonly ReplyPlace[] {
  return turns.flatMap(({ id: turnId, replies }) =>
    Object.entries(replies).flatMap(([columnId, list]) =>
      list.at(-1)?.status === "running" ? [{ turnId, columnId, index: list.length - 1 }] : [],
    ),
  );
}
