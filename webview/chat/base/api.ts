import type { FromPage } from '../../../src/chat/page';

/** What the page itself remembers while it lives in the editor: nothing that the extension does not have as well, but where it was. */
export interface PageMemory {
  conversationId?: string;
  draft?: string;
  /** The entry at the top of the view, and how far it is scrolled past; absent at the end of the conversation. */
  scroll?: { id: string; offset: number };
}

/** The editor's side of the page. */
export interface Api {
  post(message: FromPage): void;
  memory(): PageMemory;
  remember(change: PageMemory): void;
}

interface VsCode {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCode;

/** Takes the editor's API, which it gives once only. */
export function editorApi(): Api {
  const code = acquireVsCodeApi();
  const stored = code.getState();
  let memory: PageMemory = typeof stored === 'object' && stored !== null ? (stored as PageMemory) : {};
  return {
    post: (message) => code.postMessage(message),
    memory: () => memory,
    remember: (change) => {
      memory = { ...memory, ...change };
      code.setState(memory);
    },
  };
}
