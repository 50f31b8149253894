export function startSmallModel(options?: {
  template?: 'tools' | 'strict' | 'plain';
  port?: number;
  context?: number;
}): Promise<{ url: string; stop(): Promise<void> }>;
export function smallModelConfigs(url: string): Record<string, string>;
