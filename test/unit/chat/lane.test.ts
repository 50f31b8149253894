import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChatUpdate, maxCalls } from '../../../src/chat/lane';
import { Thread } from '../../../src/chat/patch';
import { maxOutput } from '../../../src/chat/tool';
import { call, conversation, question, rows, text, thought, update } from './helper';

describe('what an agent sends becomes entries', () => {
  it('F033 thoughts and texts keep their order: thought, text, tool, thought, text are five rows', () => {
    const c = conversation();
    const lane = c.turn();
    for (const u of [
      thought('A'),
      text('one'),
      call('t', { title: 'ls', kind: 'execute' }),
      thought('B'),
      text('two'),
    ]) {
      lane.update(u);
    }
    expect(rows(c.thread)).toEqual(['thought: A', 'text: one', 'tool: bash ls running', 'thought: B', 'text: two']);
    expect(c.of('thought').map((t) => t.done)).toEqual([true, true]);
    expect(c.of('text').map((t) => t.done)).toEqual([true, false]);
  });

  it('F034 an image and a link between words stay where they were', () => {
    const c = conversation();
    const lane = c.turn();
    lane.update(text('before'));
    lane.update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'image', mimeType: 'image/png', data: 'AA' },
    } as ChatUpdate);
    lane.update(text('after'));
    lane.update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'resource_link', name: 'notes.md', uri: 'file:///notes.md' },
    } as ChatUpdate);
    expect(rows(c.thread)).toEqual(['text: before', 'unsupported: image/png', 'text: after', 'unsupported: notes.md']);
  });

  it('F020 a new kind of update and a new kind of block are one row each, and the turn ends well', () => {
    const c = conversation();
    const lane = c.turn();
    lane.update({ sessionUpdate: 'totally_new', x: 1 } as ChatUpdate);
    lane.update({ sessionUpdate: 'totally_new', x: 2 } as ChatUpdate);
    lane.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'hologram' } } as ChatUpdate);
    lane.update(text('fine'));
    lane.answered('end_turn');
    expect(rows(c.thread)).toEqual(['unsupported: totally_new', 'unsupported: hologram', 'text: fine']);
    expect(lane.node).toMatchObject({ state: 'done', end: { how: 'done' } });
  });

  it('F028 an echo of the prompt and news of the session are no entries', () => {
    const c = conversation();
    const lane = c.turn();
    for (const kind of ['user_message_chunk', 'available_commands_update', 'usage_update', 'current_mode_update']) {
      lane.update({ sessionUpdate: kind, content: { type: 'text', text: 'hello' } } as ChatUpdate);
    }
    expect(rows(c.thread)).toEqual([]);
    lane.answered('end_turn');
    expect(lane.node.end).toEqual({ how: 'empty' });
  });

  it('F026 words after Stop are marked, and words after the end reach nothing', () => {
    const c = conversation();
    const lane = c.turn();
    lane.update(text('before '));
    lane.stopping();
    lane.update(text('after '));
    lane.update(text('that'));
    lane.answered('cancelled');
    lane.update(text('much too late'));
    expect(c.of('text').map((t) => [t.text, t.afterStop ?? false])).toEqual([
      ['before ', false],
      ['after that', true],
    ]);
    expect(lane.node.end).toEqual({ how: 'stopped' });
  });

  it('F026 a call of the last turn may end late, on its own card; nothing else of that turn changes, and ids may come again', () => {
    const c = conversation();
    const first = c.turn();
    first.update(call('a', { title: 'npm test' }));
    first.update(call('b', { title: 'ls' }));
    first.answered('end_turn');
    const second = c.turn();
    second.update(call('b', { title: 'ls again' }));
    expect(first.late(update('a', { status: 'in_progress' }), second)).toBe(true);
    expect(c.of('tool')[0]).toMatchObject({ state: 'no-result' });
    expect(first.late(update('a', { status: 'completed', rawOutput: 'passed' }), second)).toBe(true);
    expect(first.late(update('a', { status: 'failed', rawOutput: 'no' }), second)).toBe(true);
    expect(first.late(update('b', { status: 'completed' }), second)).toBe(false);
    expect(first.late(call('a'), second)).toBe(false);
    expect(first.late(text('words'), second)).toBe(false);
    expect(first.late(update('unknown', { status: 'completed' }), undefined)).toBe(false);
    expect(c.of('tool')).toMatchObject([
      { parent: first.id, state: 'done', output: 'passed' },
      { parent: first.id, state: 'no-result' },
      { parent: second.id, state: 'running' },
    ]);
  });

  it('another messageId begins another text', () => {
    const c = conversation();
    const lane = c.turn();
    for (const u of [text('a', '1'), text('b', '1'), text('c', '2'), text('d')]) lane.update(u);
    expect(rows(c.thread)).toEqual(['text: ab', 'text: c', 'text: d']);
  });

  it.each([
    ['end_turn', true, 'done'],
    ['end_turn', false, 'empty'],
    ['refusal', true, 'refusal'],
    ['refusal', false, 'refusal'],
    ['max_tokens', false, 'max_tokens'],
    ['max_turn_requests', true, 'max_turn_requests'],
    ['cancelled', true, 'stopped'],
    ['a new reason', true, 'done'],
    ['a new reason', false, 'empty'],
  ])('F056 F066 stop reason %s with words: %s ends as %s', (reason, words, how) => {
    const c = conversation();
    const lane = c.turn();
    if (words) lane.update(text('x'));
    lane.answered(reason);
    expect(lane.node.end?.how).toBe(how);
  });
});

