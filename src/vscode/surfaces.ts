import type { Disposable, DisposableStore } from '../base/disposable';
import { describe } from '../base/errors';
import type { Log } from '../base/log';

/** One thing that the extension puts into the editor. */
export type Surface = readonly [name: string, register: () => { dispose(): unknown }];

/** Registers each on its own: one that this editor does not have, or refuses, does not take the others with it. */
export function registerSurfaces(surfaces: readonly Surface[], store: DisposableStore, log: Log): void {
  for (const [name, register] of surfaces) {
    try {
      const registered = register();
      const disposable: Disposable = { dispose: () => void registered.dispose() };
      store.add(disposable);
    } catch (error) {
      log.warn(`${name}: ${describe(error)}`);
    }
  }
}
