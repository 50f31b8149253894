/** What is known of a provider's name. */
export interface Preset {
  /** Address of the OpenAI-compatible server, without a trailing slash; absent for `demo`. */
  baseUrl?: string;
  /** The environment variable in which its key usually stands; absent where no key is needed. */
  keyVariable?: string;
  /** The model when the file names none; absent where one must be named. */
  model?: string;
}

/** Every name that `provider` may have. Each speaks OpenAI's chat completions, but `demo`, which speaks to nobody. */
export const presets: Readonly<Record<string, Preset>> = Object.freeze({
  demo: { model: 'demo' },
  openai: { baseUrl: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  ollama: { baseUrl: 'http://localhost:11434/v1' },
  lmstudio: { baseUrl: 'http://localhost:1234/v1' },
  llamacpp: { baseUrl: 'http://localhost:8080/v1' },
  vllm: { baseUrl: 'http://localhost:8000/v1' },
  docker: { baseUrl: 'http://localhost:12434/engines/v1' },
  litellm: { baseUrl: 'http://localhost:4000/v1' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', keyVariable: 'OPENROUTER_API_KEY' },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', keyVariable: 'MISTRAL_API_KEY' },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', keyVariable: 'GROQ_API_KEY' },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', keyVariable: 'DEEPSEEK_API_KEY' },
});

export function presetOf(provider: string): Preset | undefined {
  return Object.hasOwn(presets, provider) ? presets[provider] : undefined;
}
