import { describe, expect, it } from 'vitest';
import type { RequestPermissionOutcome, RequestPermissionRequest } from '../../../src/acp/types';
import { gateOptions, passGate } from '../../../src/agent/gate';

function gate(answer: string | 'cancelled' | Error, o: { yolo?: boolean; allowed?: string[]; keyFile?: boolean } = {}) {
  const asked: RequestPermissionRequest[] = [];
  const leave = { yolo: () => o.yolo === true, allowed: new Set(o.allowed) };
  const output = {
    update: async () => {},
    async requestPermission(request: RequestPermissionRequest): Promise<RequestPermissionOutcome> {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return answer === 'cancelled' ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: answer };
    },
  };
  const question = { sessionId: 's', tool: 'bash', toolCall: { toolCallId: 'c' }, keyFile: o.keyFile === true };
  const pass = () => passGate(question, leave, output, new AbortController().signal);
  return { pass, asked, leave };
}

describe('rule 4: what mm gates', () => {
  it('offers once, for this session, and reject; nothing lasting for a key file', () => {
    expect(gateOptions('bash', false).map((o) => o.kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
    expect(gateOptions('bash', true).map((o) => o.kind)).toEqual(['allow_once', 'reject_once']);
  });

  it('runs under yolo without a question', async () => {
    const { pass, asked } = gate('reject_once', { yolo: true });
    expect(await pass()).toEqual({ allowed: true });
    expect(asked).toHaveLength(0);
  });

  it('asks, and does what is answered', async () => {
    expect(await gate('allow_once').pass()).toEqual({ allowed: true });
    expect(await gate('reject_once').pass()).toMatchObject({ allowed: false });
    expect(await gate('something else').pass()).toMatchObject({ allowed: false });
    expect(await gate('cancelled').pass()).toMatchObject({ allowed: false });
    expect(await gate(new Error('method not found')).pass()).toMatchObject({ allowed: false });
  });

  it('remembers for the session, per tool', async () => {
    const { pass, asked, leave } = gate('allow_always');
    await pass();
    await pass();
    expect(asked).toHaveLength(1);
    expect([...leave.allowed]).toEqual(['bash']);
  });

  it('asks for a key file each time, whatever was allowed before', async () => {
    const { pass, asked } = gate('allow_once', { keyFile: true, allowed: ['bash'] });
    await pass();
    await pass();
    expect(asked).toHaveLength(2);
  });

  it('takes no lasting leave that was not offered', async () => {
    const { pass, leave } = gate('allow_always', { keyFile: true });
    expect(await pass()).toMatchObject({ allowed: false });
    expect(leave.allowed.size).toBe(0);
  });

  it('F043 ends with the turn when it was stopped meanwhile', async () => {
    const controller = new AbortController();
    const output = {
      update: async () => {},
      async requestPermission(): Promise<RequestPermissionOutcome> {
        controller.abort();
        return { outcome: 'selected', optionId: 'allow_once' };
      },
    };
    const question = { sessionId: 's', tool: 'bash', toolCall: { toolCallId: 'c' }, keyFile: false };
    await expect(
      passGate(question, { yolo: () => false, allowed: new Set() }, output, controller.signal),
    ).rejects.toThrow('cancelled');
  });
});
