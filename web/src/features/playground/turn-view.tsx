import { FileText, Image, Music, Pencil, RefreshCw, Trash2 } from "lucide-react";
import { memo, useState } from "react";
import { usePermission } from "../../api/session.ts";
import { AnswerFeedback } from "../../shared/answer-feedback.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { cx } from "../../ui/cx.ts";
import { formatBytes, formatPercent } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import type { Chat } from "./chat.ts";
import { distinctionsOf } from "./compare-replies.ts";
import { type AttachedFile, lastReply, type Turn } from "./conversation.ts";
import { mediaKindOf } from "./media-kind.ts";
import { MessageEditor } from "./message-editor.tsx";
import { ReplyView } from "./reply-view.tsx";
import type { Column } from "./settings.ts";

const { playground: words } = texts;

interface TurnViewProps {
  readonly chat: Chat;
  readonly turn: Turn;
  readonly columns: readonly Column[];
  readonly maySend: boolean;
  readonly isLast: boolean;
}

/** A message, and what each model replied to it. */
export const TurnView = memo(function TurnView({ chat, turn, columns, maySend, isLast }: TurnViewProps) {
  return (
    <li className="grid min-w-0 gap-4">
      <UserMessage chat={chat} turn={turn} maySend={maySend} />
      <div
        className={cx(
          "grid min-w-0 gap-4",
          columns.length > 1 && "md:grid-cols-2",
          columns.length === 3 && "2xl:grid-cols-3",
          columns.length === 4 && "2xl:grid-cols-4",
        )}
      >
        {columns.map((column) => (
          <ColumnReplies
            key={column.id}
            chat={chat}
            turn={turn}
            column={column}
            columns={columns}
            maySend={maySend}
            isLast={isLast}
          />
        ))}
      </div>
    </li>
  );
});

function UserMessage({ chat, turn, maySend }: Pick<TurnViewProps, "chat" | "turn" | "maySend">) {
  const [isEditing, setIsEditing] = useState(false);
  return (
    <article
      aria-label={words.yourMessage}
      className="ml-auto grid max-w-full min-w-0 gap-2 rounded-lg bg-accent-soft px-4 py-3 sm:max-w-[85%]"
    >
      {turn.files.length > 0 && (
        <ul aria-label={words.attachedFiles} className="flex flex-wrap gap-2">
          {turn.files.map((file) => (
            <li key={file.id} className="min-w-0">
              <SentFile file={file} />
            </li>
          ))}
        </ul>
      )}
      {isEditing ? (
        <MessageEditor
          label={words.editMessage}
          text={turn.text}
          saveLabel={words.sendAgain}
          onCancel={() => setIsEditing(false)}
          onSave={(text) => {
            setIsEditing(false);
            chat.resend(turn.id, text);
          }}
        />
      ) : (
        <>
          {turn.text !== "" && <p className="break-words whitespace-pre-wrap">{turn.text}</p>}
          <span className="-mx-2 -mb-1.5 flex justify-end">
            {turn.text !== "" && <CopyButton text={turn.text} label={words.copyMessage} iconOnly />}
            {maySend && (
              <IconButton
                label={words.editMessage}
                size="sm"
                icon={<Pencil aria-hidden="true" />}
                onClick={() => setIsEditing(true)}
              />
            )}
            <IconButton
              label={words.deleteMessage}
              size="sm"
              icon={<Trash2 aria-hidden="true" />}
              onClick={() => chat.delete(turn.id)}
            />
          </span>
        </>
      )}
    </article>
  );
}

const FILE_ICONS = { image: Image, audio: Music, file: FileText } as const;

function SentFile({ file }: { readonly file: AttachedFile }) {
  const Icon = FILE_ICONS[file.type];
  if (file.url !== undefined && mediaKindOf(file.url) === "image")
    return <img src={file.url} alt={file.name} className="max-h-40 max-w-full rounded-md border border-line" />;
  return (
    <span className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-surface px-2.5 py-1.5 text-sm">
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="truncate">{file.name}</span>
      <span className="shrink-0 text-muted">
        {file.url === undefined ? words.fileNotKept : formatBytes(file.bytes)}
      </span>
    </span>
  );
}

interface ColumnRepliesProps extends TurnViewProps {
  readonly column: Column;
}

function ColumnReplies({ chat, turn, column, columns, maySend, isLast }: ColumnRepliesProps) {
  const mayGive = usePermission("feedback.give");
  const replies = turn.replies[column.id] ?? [];
  const last = lastReply(turn, column.id);
  const name = last?.model ?? column.model;
  const ids = columns.map(({ id }) => id);
  return (
    <article
      aria-label={words.replyOf(name)}
      className="grid min-w-0 content-start gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <header className="flex min-w-0 flex-wrap items-center gap-2">
        <h2 className="min-w-0 text-sm font-medium wrap-anywhere text-muted">{name}</h2>
        {distinctionsOf(turn, ids, column.id).map(({ kind, share }) => (
          <Badge key={kind} tone="positive">
            {words[kind](formatPercent(share))}
          </Badge>
        ))}
      </header>
      {replies.map((reply, index) => (
        <ReplyView
          // biome-ignore lint/suspicious/noArrayIndexKey: a reply is its place after its message.
          key={index}
          chat={chat}
          turn={turn}
          place={{ turnId: turn.id, columnId: column.id, index }}
          reply={reply}
          isLast={index === replies.length - 1}
          maySend={maySend}
        />
      ))}
      {replies.length === 0 && (
        <div className="grid justify-items-start gap-2">
          <p className="text-sm text-muted">{words.noReplyYet}</p>
          {maySend && (
            <Button
              size="sm"
              icon={<RefreshCw aria-hidden="true" />}
              onClick={() => chat.regenerate(turn.id, column.id)}
            >
              {words.generateReply}
            </Button>
          )}
        </div>
      )}
      {isLast && last?.status === "done" && last.requestId !== undefined && last.calls.length === 0 && (
        <AnswerFeedback key={last.requestId} requestId={last.requestId} given={undefined} mayGive={mayGive} />
      )}
    </article>
  );
}
