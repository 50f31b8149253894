import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { approvalOf } from '../../../src/config/approval';

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mm-approval-'));
  mkdirSync(at('sub'));
  writeFileSync(at('mm.yaml'), 'mmConfigs:\n  bob: {path: sub/bob.yaml}\n  c: {command: npx, args: [agent, "a b"]}\n');
  writeFileSync(
    at('sub/bob.yaml'),
    'mmConfigs:\n  riker: {path: ../riker.yaml}\n  own: {command: ./run}\n  again: {command: npx, args: [agent, "a b"]}\n',
  );
  writeFileSync(at('riker.yaml'), 'mmConfigs: {ada: {path: mm.yaml}}\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('covers the file, every file named by path, and theirs; cycles end; programs are listed once', async () => {
  const approval = await approvalOf(at('mm.yaml'));
  expect(approval.files).toEqual([at('mm.yaml'), at('sub/bob.yaml'), at('riker.yaml')]);
  expect(approval.programs).toEqual(["npx agent 'a b'", at('sub/run')]);
  expect(approval.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(await approvalOf(at('mm.yaml'))).toEqual(approval);
});

it.each(['mm.yaml', 'sub/bob.yaml', 'riker.yaml'])('a change of %s changes the hash', async (name) => {
  const before = await approvalOf(at('mm.yaml'));
  writeFileSync(
    at(name),
    `${name === 'riker.yaml' ? '' : 'mmConfigs: {bob: {path: sub/bob.yaml}, riker: {path: ../riker.yaml}}'}\n# changed`,
  );
  expect((await approvalOf(at('mm.yaml'))).hash).not.toBe(before.hash);
});

it('a file that is missing counts as missing; when it appears, the hash is another', async () => {
  rmSync(at('riker.yaml'));
  const without = await approvalOf(at('mm.yaml'));
  expect(without.files).toContain(at('riker.yaml'));
  writeFileSync(at('riker.yaml'), '');
  expect((await approvalOf(at('mm.yaml'))).hash).not.toBe(without.hash);
});

it('a file with errors still counts with all that it names', async () => {
  writeFileSync(at('mm.yaml'), 'yolo: [\nmmConfigs: {bob: {path: sub/bob.yaml, yolo: 7}}\n');
  writeFileSync(at('mm.yaml'), 'yolo: 9\nmmConfigs: {"a b": {path: sub/bob.yaml, command: x}}\n');
  const approval = await approvalOf(at('mm.yaml'));
  expect(approval.files).toContain(at('riker.yaml'));
  expect(approval.programs).toContain('x');
});

it('the same file by another name is walked once', async () => {
  symlinkSync(at('mm.yaml'), at('link.yaml'));
  writeFileSync(at('riker.yaml'), 'mmConfigs: {ada: {path: link.yaml}}\n');
  expect((await approvalOf(at('mm.yaml'))).files).toHaveLength(3);
});
