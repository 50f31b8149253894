import type { EngineServices } from '../agent/stdio';
import type { AskEvent, AskRequest } from '../ask/types';

/** What the composition root gives the modes. */
export interface Services extends EngineServices {
  /** The bundled demo's file. */
  demo: string;
  relay(): Promise<{ ask(request: AskRequest): AsyncIterable<AskEvent> }>;
  /**
   * From now on a signal, or the end of the parent or of stdin, ends this process and all below it, after `onEnd`.
   * Resolves when that is in place.
   */
  endWithHost(o: {
    stdin?: NodeJS.ReadStream;
    /** After a first signal, for as long as it takes; a second one does not wait for it. */
    before?(): Promise<void>;
    onEnd(): void | Promise<void>;
    exit?(code: number): void;
  }): Promise<void>;
  /** Ends all children. */
  end(): Promise<void>;
}
