/** What the browser's side of the API says. */
export const api = {
  failed: "Algo salió mal. Inténtalo de nuevo.",
  wallet: {
    declined: "Lo rechazaste en la cartera. No se envió nada.",
    noAddress: (name: string) => `${name} no proporcionó ninguna dirección. Desbloquéala e inténtalo de nuevo.`,
    notSigned: (name: string) => `${name} no firmó. Inténtalo de nuevo.`,
    unknownChain: (name: string, chain: number) => `${name} no conoce la cadena ${chain}. Añádela allí y luego paga.`,
    notSent: (name: string) => `${name} no envió nada. Inténtalo de nuevo.`,
  },
  passkeys: {
    bareAddress: "Las claves de acceso no funcionan con una dirección IP. Abre esta página por su nombre de dominio.",
    insecure: "Las claves de acceso requieren HTTPS. Abre esta página por su dirección https://.",
    unsupported: "Este navegador no admite claves de acceso.",
    notUsed: "No se usó ninguna clave de acceso.",
    notCreated: "No se creó ninguna clave de acceso.",
    exists: "Este dispositivo ya tiene una clave de acceso para tu cuenta.",
  },
};
