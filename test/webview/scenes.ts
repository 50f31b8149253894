import type { AskNode, Node, PermissionNode, ToolNode, TurnNode } from '../../src/chat/nodes';
import type { PageState } from '../../src/chat/page';
import { pageState } from './page';

/** Conversations to look at, as the pages of the design show them. */
export interface Scene {
  nodes: Node[];
  state: PageState;
}

const clock = Date.UTC(2026, 10, 30, 10, 42);
export const ada = { name: 'Ada', provider: 'ollama', model: 'qwen3:32b' };
export const bob = { name: 'bob', provider: 'openai', model: 'qwen3:8b' };
export const riker = { name: 'riker', provider: 'anthropic', model: 'claude-haiku-4.5' };

/** Terminal colours, written as `[31m` so that they can be read here. */
const esc = (text: string) => text.replace(/\[(?=[\d;]+m)/g, '\u001b[');

let count = 0;
const id = () => `n${++count}`;

export function tool(parent: string, change: Partial<ToolNode>): ToolNode {
  return {
    kind: 'tool',
    id: id(),
    parent,
    at: clock,
    toolCallId: `call-${count}`,
    name: 'bash',
    title: change.what ?? '',
    toolKind: 'execute',
    state: 'done',
    what: '',
    output: '',
    outputCut: 0,
    diffs: [],
    endedAt: clock + 800,
    ...change,
  };
}

export function turn(change: Partial<TurnNode> = {}): TurnNode {
  return {
    kind: 'turn',
    id: id(),
    at: clock,
    agent: ada,
    state: 'done',
    endedAt: clock + 20_000,
    end: { how: 'done' },
    ...change,
  };
}

export function ask(change: Partial<AskNode> = {}): AskNode {
  return {
    kind: 'ask',
    id: id(),
    at: clock,
    agent: bob,
    askedBy: 'You',
    depth: 1,
    prompt: 'is this query safe?',
    withContext: false,
    state: 'done',
    endedAt: clock + 19_000,
    end: { how: 'done' },
    kept: true,
    cut: 0,
    ...change,
  };
}

const user = (text: string): Node => ({ kind: 'user', id: id(), at: clock, text });
const text = (parent: string, words: string, done = true): Node => ({
  kind: 'text',
  id: id(),
  parent,
  at: clock,
  text: words,
  done,
});
const thought = (parent: string, words: string, ms: number, done = true): Node => ({
  kind: 'thought',
  id: id(),
  parent,
  at: clock,
  text: words,
  done,
  endedAt: done ? clock + ms : undefined,
});

const testOutput = esc(`[2m RUN  v3.2.4[22m [36m~/shop[39m

 [32m✓[39m test/orders/total.test.ts [2m(12 tests)[22m [32m48ms[39m
 [31m❯[39m test/orders/list.test.ts [2m(9 tests |[22m [31m1 failed[39m[2m)[22m [33m9314ms[39m
   [31m× lists 400k orders under 500 ms[39m
     [31m→ expected 9213 to be less than 500[39m

[2m      Tests [22m [31;1m1 failed[0m [2m|[22m [32m20 passed[39m [2m(21)[22m
[2m   Duration [22m 11.42s
${'one more line of it\n'.repeat(14)}`);

const answer = `# The sort reads every order first

\`listOrders\` sorts by \`created_at\` before it limits, and no index covers that order. PostgreSQL reads all 412,000 rows of the customer, sorts them on disk, and throws away all but 50.

- **An index in that order**, so that the first page is one short range.
- **Keyset paging** in [list.ts:61](src/orders/list.ts:61) in place of \`OFFSET\`, so that page 900 costs what page 1 costs.

| First page | Rows read | Time |
|---|--:|--:|
| now | 412,000 | 9.2 s |
| with the index | 50 | 3 ms |

\`\`\`db/migrations/0042_orders_recent.sql
CREATE INDEX CONCURRENTLY orders_recent
  ON orders (customer_id, created_at DESC)
  INCLUDE (total, status)
  WHERE status <> 'draft'; -- 38 MB
\`\`\`

I have not run the migration. Shall I?`;

/** The conversation of the look: Ada's turn, then bob, who asks riker. */
export function conversation(ended = false): Scene {
  const t = turn();
  const a = ask({ at: Date.now() - 12_000, state: ended ? 'done' : 'running', tokens: 1800 });
  if (ended) a.endedAt = a.at + 19_000;
  else {
    delete a.end;
    delete a.endedAt;
    a.kept = false;
  }
  const r = ask({
    parent: a.id,
    agent: riker,
    askedBy: 'bob',
    depth: 2,
    tokens: 640,
    endedAt: clock + 4000,
    kept: false,
    prompt: 'How long do transactions stay open here?',
  });
  const nodes: Node[] = [
    user('Opening a big customer’s orders takes 9 seconds. Find out why, and fix the query.'),
    t,
    thought(
      t.id,
      'The page is slow only for customers with many rows, so the cost grows with the rows and not with the join.',
      6000,
    ),
    tool(t.id, { name: 'read', toolKind: 'read', what: 'db/orders.sql', endedAt: clock + 100 }),
    tool(t.id, { name: 'read', toolKind: 'read', what: 'src/orders/list.ts', endedAt: clock + 100 }),
    tool(t.id, { name: 'read', toolKind: 'read', what: 'db/schema.sql', endedAt: clock + 200 }),
    tool(t.id, { what: 'git log --oneline -5 -- db', output: 'a1b2c3 Orders\n', endedAt: clock + 1500 }),
    tool(t.id, {
      what: 'npm test -- orders',
      state: 'failed',
      exitCode: 1,
      output: testOutput,
      endedAt: clock + 11_400,
    }),
    text(t.id, answer),
    user('/ask-bob is this query safe?'),
    a,
    thought(a.id, 'Safe has two sides here.', 3000),
    tool(a.id, {
      name: 'bob/bash',
      what: 'EXPLAIN (ANALYZE, BUFFERS) SELECT id, total FROM orders',
      output: esc(
        '[1mLimit[22m  [2m(rows=50)[22m [2m(actual time=[22m0.031..0.118[2m)[22m\n  → [36mIndex Scan[39m using orders_recent\n    Buffers: shared hit=[32m7[39m\nExecution Time: [32m0.142 ms[39m\n',
      ),
    }),
    text(
      a.id,
      'Reading is safe: one index scan, seven pages. The build takes no lock that stops writers, but it waits for every open transaction. I ask riker how long those stay open here.',
    ),
    r,
    tool(r.id, {
      name: 'bob/riker/logs',
      toolKind: 'search',
      title: 'transactions over 5 s',
      what: 'duration > 5s, 30 d',
      endedAt: clock + 2100,
    }),
    text(r.id, 'The nightly export holds one for 38 s, between 02:00 and 02:20. Nothing else was longer than 2 s.'),
    text(
      a.id,
      "So: **safe by day**. Run it outside 02:00–02:20 and set `lock_timeout = '5s'`, so that a stuck session",
      ended,
    ),
  ];
  const state = ended
    ? pageState()
    : pageState({ running: [{ id: a.id, agent: bob, askedBy: 'You', state: 'running', since: a.at }] });
  return { nodes, state };
}

export function question(parent: string | undefined, change: Partial<PermissionNode>): PermissionNode {
  return {
    kind: 'permission',
    id: id(),
    parent,
    at: clock,
    questionId: `question-${count}`,
    name: 'bob/bash',
    verb: 'run',
    command: 'psql "$STAGING_URL" -v ON_ERROR_STOP=1 \\\n  -f db/migrations/0042_orders_recent.sql',
    hidden: 0,
    cwd: '~/shop',
    chain: [{ name: 'You' }, ada, bob],
    reason: 'Build the index on staging and measure the first page.',
    diffs: [],
    canAllow: true,
    canRemember: true,
    card: true,
    more: 0,
    state: 'waiting',
    ...change,
  };
}

export const edit = {
  path: 'src/orders/list.ts',
  added: 4,
  removed: 3,
  cut: 0,
  rows: [
    { kind: 'gap' as const, text: '57 unchanged lines' },
    { kind: 'same' as const, line: 58, text: 'export async function listOrders(q: Query) {' },
    { kind: 'same' as const, line: 59, text: '  const size = Math.min(q.size, 100);' },
    { kind: 'del' as const, line: 60, text: '  return db.many(sql`select * from orders' },
    { kind: 'del' as const, line: 61, text: '    where customer_id = ${q.customer}' },
    { kind: 'add' as const, line: 60, text: '  return db.many(sql`select id, total, status from orders' },
    { kind: 'add' as const, line: 61, text: '    where customer_id = ${q.customer}' },
    { kind: 'same' as const, line: 64, text: '    limit ${size}`);' },
  ],
};

/** Cards that wait, in bob's block, and how they look when they are answered. */
export function permissions(): Scene {
  const t = turn({ state: 'running', end: undefined, endedAt: undefined, at: Date.now() - 30_000 });
  const a = ask({
    parent: t.id,
    askedBy: 'Ada',
    state: 'waiting',
    end: undefined,
    endedAt: undefined,
    kept: false,
    tokens: 1100,
    at: Date.now() - 20_000,
  });
  return {
    nodes: [
      user('Build the index on staging.'),
      t,
      a,
      text(a.id, 'The plan is good. I build the index next, so that I can measure instead of guess.'),
      question(a.id, { more: 2 }),
      question(a.id, {
        name: 'bob/edit',
        verb: 'change',
        command: '',
        diffs: [edit],
        cwd: '',
        reason: 'Keyset paging in place of OFFSET.',
        chain: [{ name: 'You' }, bob],
      }),
      question(a.id, {
        name: 'bob/riker/bash',
        command: 'rm -rf ./tmp/[U+202E]gol.tropxe[U+000D]',
        hidden: 2,
        reason: undefined,
        chain: [{ name: 'You' }, ada, bob, riker],
      }),
      question(a.id, { name: 'bob/bash', canAllow: false, canRemember: false, reason: undefined, command: 'ls' }),
      question(a.id, { state: 'waiting', card: false }),
      question(a.id, { state: 'allowed' }),
      question(a.id, { name: 'bob/read', state: 'allowed-conversation' }),
      question(a.id, { name: 'bob/edit', state: 'rejected' }),
      question(a.id, { state: 'withdrawn' }),
      question(a.id, { state: 'refused' }),
    ],
    state: pageState({
      busy: true,
      busySince: t.at,
      waiting: 4,
      running: [{ id: a.id, agent: bob, askedBy: 'Ada', state: 'waiting', since: a.at }],
    }),
  };
}

/** What runs, what it becomes, and every way to end. */
export function states(): Scene {
  const t = turn({ state: 'running', end: undefined, endedAt: undefined, at: Date.now() - 41_000 });
  const done = turn();
  const nodes: Node[] = [
    done,
    text(done.id, 'The chart of the last 30 days:'),
    { kind: 'unsupported', id: id(), parent: done.id, at: clock, label: 'audio/wav', size: 48_000 },
    text(done.id, 'The peak is Sunday night, when the export and the backup meet.'),
    {
      kind: 'notice',
      id: id(),
      at: clock,
      shape: 'line',
      level: 'info',
      title: 'Ada does not remember what stands above',
      actions: [{ id: 'give-transcript', label: 'Give her the transcript' }],
    },
  ];
  const died = ask({
    state: 'done',
    kept: false,
    tokens: 210,
    endedAt: clock + 3000,
    end: {
      how: 'died',
      title: 'bob ended with exit code 1',
      stderrTail: esc(
        '[2m…[22m\n[31mError: connect ECONNREFUSED 127.0.0.1:11434[39m\n    at TCPConnectWrap.afterConnect\nmm: model server went away',
      ),
    },
  });
  nodes.push(user('/ask-bob is this query safe?'), died, text(died.id, 'I look at the plan of the query fir'));
  const failed = turn({
    end: {
      how: 'failed',
      title: 'The model server does not answer',
      detail: 'http://localhost:11434/v1 refused the connection. Start it, or change `baseUrl` in mm.yaml.',
    },
  });
  nodes.push(user('and now?'), failed);
  const ends: [AskNode['end'], Partial<AskNode>][] = [
    [{ how: 'stopped' }, { kept: false, endedAt: clock + 8000 }],
    [{ how: 'refusal' }, { kept: false }],
    [{ how: 'max_tokens' }, { cut: 12_310 }],
    [{ how: 'max_turn_requests' }, {}],
    [{ how: 'empty' }, { kept: false }],
    [{ how: 'watchdog', seconds: 300 }, { kept: false }],
    [{ how: 'not-asked', why: 'riker is at depth 2 and may ask nobody' }, { kept: false }],
  ];
  for (const [end, change] of ends) {
    const a = ask({ end, ...change });
    nodes.push(a);
    if (end?.how !== 'empty' && end?.how !== 'not-asked') nodes.push(text(a.id, 'Some words.'));
  }
  const start = ask({ state: 'starting', end: undefined, endedAt: undefined, kept: false, at: Date.now() - 4000 });
  const slow = ask({
    state: 'starting',
    end: undefined,
    endedAt: undefined,
    kept: false,
    at: Date.now() - 12_000,
    until: Date.now() + 18_000,
  });
  const deaf = ask({
    state: 'running',
    end: undefined,
    endedAt: undefined,
    kept: false,
    at: Date.now() - 9_000,
    stoppedAt: Date.now() - 3_000,
  });
  const silent = ask({
    agent: riker,
    state: 'running',
    end: undefined,
    endedAt: undefined,
    kept: false,
    at: Date.now() - 31_000,
  });
  nodes.push(user('/ask-bob is this query safe?'), start, slow, deaf, text(deaf.id, 'On and on.'), silent, t);
  nodes.push(
    thought(t.id, 'The newest words of the thought stand here while it runs.', 0, false),
    tool(t.id, { name: 'read', toolKind: 'read', what: 'src/orders/list.ts', endedAt: clock + 100 }),
    tool(t.id, {
      name: 'read',
      toolKind: 'read',
      what: 'src/orders/page.ts',
      state: 'running',
      endedAt: undefined,
      at: Date.now() - 400,
    }),
    tool(t.id, {
      what: 'npm test -- --watch=false',
      state: 'running',
      endedAt: undefined,
      at: Date.now() - 7000,
      output: esc('[32m✓[39m test/orders/total.test.ts [2m(12 tests)[22m\n[33m…[39m test/orders/list.test.ts\n'),
    }),
    tool(t.id, { name: 'edit', toolKind: 'edit', what: 'src/orders/list.ts', diffs: [edit] }),
    tool(t.id, { what: 'git push origin main', state: 'rejected' }),
    tool(t.id, { what: 'npm run build', state: 'cancelled' }),
    tool(t.id, { what: 'ls', state: 'no-result' }),
    tool(t.id, { what: 'rm -r dist', state: 'waiting', endedAt: undefined }),
    {
      kind: 'plan',
      id: id(),
      parent: t.id,
      at: clock,
      entries: [
        { content: 'Find what makes the page slow', status: 'completed' },
        { content: 'Page by key in place of OFFSET', status: 'in_progress' },
        { content: 'Add the index and measure on staging', status: 'pending' },
      ],
    },
  );
  return {
    nodes,
    state: pageState({
      busy: true,
      busySince: t.at,
      notices: [
        {
          kind: 'notice',
          id: id(),
          at: clock,
          shape: 'line',
          level: 'warning',
          title: '`mm.yaml` line 4: `modle` is not known; `model` is.',
          actions: [{ id: 'open-config', label: 'Open mm.yaml' }],
        },
      ],
    }),
  };
}

/** What hooks did: a question rewritten, an answer replaced, one kept back, one not let out (rule 10). */
export function hooks(): Scene {
  const line = (parent: string, title: string): Node => {
    const base = { kind: 'notice' as const, id: id(), parent, at: clock };
    return { ...base, shape: 'line', level: 'info', title, actions: [] };
  };
  const seen = (parent: string, words: string) => ({ ...text(parent, words), withheld: true }) as Node;
  const masked = ask({ prompt: 'who is [a customer], and is her key safe?', rewritten: true });
  const kept = ask({
    kept: false,
    end: { how: 'withheld', why: 'The hook ./keep.sh keeps the answer of bob back: a key' },
  });
  const refused = ask({
    kept: false,
    end: { how: 'not-asked', why: 'The hook ./redact.sh refused the question to bob: it names a customer' },
  });
  const broken = ask({
    kept: false,
    end: {
      how: 'failed',
      title: 'bob was not asked: the hook ./redact.sh ended with exit code 127.',
      detail: 'Mend it, or take it out of /home/me/shop/mm.yaml.\n./redact.sh: 3: jq: not found',
    },
  });
  return {
    nodes: [
      user('/ask-bob who is Jane Doe, and is her key safe?'),
      masked,
      line(masked.id, 'The hook ./redact.sh rewrote the question'),
      seen(masked.id, 'She is the third customer; her key is `hunter2`.'),
      line(masked.id, 'The hook ./mask.sh replaced this answer'),
      text(masked.id, 'She is the third customer; her key is `-----`.'),
      user('/ask-bob and the key?'),
      kept,
      seen(kept.id, 'The key is `hunter2`.'),
      user('/ask-bob who is Jane Doe?'),
      refused,
      user('/ask-bob hello'),
      broken,
    ],
    state: pageState({}),
  };
}

export function firstRun(demo = false): Scene {
  return { nodes: [], state: pageState({ demo }) };
}

export function blocked(kind: 'trust' | 'approval' | 'broken' = 'trust'): Scene {
  const base = { kind: 'notice' as const, id: id(), at: clock, shape: 'card' as const, level: 'warning' as const };
  const blockers = {
    trust: {
      ...base,
      title: 'This workspace is not trusted',
      text: 'No agent is started and no `mm.yaml` of this folder is read. You can still read old conversations.',
      actions: [{ id: 'manage-trust' as const, label: 'Manage Trust', primary: true }],
    },
    approval: {
      ...base,
      title: 'This folder’s mm.yaml names a program',
      text: 'It runs only after you have seen it. You are asked again when the file changes.',
      code: 'claude: claude-agent-acp --mode default\nhooks:  ./hooks/redact.sh',
      actions: [
        { id: 'show-file' as const, label: 'Show the File', primary: true },
        { id: 'allow-version' as const, label: 'Allow This Version' },
        { id: 'not-now' as const, label: 'Not Now' },
      ],
    },
    broken: {
      ...base,
      level: 'error' as const,
      title: 'mm.yaml cannot be read',
      code: '.mm/mm.yaml:4:8: expected a text, found a list',
      actions: [{ id: 'open-config' as const, label: 'Open mm.yaml', primary: true }],
    },
  };
  return { nodes: [], state: pageState({ blocker: blockers[kind], agents: [], homes: [] }) };
}
