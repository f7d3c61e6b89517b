import type { Binaries } from "./binaries.ts";
import type { DataFolder } from "./data-folder.ts";

/** How far an upgrade has come. */
export type UpgradeStep = "copying" | "filled" | "set aside";

/** What a cluster is opened with. */
export interface ClusterOptions {
  readonly folder: DataFolder;
  readonly binaries: Binaries;
  readonly passwordFile: string | undefined;
  readonly log: (line: string) => void;
  readonly onUpgradeStep?: ((step: UpgradeStep) => void) | undefined;
}
