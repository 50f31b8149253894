import type { AgentDetails, AgentGroup, AgentRow, Probe } from '../../src/a2a/view';

/** Agents to look at, as the pages of the design show them. */

const common: AgentRow['actions'] = [
  'ask',
  'ask-with-context',
  'details',
  'probe',
  'copy-model',
  'copy-curl',
  'open-card',
];

export const agent = (group: string, name: string, over: Partial<AgentRow> = {}): AgentRow => ({
  id: `${group}/${name}`,
  group,
  name,
  state: 'ready',
  actions: common,
  ...over,
});

export function scenes(now = Date.now()): AgentRow {
  return agent('proxy:team', 'scenes', {
    model: 'gpt-5-mini',
    description: 'Checks continuity between the scenes of a script',
    skills: ['continuity', 'timeline', 'characters'],
    spend: { used: 1.2, budget: 2, days: 1 },
    a2a: { versions: ['1.0'], streaming: true },
    probe: { at: now - 8000, ms: 41 },
    actions: [...common, 'compare', 'add-to-file'],
  });
}

export function agentGroups(now = Date.now()): AgentGroup[] {
  const local = (name: string, over: Partial<AgentRow>) => agent('window', name, over);
  const remote = (name: string, over: Partial<AgentRow>) => agent('proxy:team', name, over);
  return [
    {
      id: 'window',
      title: 'This window',
      rows: [
        local('Ada', { model: 'qwen3:32b', description: 'Reviews and plans', state: 'running' }),
        local('bob', {
          model: 'qwen3:8b',
          description: 'SQL and data questions',
          offered: true,
          registry: { ref: 'bob@team', serves: 'proxy' },
          actions: [...common, 'open-file', 'withdraw'],
        }),
        local('claude', { model: 'claude-agent-acp', description: 'Large refactors', state: 'asleep' }),
        local('troi', {
          model: 'qwen3:8b',
          description: 'Feelings',
          state: 'failing',
          why: 'Ended with exit code 1, 2 min ago',
        }),
      ],
    },
    {
      id: 'proxy:team',
      title: 'Behind the proxy',
      aside: 'localhost:4000',
      rows: [
        scenes(now),
        remote('worf', {
          model: 'claude-sonnet-4.5',
          description: 'Looks for security holes',
          state: 'running',
          running: 2,
        }),
        remote('geordi', {
          model: 'qwen3-coder',
          description: 'Builds and pipelines',
          state: 'asleep',
          why: 'wakes in about 20 s',
        }),
        remote('data', { model: 'gpt-5', state: 'failing', why: 'Address has not answered since 09:12' }),
        remote('picard', {
          model: 'claude-opus-4.5',
          state: 'forgotten',
          why: 'Gone since the proxy’s restart, 08:55',
          actions: ['register', 'details'],
        }),
        remote('crusher', {
          model: 'gpt-5',
          state: 'not-allowed',
          why: 'Your key may not use it',
          actions: ['details', 'copy-model'],
        }),
      ],
    },
    {
      id: 'defined',
      title: 'Only defined',
      aside: 'agents.yaml',
      rows: [
        agent('defined', 'quark', {
          model: 'gpt-5-mini',
          state: 'defined',
          why: 'The proxy has never seen it',
          actions: ['register', 'open-file'],
        }),
      ],
    },
  ];
}

/** As many agents as the design promises to bear, in one group. */
export function manyAgents(count = 1000): AgentGroup[] {
  const states: AgentRow['state'][] = ['ready', 'asleep', 'running', 'failing', 'unknown'];
  return [
    {
      id: 'proxy:team',
      title: 'Behind the proxy',
      aside: 'localhost:4000',
      rows: Array.from({ length: count }, (_, i) =>
        agent('proxy:team', `agent-${String(i).padStart(4, '0')}`, {
          model: `model-${i % 7}`,
          description:
            i % 5 === 0 ? undefined : `Does the work of department ${i % 40}, whatever it is that comes along`,
          state: states[i % states.length],
          skills: ['one', `skill-${i % 13}`],
        }),
      ),
    },
  ];
}

