import { Link } from "@tanstack/react-router";
import { Code, LoaderCircle, Pencil, RefreshCw } from "lucide-react";
import { type ReactNode, useMemo, useState, useSyncExternalStore } from "react";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatMs } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Money } from "../../ui/money.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { AnswerFeed } from "./answer-feed.ts";
import type { Chat } from "./chat.ts";
import type { Reply, Turn } from "./conversation.ts";
import type { LiveReply } from "./live-reply.ts";
import { BlockView } from "./markdown-view.tsx";
import { mediaKindOf } from "./media-kind.ts";
import { MediaView } from "./media-view.tsx";
import { MessageEditor } from "./message-editor.tsx";
import { RunError } from "./run-error.tsx";
import { ToolCalls } from "./tool-calls.tsx";
import type { ReplyPlace } from "./turns.ts";

const { playground: words } = texts;

interface ReplyViewProps {
  readonly chat: Chat;
  readonly turn: Turn;
  readonly place: ReplyPlace;
  readonly reply: Reply;
  /** Whether it is the last of its column in this turn, which can be made anew or answered. */
  readonly isLast: boolean;
  readonly maySend: boolean;
}

/** One answer of a model, while it comes and after, with what it cost and how long it took. */
export function ReplyView({ chat, turn, place, reply, isLast, maySend }: ReplyViewProps) {
  const [isRaw, setIsRaw] = useState(false);
  const [isEditing, setIsEditing] = useState(false);
  if (reply.status === "running") {
    const live = chat.live(place);
    return live === undefined ? null : <LiveView live={live} />;
  }
  if (isEditing)
    return (
      <MessageEditor
        label={words.editReply}
        text={reply.text}
        saveLabel={words.saveReply}
        onCancel={() => setIsEditing(false)}
        onSave={(text) => {
          chat.editReply(place, text);
          setIsEditing(false);
        }}
      />
    );
  const isText = reply.mediaUrl === undefined && reply.text !== "";
  return (
    <div className="grid min-w-0 gap-3">
      {reply.thinking !== undefined && <Thinking text={reply.thinking} />}
      <Content reply={reply} input={turn.text} isRaw={isRaw} />
      {reply.calls.length > 0 && (
        <ToolCalls
          calls={reply.calls}
          mayAnswer={isLast && maySend && reply.status === "done"}
          onAnswer={(results) => chat.answerCalls(place.turnId, place.columnId, results)}
        />
      )}
      {reply.error !== undefined && <RunError error={reply.error} />}
      <footer className="flex min-w-0 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <Facts reply={reply} />
        <span className="-mx-1.5 flex">
          {isText && (
            <>
              <IconButton
                label={isRaw ? words.showFormatted : words.showRaw}
                aria-pressed={isRaw}
                size="sm"
                icon={<Code aria-hidden="true" />}
                onClick={() => setIsRaw(!isRaw)}
              />
              <CopyButton text={reply.text} label={words.copyReply} iconOnly />
              <IconButton
                label={words.editReply}
                size="sm"
                icon={<Pencil aria-hidden="true" />}
                onClick={() => setIsEditing(true)}
              />
            </>
          )}
          {isLast && maySend && (
            <IconButton
              label={words.regenerate}
              size="sm"
              icon={<RefreshCw aria-hidden="true" />}
              onClick={() => chat.regenerate(place.turnId, place.columnId)}
            />
          )}
        </span>
      </footer>
    </div>
  );
}

function LiveView({ live }: { readonly live: LiveReply }) {
  useSyncExternalStore(live.subscribe, live.version);
  const isEmpty = live.feed.isEmpty;
  return (
    <div aria-busy="true" className="grid min-w-0 gap-3">
      {live.thinking !== "" && <Thinking text={live.thinking} isOpen={isEmpty} />}
      <Blocks feed={live.feed} />
      <p role="status" className="flex items-center gap-2 text-sm text-muted">
        <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
        {words.generating}
      </p>
    </div>
  );
}

function Content({ reply, input, isRaw }: { readonly reply: Reply; readonly input: string; readonly isRaw: boolean }) {
  const { text, status, mediaUrl, calls } = reply;
  const feed = useMemo(() => {
    const whole = new AnswerFeed();
    whole.push(text);
    return whole;
  }, [text]);
  // A multimodal model may answer with an image, which comes as its address.
  const inside = mediaKindOf(text.slice(0, 32));
  if (mediaUrl !== undefined) {
    const isSound = mediaKindOf(mediaUrl) === "audio" || /\.(?:mp3|wav|ogg|opus|flac|aac)(?:\?|$)/i.test(mediaUrl);
    return <MediaView url={mediaUrl} kind={isSound ? "audio" : "image"} input={input} />;
  }
  if (inside !== undefined) return <MediaView url={text.trim()} kind={inside} input={input} />;
  if (text === "")
    return status === "done" && calls.length === 0 ? <p className="text-muted">{words.emptyReply}</p> : null;
  if (isRaw)
    return (
      <pre tabIndex={0} className="max-h-160 overflow-auto text-sm break-words whitespace-pre-wrap">
        {text}
      </pre>
    );
  return <Blocks feed={feed} />;
}

function Blocks({ feed }: { readonly feed: AnswerFeed }) {
  const { closed, open } = feed.read();
  if (closed.length === 0 && open === undefined) return null;
  return (
    <div className="grid min-w-0 gap-3">
      {closed.map((block) => (
        <BlockView key={block.id} block={block} />
      ))}
      {open !== undefined && <BlockView key={open.id + closed.length} block={open} />}
    </div>
  );
}

function Thinking({ text, isOpen = false }: { readonly text: string; readonly isOpen?: boolean }) {
  return (
    <details open={isOpen || undefined}>
      <summary className="w-fit rounded-sm text-sm font-medium text-muted hover:text-text">{words.thinking}</summary>
      <p className="mt-2 max-h-64 overflow-y-auto border-l-2 border-line-strong pl-3 text-sm break-words whitespace-pre-wrap text-muted">
        {text}
      </p>
    </details>
  );
}

/** What it cost and how long it took. */
function Facts({ reply }: { readonly reply: Reply }) {
  const { status, cost, firstMs, totalMs, inputTokens, outputTokens, requestId, models } = reply;
  return (
    <dl className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      {status === "stopped" && (
        <div>
          <dt className="sr-only">{words.status}</dt>
          <dd>
            <Badge>{words.stopped}</Badge>
          </dd>
        </div>
      )}
      {models !== undefined && <Fact label={words.answeredBy}>{models.join(", ")}</Fact>}
      {cost !== undefined && (
        <Fact label={words.cost}>
          <Money credits={cost} />
        </Fact>
      )}
      {totalMs !== undefined && <Fact label={words.latency}>{formatMs(totalMs)}</Fact>}
      {firstMs !== undefined && <Fact label={words.firstToken}>{formatMs(firstMs)}</Fact>}
      {inputTokens !== undefined && (
        <Fact label={words.tokens}>{words.tokenCounts(inputTokens, outputTokens ?? 0)}</Fact>
      )}
      {requestId !== undefined && (
        <div>
          <dt className="sr-only">{words.request}</dt>
          <dd>
            <Link to="/requests/$id" params={{ id: requestId }} className={TEXT_LINK}>
              {words.viewRequest}
            </Link>
          </dd>
        </div>
      )}
    </dl>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-wrap gap-x-1.5">
      <dt className="text-muted">{label}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
