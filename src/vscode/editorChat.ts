import { registerAskTool } from './askTool';
import { type EditorChatDeps, registerParticipant } from './participant';
import type { Surface } from './surfaces';

/** What we put into the editor's own chat. Each stands behind a guard: an editor without that part loses only it. */
export function editorChatSurfaces(deps: EditorChatDeps): Surface[] {
  return [
    ['@mm', () => registerParticipant(deps)],
    ['ask_agent', () => registerAskTool(deps)],
  ];
}