describe('tool calls', () => {
  it('F035 an update for a call that was never announced makes its card', () => {
    const c = conversation();
    const lane = c.turn();
    lane.update(
      update('x', { status: 'completed', title: 'touch t6.txt', kind: 'execute', content: [], locations: [] }),
    );
    expect(c.of('tool')).toMatchObject([{ name: 'bash', what: 'touch t6.txt', state: 'done', toolCallId: 'x' }]);
  });

  it('F035 a permission first: the card comes from the question, and later updates find it', () => {
    const c = conversation();
    const lane = c.ask();
    lane.question(question());
    expect(c.of('tool')).toMatchObject([{ name: 'bob/bash', what: 'npm test', state: 'waiting' }]);
    lane.settled(question(), { outcome: 'allowed', by: 'person' });
    lane.update(update('t1', { status: 'completed' }));
    expect(c.of('tool')).toMatchObject([{ state: 'done' }]);
    expect(c.of('tool')).toHaveLength(1);
  });

  it('a permission with prose in place of content loses nothing of the known call (kimi)', () => {
    const c = conversation();
    const lane = c.ask();
    lane.update(call('t1', { title: 'Bash', kind: 'execute', rawInput: { command: 'npm test' } }));
    lane.question(
      question({
        toolCall: {
          toolCallId: 't1',
          title: 'May I?',
          content: [{ type: 'content', content: { type: 'text', text: 'Please approve' } }],
        },
      }),
    );
    expect(c.of('tool')).toMatchObject([{ title: 'Bash', what: 'npm test', toolKind: 'execute', state: 'waiting' }]);
  });

  it.each([
    ['end_turn', 'no-result'],
    ['cancelled', 'cancelled'],
  ])('F036 a call without an end when the turn ends with %s is %s', (reason, state) => {
    const c = conversation();
    const lane = c.turn();
    lane.update(call('t', { kind: 'execute', status: 'in_progress' }));
    lane.answered(reason);
    expect(c.of('tool')).toMatchObject([{ state }]);
  });

  it('F036 death of the child: nothing spins, nothing waits', () => {
    const c = conversation();
    const lane = c.ask();
    lane.update(text('half a sen'));
    lane.question(question());
    lane.end({ how: 'died', title: 'bob ended with exit code 137', stderrTail: 'oom' });
    expect(c.of('tool')).toMatchObject([{ state: 'no-result' }]);
    expect(c.of('permission')).toMatchObject([{ state: 'withdrawn' }]);
    expect(c.of('text')).toMatchObject([{ done: true }]);
    expect(c.of('ask')).toMatchObject([{ state: 'done', end: { how: 'died' } }]);
  });

  it.each<[string, (i: number) => object]>([
    [
      'content',
      (i) => ({ content: [{ type: 'content', content: { type: 'text', text: `${i} ${'x'.repeat(100_000)}` } }] }),
    ],
    ['one raw output', (i) => ({ rawOutput: `${i} ${'x'.repeat(100_000)}` })],
    ['a terminal', (i) => ({ _meta: { terminal_output: { data: `${i} ${'x'.repeat(100_000)}` } } })],
    [
      'changes',
      (i) => ({
        content: [{ type: 'diff', path: '/a', oldText: `${i}`, newText: `${i} ${'x'.repeat(80_000)}` }],
      }),
    ],
    ['an input', (i) => ({ rawInput: { command: `${i} ${'x'.repeat(100_000)}` } })],
    ['titles', (i) => ({ title: `${i} ${'x'.repeat(100_000)}` })],
  ])('what the calls of one turn keep has an end, made of %s', (_, fields) => {
    const c = conversation({ keep: false });
    const lane = c.turn();
    for (let i = 0; i < 600; i++) {
      lane.update(call(`t${i}`, { kind: 'execute', ...fields(i) }));
      lane.update(update(`t${i}`, { status: 'completed' }));
    }
    const tools = c.of('tool');
    expect(tools).toHaveLength(600);
    expect(tools.at(-1)).toMatchObject({ state: 'done' });
    expect(JSON.stringify(tools).length).toBeLessThan(maxCalls * 1.5);
    expect(tools[0]).toMatchObject({ what: expect.any(String) });
  });

  it('an output for which there is no room is replaced by a line that says so, with how much it was', () => {
    const c = conversation({ keep: false });
    const lane = c.turn();
    const big = 'x'.repeat(maxOutput);
    for (let i = 0; i < maxCalls / maxOutput + 5; i++) {
      lane.update(call(`t${i}`, { kind: 'execute', title: `ls ${i}`, rawOutput: big, status: 'completed' }));
    }
    const tools = c.of('tool');
    expect(tools[0]).toMatchObject({ output: big, outputCut: 0 });
    expect(tools.at(-1)).toMatchObject({ title: expect.stringMatching(/^ls/), outputCut: maxOutput });
    expect(tools.at(-1)!.output).toContain('left out');
    // another turn has room again
    const next = c.turn();
    next.update(call('n', { rawOutput: big, status: 'completed' }));
    expect(c.of('tool').at(-1)!.output).toBe(big);
  });

  it('a running call is counted with all that its output keeps alive', () => {
    const c = conversation({ keep: false });
    const lane = c.turn();
    const huge = 'x'.repeat(maxCalls + 1);
    lane.update(call('t', { content: [{ type: 'content', content: { type: 'text', text: huge } }] }));
    expect(c.of('tool')[0]).toMatchObject({ output: expect.stringContaining('left out'), outputCut: huge.length });
    lane.update(
      update('t', { content: [{ type: 'content', content: { type: 'text', text: huge } }], status: 'completed' }),
    );
    expect(c.of('tool')[0]!.outputCut).toBe(huge.length);
  });

  it('a question that is settled keeps its line and not what it showed', () => {
    const c = conversation();
    const lane = c.ask();
    const content = [{ type: 'diff', path: '/a', newText: 'x\n'.repeat(900) }];
    const q = question({ toolCall: { toolCallId: 't', kind: 'edit', content, rawInput: { x: 'y'.repeat(50_000) } } });
    lane.question(q);
    expect(c.of('permission')[0]!.diffs[0]!.rows).toHaveLength(900);
    lane.settled(q, { outcome: 'rejected', by: 'person' });
    expect(c.of('permission')[0]).toMatchObject({ state: 'rejected', diffs: [] });
    expect(c.of('permission')[0]!.command.length).toBeLessThanOrEqual(2_000);
  });

  it('F037 35,000 updates that each repeat everything stay cheap and keep the last output', () => {
    const c = conversation({ keep: false });
    const lane = c.turn();
    lane.update(call('t', { kind: 'execute' }));
    const full = Array.from({ length: 35_000 }, (_, i) => `line ${i}\n`).join('');
    let output = '';
    const started = performance.now();
    for (let i = 1; i <= 35_000; i++) {
      output = full.slice(0, Math.ceil((full.length * i) / 35_000));
      lane.update(update('t', { content: [{ type: 'content', content: { type: 'text', text: output } }] }));
    }
    expect(performance.now() - started).toBeLessThan(2_000);
    const [tool] = c.of('tool');
    expect(tool!.output.length).toBe(maxOutput);
    expect(tool!.outputCut).toBe(output.length - maxOutput);
  });

  it('F039 output is cut between characters and says how much', () => {
    const c = conversation();
    const lane = c.turn();
    const long = `${'x'.repeat(maxOutput - 1)}🎉!`;
    lane.update(update('t', { content: [{ type: 'content', content: { type: 'text', text: long } }] }));
    expect(c.of('tool')[0]).toMatchObject({ output: 'x'.repeat(maxOutput - 1), outputCut: 3 });
  });

  it('output that an agent only displays is shown, with its exit code (pi, codex)', () => {
    const c = conversation();
    const lane = c.turn();
    lane.update(call('t', { kind: 'execute', content: [{ type: 'terminal', terminalId: 't' }] }));
    lane.update(update('t', { _meta: { terminal_output: { terminal_id: 't', data: 'h' } } }));
    lane.update(update('t', { _meta: { terminal_output_delta: { terminal_id: 't', data: 'i\n' } } }));
    lane.update(update('t', { status: 'completed', _meta: { terminal_exit: { exit_code: 3 } } }));
    expect(c.of('tool')).toMatchObject([{ output: 'hi\n', exitCode: 3, state: 'done' }]);
  });

  it('the command is found in a shell line of codex, in a path, in locations, in the title', () => {
    const c = conversation();
    const lane = c.turn();
    lane.update(call('1', { rawInput: { command: ['/bin/bash', '-lc', 'echo a b'] }, title: 'x' }));
    lane.update(call('2', { rawInput: { file_path: '/a.ts' }, title: 'x' }));
    lane.update(call('3', { locations: [{ path: '/b.ts' }], title: 'x' }));
    lane.update(call('4', { title: 'only a title' }));
    expect(c.of('tool').map((t) => t.what)).toEqual(['echo a b', '/a.ts', '/b.ts', 'only a title']);
  });

  it('an update that changes nothing sends nothing', () => {
    const c = conversation();
    const lane = c.turn();
    const same = {
      title: 'ls',
      kind: 'execute',
      status: 'in_progress',
      content: [{ type: 'diff', path: '/a', oldText: 'x', newText: 'y' }],
    };
    lane.update(call('t', same));
    const before = c.patches.length;
    for (let i = 0; i < 5; i++) lane.update(update('t', same));
    expect(c.patches.length).toBe(before);
  });

  it('a diff stays when the call ends with words', () => {
    const c = conversation();
    const lane = c.turn();
    lane.update(call('t', { kind: 'edit', content: [{ type: 'diff', path: '/a', oldText: 'x\n', newText: 'y\n' }] }));
    lane.update(
      update('t', { status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'done' } }] }),
    );
    expect(c.of('tool')[0]).toMatchObject({ output: 'done', diffs: [{ path: '/a', added: 1, removed: 1 }] });
  });
});

