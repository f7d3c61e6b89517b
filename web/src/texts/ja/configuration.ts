import type { configuration as english } from "../en/configuration.ts";
import { plural } from "../plural.ts";

/** 運営者、構成。 */
export const configuration: typeof english = {
  title: "構成",
  intro:
    "このインスタンスが使っている設定です。ダッシュボードの設定は環境変数より、環境変数は構成ファイルより優先されます。秘密の値は表示されません。",
  loading: "構成を読み込んでいます",
  show: "表示",
  changed: "変更あり",
  all: "すべて",
  search: "設定を検索",
  name: "設定",
  value: "値",
  source: "設定元",
  notSet: "未設定",
  secret: "設定済み（非表示）",
  count: (count: number) => plural(count, { other: "件の設定" }),
  none: "設定が見つかりません",
  sources: {
    default: "既定値",
    file: "構成ファイル",
    environment: "環境変数",
    "command line": "コマンドライン",
    dashboard: "ダッシュボード",
  },
};
