import * as z from 'zod/mini';

// `zod/mini` and not `zod`: this stands on mm's start path, where the whole library costs 40 ms (design, section 11).

/** Bounds of the numbers. Timers of Node turn into 1 ms beyond 2^31 ms, so nothing may come near it. */
export const limits = {
  maxOutput: { least: 1, most: 10_000_000, default: 20_000 },
  bashTimeout: { least: 1, most: 604_800, default: 120 },
  watchdogTimeout: { least: 1, most: 604_800, default: 300 },
  hookTimeout: { least: 0.1, most: 3_600, default: 10 },
} as const;

const filled = z.string().check(z.minLength(1));
const flag = z.optional(z.boolean());
const within = (l: { least: number; most: number }) => z.number().check(z.gte(l.least), z.lte(l.most));

export const acpSchema = z.object({ title: z.optional(filled), description: z.optional(z.string()) });

export const entrySchema = z.object({
  path: z.optional(filled),
  command: z.optional(filled),
  args: z.optional(z.array(z.string())),
  env: z.optional(z.record(z.string(), z.string())),
  a2a: z.optional(filled),
  key: z.optional(filled),
  description: z.optional(z.string()),
  yolo: flag,
});

export const proxySchema = z.object({
  url: z.optional(filled),
  key: z.optional(filled),
  adminKey: z.optional(filled),
});

export const serveSchema = z.object({ yolo: flag });

export const hookSchema = z.object({
  command: filled,
  args: z.optional(z.array(z.string())),
  env: z.optional(z.record(z.string(), z.string())),
  timeout: z.optional(within(limits.hookTimeout)),
});

export const hooksSchema = z.object({
  preAsk: z.optional(z.array(hookSchema)),
  postAsk: z.optional(z.array(hookSchema)),
});

/** The keys of `mm.yaml` that work today. What holds between keys (path or command, a model for a provider) is checked in `check.ts`. */
export const fileSchema = z.object({
  acp: z.optional(acpSchema),
  provider: z.optional(filled),
  model: z.optional(filled),
  baseUrl: z.optional(filled),
  apiKey: z.optional(filled),
  systemPrompt: z.optional(z.string()),
  yolo: flag,
  maxOutput: z.optional(within(limits.maxOutput).check(z.int())),
  bashTimeout: z.optional(within(limits.bashTimeout)),
  watchdogTimeout: z.optional(within(limits.watchdogTimeout)),
  hooks: z.optional(hooksSchema),
  proxies: z.optional(z.record(z.string(), proxySchema)),
  serve: z.optional(serveSchema),
  mmConfigs: z.optional(z.record(z.string(), entrySchema)),
});

/** What the schema accepts, before variables are filled in and paths are resolved. */
export type RawFile = z.infer<typeof fileSchema>;
export type RawEntry = z.infer<typeof entrySchema>;
export type RawProxy = z.infer<typeof proxySchema>;
export type RawHook = z.infer<typeof hookSchema>;

/** Known keys, by where they stand. */
export const knownKeys = {
  file: Object.keys(fileSchema.shape),
  entry: Object.keys(entrySchema.shape),
  acp: Object.keys(acpSchema.shape),
  hooks: Object.keys(hooksSchema.shape),
  hook: Object.keys(hookSchema.shape),
  proxy: Object.keys(proxySchema.shape),
  serve: Object.keys(serveSchema.shape),
};

/** Names that fit behind `/ask-`. */
export const entryName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
