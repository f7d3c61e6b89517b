import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

const TONES = {
  info: { icon: Info, look: "bg-info-soft [&>svg]:text-info" },
  positive: { icon: CircleCheck, look: "bg-positive-soft [&>svg]:text-positive" },
  warning: { icon: TriangleAlert, look: "bg-warning-soft [&>svg]:text-warning" },
  danger: { icon: CircleAlert, look: "bg-danger-soft [&>svg]:text-danger" },
} as const;

export interface BannerProps {
  readonly tone?: keyof typeof TONES;
  readonly title?: ReactNode;
  readonly action?: ReactNode;
  readonly className?: string;
  readonly children?: ReactNode;
}

/** A message that stays in its place. One of danger is spoken at once. */
export function Banner({ tone = "info", title, action, className, children }: BannerProps) {
  const { icon: Icon, look } = TONES[tone];
  return (
    <div
      role={tone === "danger" ? "alert" : "status"}
      className={cx("flex items-start gap-2.5 rounded-md px-3.5 py-2.5", look, className)}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 grow">
        {title !== undefined && <p className="font-medium">{title}</p>}
        {children !== undefined && <div>{children}</div>}
      </div>
      {action !== undefined && <div className="shrink-0">{action}</div>}
    </div>
  );
}
