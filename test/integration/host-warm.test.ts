import { expect, it } from 'vitest';
import { idle, nodes, outline, Place } from './host-helper';

it('rule 1: a home agent that is killed in the very moment of a first question is replaced, and answers', async () => {
  const place = new Place();
  try {
    const host = await place.host();
    const first = host.create();
    first.send('say: one');
    await idle(host, first);
    const [ada] = host.pool.statuses();
    const second = host.create();
    process.kill(ada!.pid!, 'SIGKILL');
    second.send('say: two');
    await idle(host, second);
    expect(nodes(second, 'turn')[0]?.end, outline(second).join('\n')).toEqual({ how: 'done' });
    expect(host.pool.statuses().map((s) => s.pid)).not.toContain(ada!.pid);
  } finally {
    await place.dispose();
  }
});
