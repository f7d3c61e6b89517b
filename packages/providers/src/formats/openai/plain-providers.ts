/** A provider that is spoken to in the usual way. */
type PlainProvider = readonly [id: string, name: string, baseUrl: string, ...keyVariables: readonly string[]];

/**
 * OpenAI-compatible providers without known differences. Variables that hold a key for other purposes as well, such as
 * that of a cloud account, are not among them: such a key must not be sent to a provider because it is there.
 */
export const PLAIN_PROVIDERS: readonly PlainProvider[] = [
  ["abacus", "Abacus.AI", "https://routellm.abacus.ai/v1", "ABACUS_API_KEY"],
  ["aihubmix", "AIHubMix", "https://aihubmix.com/v1", "AIHUBMIX_API_KEY"],
  ["baseten", "Baseten", "https://inference.baseten.co/v1", "BASETEN_API_KEY"],
  ["berget", "Berget", "https://api.berget.ai/v1", "BERGET_API_KEY"],
  ["chutes", "Chutes", "https://llm.chutes.ai/v1", "CHUTES_API_KEY"],
  ["clarifai", "Clarifai", "https://api.clarifai.com/v2/ext/openai/v1", "CLARIFAI_PAT"],
  ["cortecs", "Cortecs", "https://api.cortecs.ai/v1", "CORTECS_API_KEY"],
  ["friendli", "Friendli", "https://api.friendli.ai/serverless/v1", "FRIENDLI_TOKEN"],
  ["gmi", "GMI Cloud", "https://api.gmi-serving.com/v1", "GMI_API_KEY", "GMICLOUD_API_KEY"],
  ["helicone", "Helicone", "https://ai-gateway.helicone.ai/v1", "HELICONE_API_KEY"],
  ["inception", "Inception", "https://api.inceptionlabs.ai/v1", "INCEPTION_API_KEY"],
  ["inference", "Inference.net", "https://inference.net/v1", "INFERENCE_API_KEY"],
  ["ionet", "io.net", "https://api.intelligence.io.solutions/api/v1", "IOINTELLIGENCE_API_KEY"],
  ["llama", "Llama API", "https://api.llama.com/compat/v1", "LLAMA_API_KEY"],
  ["llmgateway", "LLM Gateway", "https://api.llmgateway.io/v1", "LLMGATEWAY_API_KEY"],
  ["modelscope", "ModelScope", "https://api-inference.modelscope.cn/v1", "MODELSCOPE_API_KEY"],
  ["morph", "Morph", "https://api.morphllm.com/v1", "MORPH_API_KEY"],
  ["nanogpt", "NanoGPT", "https://nano-gpt.com/api/v1", "NANO_GPT_API_KEY", "NANOGPT_API_KEY"],
  ["nearai", "NEAR AI", "https://cloud-api.near.ai/v1", "NEARAI_API_KEY"],
  ["nova", "Amazon Nova", "https://api.nova.amazon.com/v1", "NOVA_API_KEY"],
  ["novita", "Novita", "https://api.novita.ai/openai", "NOVITA_API_KEY"],
  ["ovhcloud", "OVHcloud", "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1", "OVHCLOUD_API_KEY"],
  ["poe", "Poe", "https://api.poe.com/v1", "POE_API_KEY"],
  ["poolside", "Poolside", "https://inference.poolside.ai/v1", "POOLSIDE_API_KEY"],
  ["publicai", "Public AI", "https://api.publicai.co/v1", "PUBLICAI_API_KEY"],
  ["qiniu", "Qiniu", "https://api.qnaigc.com/v1", "QINIU_API_KEY"],
  ["regolo", "Regolo", "https://api.regolo.ai/v1", "REGOLO_API_KEY"],
  ["requesty", "Requesty", "https://router.requesty.ai/v1", "REQUESTY_API_KEY"],
  ["sakana", "Sakana AI", "https://api.sakana.ai/v1", "SAKANA_API_KEY"],
  ["scaleway", "Scaleway", "https://api.scaleway.ai/v1", "SCALEWAY_API_KEY"],
  ["siliconflow", "SiliconFlow", "https://api.siliconflow.com/v1", "SILICONFLOW_API_KEY"],
  ["stackit", "STACKIT", "https://api.openai-compat.model-serving.eu01.onstackit.cloud/v1", "STACKIT_API_KEY"],
  ["stepfun", "StepFun", "https://api.stepfun.com/v1", "STEPFUN_API_KEY"],
  ["synthetic", "Synthetic", "https://api.synthetic.new/openai/v1", "SYNTHETIC_API_KEY"],
  ["tencent", "Tencent TokenHub", "https://tokenhub.tencentmaas.com/v1", "TENCENT_TOKENHUB_API_KEY"],
  ["tinfoil", "Tinfoil", "https://inference.tinfoil.sh/v1", "TINFOIL_API_KEY"],
  ["upstage", "Upstage", "https://api.upstage.ai/v1/solar", "UPSTAGE_API_KEY"],
  ["venice", "Venice", "https://api.venice.ai/api/v1", "VENICE_AI_API_KEY", "VENICE_API_KEY"],
  ["xiaomi", "Xiaomi", "https://api.xiaomimimo.com/v1", "XIAOMI_API_KEY", "XIAOMI_MIMO_API_KEY"],
  ["zenmux", "ZenMux", "https://zenmux.ai/api/v1", "ZENMUX_API_KEY"],
];
