import { isObject } from '../acp/check';
import { isShallow } from '../base/json';
import { secretName } from '../base/secrets';
import { type Card, readCard } from './card';
import { addressOf, fieldsOf, lineOf, linesOf, listOf, numberOf } from './fields';
import { isMarker } from './proxy-change';

/** Requests and tokens per minute; undefined is no limit. */
export interface AgentLimits {
  tpm?: number;
  rpm?: number;
  sessionTpm?: number;
  sessionRpm?: number;
  /** Calls of one session, and what one session may cost, in dollars. */
  maxIterations?: number;
  maxBudgetPerSession?: number;
}

/** What an agent may use. An empty list says nothing; `undefined` as a whole: the proxy names no permissions. */
export interface AgentPermissions {
  models: string[];
  mcpServers: string[];
  mcpAccessGroups: string[];
  mcpToolsets: string[];
  /** Tools by MCP server. */
  mcpTools: Record<string, string[]>;
  agents: string[];
}

/** One key that is bound to an agent; never the key itself. */
export interface AgentKey {
  /** SHA-256 of the key, by which the proxy knows it. */
  token: string;
  alias?: string;
  /** `sk-...5E5Q` */
  name?: string;
}

/** An agent as the proxy's list has it. Secrets of its settings are left out; the names stay. */
export interface ProxyAgent {
  id: string;
  name: string;
  /** What it says of itself; its `url` is the address behind the proxy. */
  card?: Card;
  /** Why there is no card, in words. */
  cardProblem?: string;
  /** Where the proxy reaches it, as it was registered. */
  upstream?: string;
  /** It stands in the proxy's config.yaml: it cannot be changed, survives every restart, and its id may change. */
  fromFile: boolean;
  isPublic: boolean;
  /** No A2A server: the proxy itself wraps this model with limits (facts, 2.3). */
  model?: { provider: string; name?: string };
  limits: AgentLimits;
  permissions?: AgentPermissions;
  /** Dollars so far; undefined without a database. */
  spend?: number;
  budget?: { max?: number; duration?: string; resetAt?: string };
  /** Dollars. */
  cost: { perQuery?: number; perInputToken?: number; perOutputToken?: number };
  keys: AgentKey[];
  guardrails: string[];
  /** Calls without the header `x-litellm-trace-id` are refused. */
  needsTrace: boolean;
  /** Headers that the proxy adds, and those that it passes on: names only. */
  staticHeaders: string[];
  extraHeaders: string[];
  /** `litellm_params` as they are, each secret as `***`; for comparing and showing. */
  settings: Record<string, unknown>;
  createdAt?: string;
  createdBy?: string;
  updatedAt?: string;
  updatedBy?: string;
}

/** Agents of one list: more than anybody has, and less than would fill a machine. */
const most = 20_000;

/** Both shapes of the list: a bare array, and `{agents: […]}`. Undefined for anything else; what is no agent is left out. */
export function readAgents(value: unknown): ProxyAgent[] | undefined {
  const list = isObject(value) ? value.agents : value;
  if (!Array.isArray(list)) return undefined;
  return listOf(list, most).flatMap((item) => readAgent(item) ?? []);
}

