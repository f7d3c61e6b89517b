import { Link } from "@tanstack/react-router";
import { useSession } from "../api/session.ts";
import { texts } from "../texts/texts.ts";
import { cx } from "../ui/cx.ts";
import { Tooltip } from "../ui/tooltip.tsx";
import { navigationFor } from "./navigation.ts";

export interface NavigationListProps {
  readonly isCollapsed?: boolean;
  readonly onNavigate?: () => void;
}

/** The links to every page, in groups. */
export function NavigationList({ isCollapsed = false, onNavigate }: NavigationListProps) {
  const groups = navigationFor(useSession());
  return (
    <nav aria-label={texts.shell.mainNavigation} className="grid gap-4">
      {groups.map((group) => (
        <div key={group.label ?? "first"} className="grid gap-0.5">
          {group.label !== undefined && !isCollapsed && (
            <span className="px-2.5 pb-1 text-xs font-medium text-faint">{group.label}</span>
          )}
          {group.items.map((item) => {
            const link = (
              <Link
                key={item.to}
                to={item.to}
                activeOptions={{ exact: item.to === "/" }}
                onClick={onNavigate}
                className={cx(
                  "flex items-center gap-2.5 rounded-md text-muted hover:bg-hover hover:text-text [&_svg]:size-4 [&_svg]:shrink-0",
                  isCollapsed ? "size-9 justify-center" : "h-8.5 px-2.5 pointer-coarse:h-11",
                )}
                activeProps={{
                  className: "bg-hover font-medium text-text! [&_svg]:text-accent-text",
                  "aria-current": "page",
                }}
              >
                <item.icon aria-hidden="true" />
                <span className={isCollapsed ? "sr-only" : undefined}>{item.label}</span>
              </Link>
            );
            return isCollapsed ? (
              <Tooltip key={item.to} content={item.label} side="right">
                {link}
              </Tooltip>
            ) : (
              link
            );
          })}
        </div>
      ))}
    </nav>
  );
}
