import { expect, test } from 'vitest';
import { keysOfShell } from '../../../src/a2a/keys';

test('a value stands for itself, a secret for its variable', async () => {
  const key = keysOfShell({ MM_SECRET_proxy: 'a', MM_SECRET_TEAM_PROXY: 'b', MM_SECRET_EMPTY: '' });
  expect(await key({ kind: 'value', value: 'v' }, 'http://x')).toBe('v');
  expect(await key({ kind: 'secret', name: 'proxy' }, 'http://x')).toBe('a');
  expect(await key({ kind: 'secret', name: 'team-proxy' }, 'http://x')).toBe('b');
});

test.each([['nobody'], ['empty']])('a secret that is not set says which variable: %s', async (name) => {
  await expect(keysOfShell({ MM_SECRET_EMPTY: '' })({ kind: 'secret', name }, 'http://x')).rejects.toMatchObject({
    message: `The secret ${name} is not set.`,
    hint: `Give it to mm by the environment variable MM_SECRET_${name.toUpperCase()}.`,
  });
});
