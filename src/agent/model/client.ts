import { missingModel } from '../../config/overrides';
import type { MmConfig } from '../../config/types';
import type { ModelClient } from './types';

/** The model client that a configuration names. Loaded when the first prompt needs it, so that start does not pay for it. */
export async function modelFor(config: MmConfig): Promise<ModelClient> {
  const missing = missingModel(config);
  if (missing) throw missing;
  if (config.provider === 'demo') {
    const { DemoModel } = await import('./demo');
    return new DemoModel({ title: config.acp.title ?? 'mm', agents: [...config.mmConfigs.keys()] });
  }
  const { OpenAiModel } = await import('./openai');
  return new OpenAiModel(config);
}
