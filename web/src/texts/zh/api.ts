/** What the browser's side of the API says. */
export const api = {
  failed: "出了点问题，请重试。",
  wallet: {
    declined: "您已在钱包中拒绝，未发送任何内容。",
    noAddress: (name: string) => `${name} 未提供地址。请解锁后重试。`,
    notSigned: (name: string) => `${name} 未签名，请重试。`,
    unknownChain: (name: string, chain: number) => `${name} 不识别链 ${chain}。请先添加该链再付款。`,
    notSent: (name: string) => `${name} 未发送任何内容，请重试。`,
  },
  passkeys: {
    bareAddress: "通行密钥无法在 IP 地址上使用。请通过域名打开此页面。",
    insecure: "通行密钥需要 HTTPS。请通过 https:// 地址打开此页面。",
    unsupported: "此浏览器不支持通行密钥。",
    notUsed: "未使用通行密钥。",
    notCreated: "未创建通行密钥。",
    exists: "此设备已有您账户的通行密钥。",
  },
};
