import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { MmConfig } from '../../../src/config/types';
import type { OfferRequest } from '../../../src/host/offers';
import { type OfferDeps, offerAgent } from '../../../src/vscode/offer';
import { fake } from '../../support/vscode';

let started: OfferRequest[];
let refuse: (request: OfferRequest) => Error | undefined;
let secrets: Map<string, string>;
let ports: Record<string, number>;
let registered: string[][];

beforeEach(() => {
  fake.reset();
  started = [];
  refuse = () => undefined;
  secrets = new Map();
  ports = {};
  registered = [];
});

const config = (over: Partial<MmConfig> = {}): MmConfig => ({
  file: '/home/me/mm.yaml',
  hash: '',
  acp: {},
  provider: 'demo',
  model: '',
  yolo: true,
  maxOutput: 1,
  bashTimeout: 1,
  watchdogTimeout: 1,
  mmConfigs: new Map([['bob', { kind: 'path', path: '/home/me/bob.yaml', env: {} }]]),
  ...over,
});

function deps(over: Partial<OfferDeps> & { config?: () => MmConfig | undefined } = {}): OfferDeps {
  const start = async (request: OfferRequest) => {
    started.push(request);
    const error = refuse(request);
    if (error) throw error;
    return { name: request.name, url: `http://127.0.0.1:${request.port || 4321}/${request.name}` };
  };
  return {
    context: {
      secrets: {
        get: async (k: string) => secrets.get(k),
        store: async (k: string, v: string) => void secrets.set(k, v),
      },
      globalState: {
        get: () => ports,
        async update(_: string, value: Record<string, number>) {
          ports = value;
        },
      },
      globalStorageUri: { path: '/storage', scheme: 'file' },
    } as unknown as OfferDeps['context'],
    host: async () => ({ offers: { start } }) as never,
    config: () => config(),
    folder: async () => '/shop',
    ...over,
  };
}

async function answer(button?: string): Promise<string> {
  await vi.waitFor(() => expect(fake.messages.length).toBeGreaterThan(0));
  const message = fake.messages.at(-1)!;
  message.answer(button);
  return `${message.message} ${message.options?.detail ?? ''}`;
}

describe('offering an agent', () => {
  it('says where it works and what callers may do, and starts nothing before the answer', async () => {
    const offered = offerAgent('bob', deps());
    await vi.waitFor(() => expect(fake.messages).toHaveLength(1));
    expect(started).toEqual([]);
    const asked = await answer('Offer on This Machine');
    expect(asked).toContain('Offer bob to the team?');
    expect(asked).toContain('/shop');
    // the person's own yolo is none of callers
    expect(asked).toContain('is refused, unless the caller has a person who answers');
    await offered;
    expect(started).toEqual([
      expect.objectContaining({ name: 'bob', config: '/home/me/mm.yaml', cwd: '/shop', port: 0 }),
    ]);
    expect(ports).toEqual({ bob: 4321 });
  });

  it('`serve: {yolo: true}` is shown in full', async () => {
    const offered = offerAgent('bob', deps({ config: () => config({ serve: { yolo: true } }) }));
    expect(await answer('Offer on This Machine')).toMatch(/serve: \{yolo: true\}.*RUNS WITHOUT A QUESTION/);
    await offered;
  });

  it('a closed question offers nothing', async () => {
    const offered = offerAgent('bob', deps());
    await answer();
    await expect(offered).rejects.toThrow('cancelled');
    expect(started).toEqual([]);
    expect(secrets.size).toBe(0);
  });

  it('has a key of its own, made once, which stands in no message', async () => {
    for (let i = 0; i < 2; i++) {
      fake.messages.length = 0;
      const offered = offerAgent('bob', deps());
      await answer('Offer on This Machine');
      await offered;
    }
    expect(started[0]!.key).toMatch(/^[0-9a-f]{64}$/);
    expect(started[1]!.key).toBe(started[0]!.key);
    expect(JSON.stringify(fake.messages)).not.toContain(started[0]!.key);
  });

  it('keeps its address; where that is taken it gets another', async () => {
    ports = { bob: 5000 };
    refuse = ({ port }) => (port === 5000 ? new Error('in use') : undefined);
    const offered = offerAgent('bob', deps());
    await answer('Offer on This Machine');
    await offered;
    expect(started.map(({ port }) => port)).toEqual([5000, 0]);
    expect(ports).toEqual({ bob: 4321 });
  });

  it('can be registered at a proxy, with the key that it then sends', async () => {
    const offered = offerAgent('bob', deps({ register: async (url, key) => void registered.push([url, key]) }));
    await answer('Offer on This Machine');
    await offered;
    await vi.waitFor(() => expect(fake.messages.at(-1)!.message).toContain('It is asked at'));
    await answer('Register at the Proxy…');
    await vi.waitFor(() => expect(registered).toEqual([['http://127.0.0.1:4321/bob', started[0]!.key]]));
  });

  it('section 10: the mm.yaml of a folder offers nobody', async () => {
    const pins = { allows: () => true };
    await expect(offerAgent('bob', deps({ config: () => config({ pins }) }))).rejects.toThrow(
      'The mm.yaml of a folder',
    );
    await expect(offerAgent('nobody', deps())).rejects.toThrow('no agent of this window');
    expect(fake.messages).toEqual([]);
  });
});
