import type { configuration as english } from "../en/configuration.ts";
import { plural } from "../plural.ts";

/** 运营者：配置。 */
export const configuration: typeof english = {
  title: "配置",
  intro: "此实例当前使用的设置。控制台中的设置优先于环境变量，环境变量优先于配置文件。机密永不显示。",
  loading: "正在加载配置",
  show: "显示",
  changed: "已更改",
  all: "全部",
  search: "搜索设置",
  name: "设置",
  value: "值",
  source: "来源",
  notSet: "未设置",
  secret: "已设置，已隐藏",
  count: (count: number) => plural(count, { other: "项设置" }),
  none: "未找到设置",
  sources: {
    default: "默认值",
    file: "配置文件",
    environment: "环境变量",
    "command line": "命令行",
    dashboard: "控制台",
  },
};
