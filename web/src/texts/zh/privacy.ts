import type { privacy as english } from "../en/privacy.ts";

/** 组织的数据规则，以及个人自己的数据。 */
export const privacy: typeof english = {
  rules: "数据规则",
  rulesText: "根据提供商的声明，限定哪些模型可以为您的组织服务。密钥和请求只能更严格。",
  eu: "仅在欧盟处理请求",
  euText: "未声明地区或声明地区在欧盟以外的模型会被排除。本服务不核实这些声明。",
  noRetention: "仅使用不存储任何数据的提供商",
  noRetentionText: "声明会保留数据或未作声明的模型会被排除。",
  otherRules: (regions: string) => `由 API 设置的地区：${regions}。开启后将被替换。`,
  saved: "数据规则已保存",
  own: "您的数据",
  ownText: "本服务存储的关于您的全部数据：下载为文件，或永久删除。",
  download: "下载我的数据",
  downloadFailed: "无法生成文件。请重试。",
  erase: "删除我",
  eraseTitle: "要删除您自己吗？",
  eraseWarning:
    "您将在所有地方退出登录，并从所有组织中移除。您的姓名、邮箱和网络地址会被删除，审计日志中的也不例外。账单和请求记录会保留，其中不含个人姓名。此操作无法撤销。",
  signedExport: "签名导出",
};
