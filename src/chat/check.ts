import type { Node, Patch } from './nodes';
import { obj, type Raw } from './raw';

/** Fields that a node of each kind must have, with their types, so that no view meets an undefined where the type promises more. */
const fields: Record<Node['kind'], Record<string, 'string' | 'number' | 'boolean' | 'array' | 'object'>> = {
  user: { text: 'string' },
  turn: { agent: 'object', state: 'string' },
  ask: {
    agent: 'object',
    askedBy: 'string',
    depth: 'number',
    prompt: 'string',
    withContext: 'boolean',
    state: 'string',
    kept: 'boolean',
    cut: 'number',
  },
  text: { text: 'string', done: 'boolean' },
  thought: { text: 'string', done: 'boolean' },
  tool: {
    toolCallId: 'string',
    name: 'string',
    title: 'string',
    toolKind: 'string',
    state: 'string',
    what: 'string',
    output: 'string',
    outputCut: 'number',
    diffs: 'array',
  },
  plan: { entries: 'array' },
  permission: {
    questionId: 'string',
    name: 'string',
    verb: 'string',
    command: 'string',
    hidden: 'number',
    cwd: 'string',
    chain: 'array',
    diffs: 'array',
    canAllow: 'boolean',
    canRemember: 'boolean',
    card: 'boolean',
    more: 'number',
    state: 'string',
  },
  notice: { shape: 'string', level: 'string', title: 'string', actions: 'array' },
  unsupported: { label: 'string', size: 'number' },
};

/** A patch from a file, or undefined for what is none (a torn line, another version's node). */
export function readPatch(value: unknown): Patch | undefined {
  const p = obj(value);
  if (!p) return undefined;
  switch (p.op) {
    case 'put':
      return isNode(p.node) ? { op: 'put', node: p.node } : undefined;
    case 'append':
      return typeof p.id === 'string' && typeof p.text === 'string'
        ? { op: 'append', id: p.id, text: p.text }
        : undefined;
    case 'remove':
      return typeof p.id === 'string' ? { op: 'remove', id: p.id } : undefined;
    default:
      return undefined;
  }
}

function isNode(value: unknown): value is Node {
  const node = obj(value);
  if (!node || typeof node.id !== 'string' || typeof node.at !== 'number' || typeof node.kind !== 'string')
    return false;
  if (node.parent !== undefined && typeof node.parent !== 'string') return false;
  const wanted = Object.hasOwn(fields, node.kind) ? fields[node.kind as Node['kind']] : undefined;
  return wanted !== undefined && Object.entries(wanted).every(([key, type]) => has(node, key, type));
}

function has(node: Raw, key: string, type: string): boolean {
  const value = node[key];
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return obj(value) !== undefined && (key !== 'agent' || typeof obj(value)?.name === 'string');
  return typeof value === type;
}