describe('questions', () => {
  it('waiting shows on the ask, the call and the question, and goes when it is settled', () => {
    const c = conversation();
    const lane = c.ask();
    lane.state('running');
    lane.question(question());
    expect(lane.node.state).toBe('waiting');
    expect(c.of('permission')).toMatchObject([
      { state: 'waiting', command: 'npm test', verb: 'run', canRemember: true },
    ]);
    lane.settled(question(), { outcome: 'allowed', by: 'person', remembered: true });
    expect(c.of('permission')).toMatchObject([{ state: 'allowed-conversation' }]);
    expect(c.of('tool')).toMatchObject([{ state: 'running' }]);
    expect(lane.node.state).toBe('running');
  });

  it('a rejected call stays rejected by you, whatever the agent makes of it', () => {
    const c = conversation();
    const lane = c.ask();
    lane.question(question());
    lane.settled(question(), { outcome: 'rejected', by: 'person' });
    lane.update(update('t1', { status: 'failed' }));
    expect(c.of('tool')).toMatchObject([{ state: 'rejected' }]);
    lane.answered('end_turn');
    expect(c.of('tool')).toMatchObject([{ state: 'rejected' }]);
  });

  it('what yolo or a grant lets through leaves no line; what a rule refuses leaves one', () => {
    const c = conversation();
    const lane = c.ask();
    lane.settled(question({ id: 'a' }), { outcome: 'allowed', by: 'yolo' });
    lane.settled(question({ id: 'b' }), { outcome: 'allowed', by: 'grant' });
    expect(c.of('permission')).toEqual([]);
    lane.settled(question({ id: 'c' }), { outcome: 'rejected', by: 'nobody', why: 'Nobody is here.' });
    expect(c.of('permission')).toMatchObject([{ state: 'refused', why: 'Nobody is here.' }]);
  });

  it('F041 the queue moves: how many wait behind, and whether it is a card', () => {
    const c = conversation();
    const lane = c.ask();
    lane.question(question());
    c.places.set('q1', { card: true, more: 2 });
    lane.refreshQuestions();
    expect(c.of('permission')).toMatchObject([{ card: true, more: 2 }]);
    const before = c.patches.length;
    lane.refreshQuestions();
    expect(c.patches.length).toBe(before);
  });
});