/** One agent, or undefined when it has no id and no name. */
export function readAgent(value: unknown): ProxyAgent | undefined {
  const agent = fieldsOf(value);
  // an id goes back into an address as it came
  const id = typeof agent.agent_id === 'string' && agent.agent_id.length <= 500 ? agent.agent_id : undefined;
  const name = lineOf(agent.agent_name, 200);
  if (!id || !name) return undefined;
  const params = fieldsOf(agent.litellm_params);
  const read = readCard(agent.agent_card_params, name);
  const provider = lineOf(params.custom_llm_provider, 100);
  return {
    id,
    name,
    ...(read.ok ? { card: read.card } : { cardProblem: read.words }),
    upstream: addressOf(fieldsOf(agent.agent_card_params).url) ?? (read.ok ? read.card.url : undefined),
    fromFile: !agent.created_at,
    isPublic: params.is_public === true,
    model: provider ? { provider, name: lineOf(params.model, 200) } : undefined,
    limits: {
      tpm: numberOf(agent.tpm_limit),
      rpm: numberOf(agent.rpm_limit),
      sessionTpm: numberOf(agent.session_tpm_limit),
      sessionRpm: numberOf(agent.session_rpm_limit),
      maxIterations: numberOf(params.max_iterations),
      maxBudgetPerSession: numberOf(params.max_budget_per_session),
    },
    permissions: isObject(agent.object_permission) ? permissionsOf(agent.object_permission) : undefined,
    spend: numberOf(agent.spend),
    budget: budgetOf(agent),
    cost: {
      perQuery: numberOf(params.cost_per_query),
      perInputToken: numberOf(params.input_cost_per_token),
      perOutputToken: numberOf(params.output_cost_per_token),
    },
    keys: listOf(agent.keys, 1_000).flatMap(keyOf),
    guardrails: linesOf(params.guardrails, 50, 100),
    needsTrace: params.require_trace_id_on_calls_to_agent === true,
    staticHeaders: Object.keys(fieldsOf(agent.static_headers)).flatMap((header) => lineOf(header, 200) ?? []),
    extraHeaders: linesOf(agent.extra_headers, 50, 200),
    settings: isShallow(params) ? (masked(params) as Record<string, unknown>) : {},
    createdAt: lineOf(agent.created_at, 50),
    createdBy: lineOf(agent.created_by, 200),
    updatedAt: lineOf(agent.updated_at, 50),
    updatedBy: lineOf(agent.updated_by, 200),
  };
}

function permissionsOf(value: Record<string, unknown>): AgentPermissions {
  const names = (key: string) => linesOf(value[key], 1_000, 200);
  return {
    models: names('models'),
    mcpServers: names('mcp_servers'),
    mcpAccessGroups: names('mcp_access_groups'),
    mcpToolsets: names('mcp_toolsets'),
    mcpTools: Object.fromEntries(
      Object.entries(fieldsOf(value.mcp_tool_permissions))
        .slice(0, 200)
        .map(([server, tools]) => [lineOf(server, 200) ?? '', linesOf(tools, 500, 200)]),
    ),
    agents: names('agents'),
  };
}

/** 1.100.1 has a `litellm_budget_table`, later versions a `budget` of the agent's own. */
function budgetOf(agent: Record<string, unknown>): ProxyAgent['budget'] {
  const from = isObject(agent.litellm_budget_table) ? agent.litellm_budget_table : fieldsOf(agent.budget);
  const max = numberOf(from.max_budget);
  return max === undefined
    ? undefined
    : { max, duration: lineOf(from.budget_duration, 20), resetAt: lineOf(from.budget_reset_at, 50) };
}

function keyOf(value: unknown): AgentKey | [] {
  const { token, key_alias, key_name } = fieldsOf(value);
  const hash = lineOf(token, 200);
  return hash ? { token: hash, alias: lineOf(key_alias, 200), name: lineOf(key_name, 50) } : [];
}

/** Settings whose names say that they are secret; `input_cost_per_token` is a price. */
const isSecret = (name: string) => secretName.test(name) && !/(^|_)cost_per_|_tokens?$|^(max|min)_/i.test(name);

function masked(value: unknown, secret = false): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, secret));
  if (isObject(value))
    return Object.fromEntries(
      // a header may hold anything
      Object.entries(value).map(([name, item]) => [
        name,
        masked(item, secret || isSecret(name) || /header/i.test(name)),
      ]),
    );
  if (typeof value !== 'string') return secret && value !== null && typeof value !== 'boolean' ? '***' : value;
  return secret || isMarker(value) || /\b(sk|pk)-\w{4}/.test(value) ? '***' : value;
}
