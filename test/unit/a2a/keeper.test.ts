import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Keeper, type KeptProxy, type Remembered } from '../../../src/a2a/keeper';

/** A proxy as the facts describe it: rows in a database, and a list in the memory of each worker. Stands in for the real one. */
class Team implements KeptProxy {
  database = true;
  rows = new Map<string, string>();
  fromFile: { id: string; name: string }[] = [];
  workers: Set<string>[] = [new Set()];
  touched: string[] = [];
  refuses: Error | undefined;
  #turn = 0;

  add(id: string, name = id): void {
    this.rows.set(id, name);
    for (const worker of this.workers) worker.add(id);
  }
  restart(): void {
    for (const worker of this.workers) worker.clear();
  }
  readiness = async () => ({ database: this.database });
  agents = async () => [
    ...[...this.#worker()].map((id) => ({ id, name: this.rows.get(id)!, fromFile: false })),
    ...this.fromFile.map((agent) => ({ ...agent, fromFile: true })),
  ];
  look = async (id: string) => (this.rows.has(id) ? ('there' as const) : ('gone' as const));
  async touch(id: string): Promise<void> {
    if (this.refuses) throw this.refuses;
    this.touched.push(id);
    this.#worker().add(id);
  }
  #worker(): Set<string> {
    // whichever is free: no order, and the same one in each run
    this.#turn = (this.#turn * 1_103_515_245 + 12_345) % 2 ** 31;
    return this.workers[(this.#turn >> 16) % this.workers.length]!;
  }
}

let team: Team;
let memory: readonly Remembered[];
let keeper: Keeper;

function make(rechecks = 2): Keeper {
  return new Keeper({
    proxy: team,
    rechecks,
    pause: 0,
    memory: {
      load: async () => memory,
      async save(agents) {
        memory = structuredClone(agents);
      },
    },
  });
}

beforeEach(() => {
  team = new Team();
  memory = [];
  keeper = make();
});

describe('the keeper of a registry', () => {
  it('remembers what it sees, and says nothing of it', async () => {
    team.add('a', 'scenes');
    expect(await keeper.round()).toEqual({ findings: [], empty: false, cure: false, database: true });
    expect(memory).toEqual([{ id: 'a', name: 'scenes', fromFile: false }]);
  });

  it('brings back what the proxy has forgotten, by its name alone, and names the cure', async () => {
    team.add('a', 'scenes');
    team.add('b', 'worf');
    await keeper.round();
    team.restart();
    const round = await keeper.round();
    expect(round.findings).toEqual([
      { kind: 'repaired', name: 'scenes', id: 'a' },
      { kind: 'repaired', name: 'worf', id: 'b' },
    ]);
    expect(round).toMatchObject({ empty: true, cure: true });
    expect(team.touched).toEqual(['a', 'b']);
    expect((await keeper.round()).findings).toEqual([]);
  });

  it('never brings back what somebody deleted, also when it was forgotten before', async () => {
    team.add('a', 'scenes');
    await keeper.round();
    team.restart();
    team.rows.delete('a');
    expect((await keeper.round()).findings).toEqual([{ kind: 'deleted', name: 'scenes', id: 'a' }]);
    expect(team.touched).toEqual([]);
    expect(memory).toEqual([]);
    expect((await keeper.round()).findings).toEqual([]);
  });

  it('one that was made anew under the same name is the same one', async () => {
    team.add('a', 'scenes');
    await keeper.round();
    team.restart();
    team.rows.delete('a');
    team.add('b', 'scenes');
    expect((await keeper.round()).findings).toEqual([]);
    expect(memory).toEqual([{ id: 'b', name: 'scenes', fromFile: false }]);
  });

  it('with several workers it repairs until each has it', async () => {
    team.workers = [new Set(), new Set(), new Set()];
    team.add('a', 'scenes');
    await keeper.round();
    team.restart();
    await make(30).round();
    expect(team.workers.every((worker) => worker.has('a'))).toBe(true);
  });

  it('says when some workers forget it faster than it can be repaired', async () => {
    team.add('a', 'scenes');
    await keeper.round();
    team.restart();
    team.touch = async () => {};
    expect((await keeper.round()).findings).toEqual([{ kind: 'unsteady', name: 'scenes', id: 'a' }]);
    expect(memory).toHaveLength(1);
  });

  it('what it may not repair is told each time, and stays known', async () => {
    team.add('a', 'scenes');
    await keeper.round();
    team.restart();
    team.refuses = new Error('only proxy admins');
    for (let i = 0; i < 2; i++) {
      expect((await keeper.round()).findings).toEqual([
        { kind: 'forgotten', name: 'scenes', id: 'a', error: team.refuses },
      ]);
    }
    team.refuses = undefined;
    expect((await keeper.round()).findings).toMatchObject([{ kind: 'repaired' }]);
  });

  it('an empty list of a proxy that is well is an alarm; one that never had agents is none', async () => {
    expect((await keeper.round()).empty).toBe(false);
    team.fromFile = [{ id: 'f', name: 'lab' }];
    await keeper.round();
    team.fromFile = [];
    const round = await keeper.round();
    expect(round).toMatchObject({ empty: true, cure: false, findings: [{ kind: 'missing', name: 'lab' }] });
  });

  it('without a database it repairs nothing and asks for nothing', async () => {
    team.add('a', 'scenes');
    await keeper.round();
    team.restart();
    team.database = false;
    team.look = () => Promise.reject(new Error('asked'));
    expect((await keeper.round()).findings).toEqual([{ kind: 'missing', name: 'scenes', id: 'a' }]);
  });

  it('a proxy that does not answer changes nothing', async () => {
    team.add('a', 'scenes');
    await keeper.round();
    team.readiness = () => Promise.reject(new Error('connection refused'));
    await expect(keeper.round()).rejects.toThrow('connection refused');
    expect(memory).toHaveLength(1);
  });

  it('can be stopped, and then writes nothing down', async () => {
    team.add('a', 'scenes');
    await keeper.round();
    team.restart();
    const stop = new AbortController();
    team.touch = async () => stop.abort();
    await expect(make().round(stop.signal)).rejects.toThrow();
    expect(memory).toHaveLength(1);
  });

  it('two rounds at the same time are one', async () => {
    team.add('a');
    expect(keeper.round()).toBe(keeper.round());
  });

  it('whatever happens between rounds: what is in the database comes back, what is not stays away', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), id: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ do: fc.constant('delete' as const), id: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ do: fc.constant('restart' as const), id: fc.constant('') }),
      fc.record({ do: fc.constant('round' as const), id: fc.constant('') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        team = new Team();
        memory = [];
        keeper = make(1);
        const seen = new Set<string>();
        for (const { do: what, id } of steps) {
          if (what === 'add') team.add(id);
          if (what === 'delete') {
            team.rows.delete(id);
            team.workers[0]!.delete(id);
            seen.delete(id);
          }
          if (what === 'restart') team.restart();
          if (what !== 'round') continue;
          await keeper.round();
          for (const listed of await team.agents()) seen.add(listed.id);
          for (const known of seen) expect(team.workers[0]!.has(known)).toBe(true);
          for (const touched of team.workers[0]!) expect(team.rows.has(touched)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
