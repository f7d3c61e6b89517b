/** Programs that run models on people's own machines, and where they usually listen. */
export const LOCAL_SERVERS: readonly { readonly id: string; readonly name: string; readonly port: number }[] =
  [
    { id: "ollama", name: "Ollama", port: 11_434 },
    { id: "llamacpp", name: "llama.cpp", port: 8_080 },
    { id: "vllm", name: "vLLM", port: 8_000 },
    { id: "lmstudio", name: "LM Studio", port: 1_234 },
  ];