/** Day of the design's chart: what was spent, and in how many asks. */
const spent: [number, number][] = [
  [0.62, 31],
  [0.88, 44],
  [1.1, 52],
  [0.4, 20],
  [0.12, 6],
  [0.95, 47],
  [1.42, 70],
  [1.71, 84],
  [1.05, 51],
  [0.98, 49],
  [0.31, 15],
  [0.09, 5],
  [1.39, 66],
  [1.2, 58],
];

export function probesOf(now: number): Probe[] {
  return Array.from({ length: 48 }, (_, i) => {
    const at = now - 60_000 - i * 1800_000;
    if (i >= 26 && i < 29) return { at, error: 'connection refused' };
    return { at, ms: i === 12 || i === 25 ? 1840 : 38 + ((i * 7) % 20), what: 'card and answer' };
  });
}

export function sceneDetails(now = Date.now()): AgentDetails {
  const raw = `{
  "name": "scenes",
  "description": "Checks continuity between the scenes of a script",
  "version": "2.3.1",
  "provider": { "organization": "Story Team" },
  "capabilities": { "streaming": true, "pushNotifications": false },
  "skills": [
    {
      "id": "continuity",
      "tags": ["script", "props"],
      "limit": -1.5e3,
      "examples": ["Does the coat change between scene 4 and scene 5?"]
    }
  ]
}`;
  return {
    row: scenes(now),
    host: 'localhost:4000',
    card: {
      version: '2.3.1',
      organization: 'Story Team',
      skills: [
        {
          id: 'continuity',
          name: 'Continuity',
          description: 'Reads two or more scenes and names what contradicts: clothes, light, objects, who knows what.',
          tags: ['script', 'props'],
          examples: ['Does the coat change between scene 4 and scene 5?', 'Which objects vanish in the last act?'],
        },
        {
          id: 'timeline',
          name: 'Timeline',
          description: 'Puts the scenes in the order in which they happen and says where a day is missing.',
          tags: ['script'],
          examples: ['On which day does the letter arrive?'],
        },
        {
          id: 'characters',
          name: 'Characters',
          description: 'Keeps a list of who appears where, with ages and names as spoken.',
          tags: ['beta'],
        },
      ],
      takes: ['text', 'files up to 10 MB'],
      gives: ['text', 'one artifact'],
      can: ['stream', 'cancel', 'be polled by task id'],
      security: ['bearer key'],
    },
    gauges: [
      { kind: 'spend', label: 'Today', used: 1.2, limit: 2 },
      { kind: 'spend', label: 'November', used: 31.4, limit: 40 },
      { kind: 'asks-per-minute', used: 12, limit: 60 },
      { kind: 'tokens-per-minute', used: 9000, limit: 100_000 },
      { kind: 'at-once', used: 1, limit: 4 },
    ],
    spend: {
      days: spent.map(([spend, asks], i) => ({ date: `2026-11-${17 + i}`, spend, asks })),
      budgetPerDay: 2,
    },
    probes: probesOf(now),
    access: {
      key: { label: 'team key …f2c', may: true },
      teams: ['story', 'review'],
      address: 'localhost:4000/a2a/scenes',
      announced: { url: 'scenes.internal:9000', answers: true },
    },
    compare: {
      file: 'agents.yaml',
      differences: [
        {
          field: 'description',
          label: 'Description',
          theirs: 'Checks continuity between the scenes of a script',
          ours: 'Checks continuity',
        },
        {
          field: 'budget',
          label: 'Budget a day',
          theirs: '$2.00',
          ours: '$5.00',
          lockedOurs: 'Only an admin’s key may change a budget',
        },
        { field: 'skills', label: 'Skills', theirs: 'continuity, timeline, characters', ours: 'continuity, timeline' },
      ],
      same: ['name', 'model', 'address', 'version', 'access', 'limits'],
    },
    raw: { text: raw, at: now - 8000 },
  };
}
