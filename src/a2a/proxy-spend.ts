import { fieldsOf, lineOf, linesOf, listOf, numberOf } from './fields';

/** What one day, or one agent on one day, has used. */
export interface Usage {
  /** Dollars. */
  spend: number;
  promptTokens: number;
  completionTokens: number;
  requests: number;
  failed: number;
}

export interface DayUsage extends Usage {
  /** `2026-11-30` */
  date: string;
  /** By agent id. An agent asked by its name stands under its name too (facts, 1.7). */
  agents: Map<string, Usage>;
}

/** Spend per day, oldest first. */
export interface Activity {
  days: DayUsage[];
  /** Dollars, of all these days. */
  totalSpend: number;
  /** Not all pages were read. */
  more: boolean;
}

/** The days of one page of `/agent/daily/activity`; undefined when it is none. */
export function readActivity(value: unknown): { days: DayUsage[]; more: boolean } | undefined {
  const { results, metadata } = fieldsOf(value);
  if (!Array.isArray(results)) return undefined;
  const days = listOf(results, 1_000).flatMap((item) => dayOf(fieldsOf(item)) ?? []);
  return { days, more: fieldsOf(metadata).has_more === true };
}

/** Two parts of the same day. */
export function mergedDays(one: DayUsage | undefined, other: DayUsage): DayUsage {
  if (!one) return other;
  const agents = new Map(one.agents);
  for (const [id, usage] of other.agents) agents.set(id, sum(agents.get(id), usage));
  return { date: other.date, ...sum(one, other), agents };
}

function sum(one: Usage | undefined, other: Usage): Usage {
  return {
    spend: (one?.spend ?? 0) + other.spend,
    promptTokens: (one?.promptTokens ?? 0) + other.promptTokens,
    completionTokens: (one?.completionTokens ?? 0) + other.completionTokens,
    requests: (one?.requests ?? 0) + other.requests,
    failed: (one?.failed ?? 0) + other.failed,
  };
}

function dayOf({ date, metrics, breakdown }: Record<string, unknown>): DayUsage | undefined {
  if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(date)) return undefined;
  const entities = Object.entries(fieldsOf(fieldsOf(breakdown).entities)).slice(0, 5_000);
  const agents = new Map(entities.map(([id, entity]) => [id, usageOf(fieldsOf(entity).metrics)]));
  return { date, ...usageOf(metrics), agents };
}

function usageOf(metrics: unknown): Usage {
  const { spend, prompt_tokens, completion_tokens, api_requests, failed_requests } = fieldsOf(metrics);
  return {
    spend: numberOf(spend) ?? 0,
    promptTokens: numberOf(prompt_tokens) ?? 0,
    completionTokens: numberOf(completion_tokens) ?? 0,
    requests: numberOf(api_requests) ?? 0,
    failed: numberOf(failed_requests) ?? 0,
  };
}

/** A virtual key, without the key. */
export interface KeyInfo {
  /** SHA-256 of the key, by which the proxy knows it; undefined where the proxy does not say. */
  token?: string;
  alias?: string;
  /** `sk-...5E5Q` */
  name?: string;
  agentId?: string;
  /** An empty list: every model. */
  models: string[];
  /** Agents that it may ask; undefined: no grants, so all of them. */
  agents?: string[];
  /** Dollars. */
  spend: number;
  maxBudget?: number;
  budgetDuration?: string;
  budgetResetAt?: string;
  tpm?: number;
  rpm?: number;
  expires?: string;
  blocked: boolean;
}

/** `/key/info` and `/key/generate` alike; undefined when nothing of it is there. */
export function readKeyInfo(value: unknown): KeyInfo | undefined {
  const outer = fieldsOf(value);
  const key = 'info' in outer ? fieldsOf(outer.info) : outer;
  if (!('models' in key) && !('key_name' in key)) return undefined;
  const agents = linesOf(fieldsOf(key.object_permission).agents, 1_000, 200);
  return {
    token: lineOf(key.token ?? key.token_id, 200),
    alias: lineOf(key.key_alias, 200),
    name: lineOf(key.key_name, 50),
    agentId: lineOf(key.agent_id, 500),
    models: linesOf(key.models, 1_000, 200),
    agents: agents.length > 0 ? agents : undefined,
    spend: numberOf(key.spend) ?? 0,
    maxBudget: numberOf(key.max_budget),
    budgetDuration: lineOf(key.budget_duration, 20),
    budgetResetAt: lineOf(key.budget_reset_at, 50),
    tpm: numberOf(key.tpm_limit),
    rpm: numberOf(key.rpm_limit),
    expires: lineOf(key.expires, 50),
    blocked: key.blocked === true,
  };
}

/** What `/model_group/info` says of a model that a key may use. */
export interface ProxyModel {
  name: string;
  providers: string[];
  maxInputTokens?: number;
  maxOutputTokens?: number;
  tools: boolean;
  vision: boolean;
}

/** Models by `/model_group/info`, or by `/v1/models`, which says their names only; undefined for anything else. */
export function readModels(value: unknown): ProxyModel[] | undefined {
  const { data } = fieldsOf(value);
  if (!Array.isArray(data)) return undefined;
  return listOf(data, 5_000).flatMap((item) => {
    const model = fieldsOf(item);
    const name = lineOf(model.model_group ?? model.id, 200);
    if (!name) return [];
    return {
      name,
      providers: linesOf(model.providers, 50, 100),
      maxInputTokens: numberOf(model.max_input_tokens),
      maxOutputTokens: numberOf(model.max_output_tokens),
      tools: model.supports_function_calling === true,
      vision: model.supports_vision === true,
    };
  });
}