describe('an ask inside a turn', () => {
  it('rule 8: stands in the place of the ask_agent call, whose card goes', () => {
    const c = conversation();
    const turn = c.turn();
    turn.update(text('I ask bob. '));
    turn.update(call('t', { name: 'ask_agent', title: 'bob: hi' }));
    const bob = turn.child('ask-1', {
      agent: { name: 'bob' },
      askedBy: 'Ada',
      prompt: 'hi',
      toolCallId: 't',
      nameOf: c.nameOf,
    });
    bob.update(text('yes'));
    bob.answered('end_turn', { kept: true });
    turn.update(
      update('t', { status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'yes' } }] }),
    );
    turn.update(text('Bob says yes.'));
    turn.answered('end_turn');
    expect(rows(c.thread)).toEqual(['text: I ask bob. ', 'text: yes', 'text: Bob says yes.']);
    expect(c.of('ask')).toMatchObject([
      { askedBy: 'Ada', depth: 1, parent: turn.id, kept: true, end: { how: 'done' } },
    ]);
  });

  it('F054 the end of the turn ends the ask below it', () => {
    const c = conversation();
    const turn = c.turn();
    const bob = turn.child('a', { agent: { name: 'bob' }, askedBy: 'Ada', prompt: 'hi', nameOf: c.nameOf });
    const riker = bob.child('b', { agent: { name: 'riker' }, askedBy: 'bob', prompt: 'hm', nameOf: c.nameOf });
    riker.question(question({ id: 'deep', path: ['bob', 'riker'] }));
    turn.stopping();
    turn.answered('cancelled');
    expect(c.of('ask').map((a) => [a.agent.name, a.depth, a.end])).toEqual([
      ['bob', 1, { how: 'stopped' }],
      ['riker', 2, { how: 'stopped' }],
    ]);
    expect(c.of('permission')).toMatchObject([
      { state: 'withdrawn', why: 'Ada was stopped before you answered bob/bash' },
    ]);
  });

  it('an ask whose end nobody told ends with the call that made it', () => {
    const c = conversation();
    const bob = c.ask();
    bob.update(call('t', { name: 'ask_agent' }));
    const riker = bob.child('b', {
      agent: { name: 'riker' },
      askedBy: 'bob',
      prompt: 'hm',
      toolCallId: 't',
      nameOf: c.nameOf,
    });
    bob.update(
      update('t', { status: 'failed', content: [{ type: 'content', content: { type: 'text', text: 'riker ended' } }] }),
    );
    expect(riker.node.end).toEqual({ how: 'failed', title: 'riker ended' });
  });
});

