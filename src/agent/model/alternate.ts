import type { Message, ToolRequest } from './types';

/** Words for the model, not for a person. */
const notRun = 'This call was not run: the turn was stopped.';
const stopped = '[stopped]';

/**
 * Makes of a history what also a strict chat template takes: user and assistant in turn, every call answered. Two user messages in a row,
 * as after a turn that failed before its first word, become one (Gemma's template refuses them otherwise; facts: kits.md, 2.3).
 */
export function alternate(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  let open: ToolRequest[] = [];
  const settle = () => {
    for (const call of open) out.push({ role: 'tool', callId: call.id, name: call.name, text: notRun });
    open = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      open = open.filter((call) => call.id !== message.callId);
      out.push(message);
      continue;
    }
    settle();
    const last = out.at(-1);
    if (message.role === 'user') {
      if (last?.role === 'user') out[out.length - 1] = { role: 'user', text: `${last.text}\n\n${message.text}` };
      else {
        // a turn that was stopped after a tool's result has no last word of the model
        if (last?.role === 'tool') out.push({ role: 'assistant', text: stopped, calls: [] });
        out.push(message);
      }
    } else if (message.role === 'assistant') {
      if (last?.role === 'assistant' && last.calls.length === 0 && message.calls.length === 0)
        out[out.length - 1] = { role: 'assistant', text: `${last.text}\n\n${message.text}`, calls: [] };
      else out.push(message);
      open = [...message.calls];
    } else out.push(message);
  }
  settle();
  return out;
}
