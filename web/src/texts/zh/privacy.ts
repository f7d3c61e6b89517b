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
  retention: {
    title: "数据保留",
    description: "您组织的数据保留多长时间。过期数据每天删除，无法恢复。",
    loading: "正在加载保留设置",
    kinds: { contents: "提示词和回答", details: "请求详情", responses: "已存储的响应", audit_log: "审计日志" },
    kindTexts: {
      contents: "随每个请求保存（如已开启存储）。",
      details: "路由、耗时、安全结果、标签和反馈。",
      responses: "后续请求会继续使用的响应和对话。",
      audit_log: "谁在您的组织中更改了什么。",
    },
    fixed: [
      ["请求的时间、密钥、模型、token 和费用", "会保留，因为账单以此为依据。"],
      ["付款", "会保留。"],
      ["幂等回答", "24 小时，使重试的请求得到相同的回答。"],
      ["Webhook 投递", "30 天。"],
    ],
    days: "天",
    unlimited: "不限",
    atLeast: (least: number) => `至少 ${least} 天；留空则使用默认值。`,
    between: (least: number, most: number) => `${least} 到 ${most} 天；留空则使用默认值。`,
    save: "保存保留设置",
    saved: "保留设置已保存",
  },
};