describe('hostile agents', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.string(), fc.integer(), fc.constant(null), fc.constant(undefined));
  const kind = fc.constantFrom(
    'agent_message_chunk',
    'agent_thought_chunk',
    'tool_call',
    'tool_call_update',
    'plan',
    'usage_update',
    'new_kind',
  );
  const field = fc.constantFrom(
    'content',
    'toolCallId',
    'title',
    'kind',
    'status',
    'rawInput',
    'rawOutput',
    'locations',
    'entries',
    'messageId',
    '_meta',
    'name',
  );
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.string() }),
    fc.record({
      type: fc.constantFrom('image', 'audio', 'resource', 'resource_link', 'x'),
      resource: anything,
      name: anything,
    }),
    anything,
  );
  const toolContent = fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('content'), content: block }),
      fc.record({ type: fc.constant('diff'), path: fc.string(), oldText: anything, newText: fc.string() }),
      anything,
    ),
    { maxLength: 4 },
  );
  const hostile = fc.oneof(
    fc.record({ sessionUpdate: kind, content: block }),
    fc.record({
      sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update'),
      toolCallId: fc.constantFrom('a', 'b', 'c'),
      status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed', 'odd'),
      content: toolContent,
      rawInput: anything,
    }),
    fc.tuple(kind, fc.dictionary(field, anything)).map(([sessionUpdate, rest]) => ({ ...rest, sessionUpdate })),
  );
  const step = fc.oneof(
    { weight: 12, arbitrary: hostile.map((u) => ({ do: 'update' as const, u: u as ChatUpdate })) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'q2').map((id) => ({ do: 'question' as const, id })) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'q2').map((id) => ({ do: 'settle' as const, id })) },
    { weight: 1, arbitrary: fc.constant({ do: 'child' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'stop' as const }) },
  );

  it('never make it throw; folding its patches gives what it holds; after the end nothing is open', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.constantFrom('end_turn', 'cancelled', 'odd'),
        (steps, reason) => {
          const c = conversation();
          const top = c.ask();
          let lane = top;
          for (const s of steps) {
            if (s.do === 'update') lane.update(s.u);
            else if (s.do === 'question') lane.question(question({ id: s.id, toolCall: { toolCallId: s.id } }));
            else if (s.do === 'settle') lane.settled(question({ id: s.id }), { outcome: 'rejected', by: 'person' });
            else if (s.do === 'stop') lane.stopping();
            else
              lane = top.child('child', {
                agent: { name: 'riker' },
                askedBy: 'bob',
                prompt: '',
                toolCallId: 'a',
                nameOf: c.nameOf,
              });
          }
          top.answered(reason);
          const folded = new Thread();
          for (const patch of c.patches) folded.apply(JSON.parse(JSON.stringify(patch)));
          expect(folded.nodes()).toEqual(JSON.parse(JSON.stringify(c.thread.nodes())));
          for (const n of c.thread.nodes()) {
            if (n.kind === 'text' || n.kind === 'thought') expect(n.done).toBe(true);
            if (n.kind === 'tool') expect(['running', 'waiting']).not.toContain(n.state);
            if (n.kind === 'permission') expect(n.state).not.toBe('waiting');
            if (n.kind === 'ask') expect(n).toMatchObject({ state: 'done', end: expect.anything() });
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
