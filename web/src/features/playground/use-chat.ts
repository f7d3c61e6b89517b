import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { Chat } from "./chat.ts";
import { type Conversation, newConversation } from "./conversation.ts";
import { fetchReply } from "./fetch-reply.ts";
import { type History, withoutFiles } from "./history.ts";
import type { PlaygroundSearch } from "./playground-search.ts";
import { readConversation } from "./read-conversation.ts";
import { mergeSearch } from "./settings.ts";

/** Typing must not wait for the storage. */
const KEEP_AFTER_MS = 300;

/**
 * The conversation of this tab. It is there again after a reload and when one comes back, and in the history once
 * something was sent. Leaving the page stops what is coming.
 */
export function useChat(place: string, history: History, search: PlaygroundSearch) {
  const client = useQueryClient();
  const [chat] = useState(
    () =>
      new Chat(begin(place, search), fetchReply, () => {
        void client.invalidateQueries({ queryKey: balanceQuery.queryKey });
      }),
  );
  const conversation = useSyncExternalStore(chat.subscribe, chat.conversation);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keepNow = () => {
      clearTimeout(timer);
      keep(place, history, chat.settled());
    };
    const unsubscribe = chat.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(keepNow, KEEP_AFTER_MS);
    });
    addEventListener("pagehide", keepNow);
    return () => {
      unsubscribe();
      removeEventListener("pagehide", keepNow);
      keepNow();
      chat.stop();
    };
  }, [chat, place, history]);

  return { chat, conversation };
}

/** The message that is being written, kept like the conversation. */
export function useDraft(place: string) {
  const [draft, setDraft] = useState(() => {
    try {
      return sessionStorage.getItem(place) ?? "";
    } catch {
      // Storage can be forbidden.
      return "";
    }
  });
  useEffect(() => {
    const timer = setTimeout(() => store(place, draft), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [place, draft]);
  return [draft, setDraft] as const;
}

/** What was left in this tab, or what the address asks for. */
function begin(place: string, search: PlaygroundSearch): Conversation {
  const kept = readKept(place);
  if (search.model === undefined && search.against === undefined && search.task === undefined)
    return kept ?? newConversation();
  return newConversation(mergeSearch((kept ?? newConversation()).settings, search));
}

function readKept(place: string): Conversation | undefined {
  try {
    return readConversation(JSON.parse(sessionStorage.getItem(place) ?? "null"));
  } catch {
    // Storage can be forbidden or hold something else.
    return undefined;
  }
}

function keep(place: string, history: History, conversation: Conversation): void {
  if (conversation.turns.length > 0) history.save(conversation);
  store(place, JSON.stringify(withoutFiles(conversation)));
}

function store(place: string, text: string): void {
  try {
    sessionStorage.setItem(place, text);
  } catch {
    // Storage can be forbidden or full; the page works without it.
  }
}
