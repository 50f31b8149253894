/** What goes wrong on purpose; see proxy-stand-in.mjs. */
export type Fault =
  | 'html'
  | 'portal'
  | 'gateway'
  | 'garbage'
  | 'shape'
  | 'crash'
  | 'forbidden'
  | 'limit'
  | 'budget'
  | 'gone'
  | 'hang'
  | 'drop';

export interface StandInOptions {
  port?: number;
  database?: boolean;
  /** The Python package: without it a missing key is a 500. Default: as `database`. */
  prisma?: boolean;
  /** null: no authentication at all. Default: sk-1234. */
  masterKey?: string | null;
  /** Of its configuration file. */
  agents?: { agent_name: string; agent_card_params?: object; litellm_params?: object; [key: string]: unknown }[];
  storeModelInDb?: boolean;
  models?: string[];
  /** Whether an address answers, for `health_check`. Default: asks it. */
  reaches?(url: string): boolean | Promise<boolean>;
}

export interface StandInRegistry {
  options: StandInOptions;
  memory: Map<string, Record<string, unknown>>;
  rows: Map<string, Record<string, unknown>>;
  keys: Map<string, Record<string, unknown>>;
  publicGroups: string[];
  use(
    id: string,
    used?: { date?: string; spend?: number; promptTokens?: number; completionTokens?: number; failed?: boolean },
  ): void;
}

export interface ProxyStandIn {
  url: string;
  registry: StandInRegistry;
  requests: { method: string; url: string; keyed: boolean; body: Record<string, unknown> | undefined }[];
  restart(): void;
  fail(kind: Fault | undefined, options?: { path?: string; times?: number }): void;
  close(): Promise<void>;
}

export function startProxyStandIn(options?: StandInOptions): Promise<ProxyStandIn>;
