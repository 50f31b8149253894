import type { FromAgentsPage, ToAgentsPage } from '../../src/a2a/view';
import { servePage } from '../chat/base/serve';
import { AgentTreeView, type Memory } from './tree';

/** The page of the view "Agents". It keeps what is closed, hidden and selected; all else comes from the extension. */
servePage<FromAgentsPage, ToAgentsPage, Memory, AgentTreeView>({
  className: 'agents-page',
  make: (main, post, kept) => new AgentTreeView(main, post, kept),
  on(tree, message) {
    switch (message.type) {
      case 'agents':
        tree.show(message.groups);
        return;
      case 'rows':
        tree.change(message.rows);
        return;
      case 'reveal':
        tree.reveal(message.id);
        return;
      case 'search':
        tree.search();
    }
  },
});
