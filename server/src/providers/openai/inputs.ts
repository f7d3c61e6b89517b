import type { Conversation } from "../../domain/conversation.ts";

/** The texts that are embedded: each text of the user's is one, whatever it stands beside. */
export function inputsOf({ messages }: Conversation): readonly string[] {
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => content.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])));
}
