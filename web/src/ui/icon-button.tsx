import type { ReactNode } from "react";
import { Button, type ButtonProps, type ButtonSize } from "./button.tsx";
import { cx } from "./cx.ts";
import { Tooltip, type TooltipProps } from "./tooltip.tsx";

const SIZES: Readonly<Record<ButtonSize, string>> = {
  sm: "w-8 px-0 pointer-coarse:w-9",
  md: "w-9 px-0 pointer-coarse:w-10",
  lg: "w-11 px-0",
};

export interface IconButtonProps extends Omit<ButtonProps, "children" | "icon"> {
  /** What it does, for those who don't see the icon and in its tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
  readonly tooltipSide?: TooltipProps["side"];
}

/** A button that shows an icon alone. */
export function IconButton({
  label,
  icon,
  variant = "ghost",
  size = "md",
  tooltipSide = "top",
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip content={label} side={tooltipSide}>
      <Button
        {...rest}
        variant={variant}
        size={size}
        aria-label={label}
        icon={icon}
        className={cx(SIZES[size], className)}
      />
    </Tooltip>
  );
}
