import type { AskTarget } from '../ask/types';

/** The target for agents that live elsewhere, whose code is loaded with the first ask of one: most windows and scripts never need it. */
export function remoteTarget(make: () => Promise<AskTarget>): AskTarget {
  let made: Promise<AskTarget> | undefined;
  return {
    serves: (entry) => entry.kind === 'a2a',
    async open(request) {
      made ??= make();
      return (await made).open(request);
    },
  };
}
