import { useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormValue } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Money } from "../../ui/money.tsx";
import { Progress } from "../../ui/progress.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";

const TEXTS = texts.clusters;

/** How often it is asked what has followed. */
const FOLLOWING_MS = 1_000;

type Move = AnswerOf<"PUT /v1/admin/accounts/{id}/cluster">;

interface MoveAccountDialogProps {
  readonly account: { readonly id: string; readonly name: string; readonly cluster: number };
  readonly clusters: readonly { readonly number: number; readonly home: boolean; readonly reachable: boolean }[];
  readonly onMoved: () => Promise<void>;
  readonly onClose: () => void;
}

/** Moves an account to another cluster, and shows how its credits follow. */
export function MoveAccountDialog({ account, clusters, onMoved, onClose }: MoveAccountDialogProps) {
  const [move, setMove] = useState<Move>();
  const others = clusters.filter(({ number }) => number !== account.cluster);
  const form = useApiForm({
    values: { cluster: String(others.find(({ reachable }) => reachable)?.number ?? "") },
    send: ({ cluster }) =>
      api.call("PUT /v1/admin/accounts/{id}/cluster", {
        params: { id: account.id },
        body: { cluster: Number(cluster) },
      }),
    onSent: async (answer) => {
      setMove(answer);
      await onMoved();
    },
  });
  if (move !== undefined) return <Moved account={account} move={move} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={TEXTS.moveNamed(account.name)}
      description={TEXTS.moveText}
      submitLabel={TEXTS.move}
      disabled={form.watch("cluster") === ""}
      onClose={onClose}
    >
      <FormValue form={form} name="cluster">
        {({ value, onChange }) => (
          <RadioGroup
            label={TEXTS.to}
            value={value}
            onValueChange={onChange}
            options={others.map(({ number, home, reachable }) => ({
              value: String(number),
              label: TEXTS.named(number),
              description: reachable ? (home ? TEXTS.homeText : undefined) : TEXTS.awayText,
              disabled: !reachable,
            }))}
          />
        )}
      </FormValue>
    </FormDialog>
  );
}

interface MovedProps extends Pick<MoveAccountDialogProps, "account" | "onClose"> {
  readonly move: Move;
}

/** What has become of a move: credits that instances have leased follow when they are returned. */
function Moved({ account, move, onClose }: MovedProps) {
  const place = useQuery({
    queryKey: ["operator", "cluster", account.id, move.moved_at],
    queryFn: ({ signal }) => api.call("GET /v1/admin/accounts/{id}/cluster", { params: { id: account.id }, signal }),
    initialData: move,
    refetchInterval: ({ state }) => (state.data?.following === 0 ? false : FOLLOWING_MS),
  });
  const { following } = place.data;
  const all = move.moved + move.following;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.moved(account.name, move.cluster)}
      footer={<Button onClick={onClose}>{TEXTS.done}</Button>}
    >
      <div className="grid gap-4">
        {following === 0 ? (
          <Banner tone="positive">{TEXTS.arrived}</Banner>
        ) : (
          <>
            <Progress
              label={TEXTS.credits}
              value={all - following}
              max={all}
              text={
                <Sentence
                  text={TEXTS.creditsOf}
                  parts={{ arrived: <Money credits={all - following} />, all: <Money credits={all} /> }}
                />
              }
            />
            <p className="text-muted">{TEXTS.following}</p>
          </>
        )}
        <p className="text-muted">{TEXTS.past(move.from)}</p>
      </div>
    </Dialog>
  );
}
