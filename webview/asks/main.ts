import type { FromAsksPage, ToAsksPage } from '../../src/chat/asks';
import { servePage } from '../chat/base/serve';
import { AskTreeView } from './tree';

/** The page of the view "Asks". It keeps nothing but what is closed and selected; all else comes from the extension. */
servePage<FromAsksPage, ToAsksPage, object, AskTreeView>({
  className: 'tree-page',
  make: (main, post) => new AskTreeView(main, post),
  on(tree, message) {
    if (message.type === 'asks') tree.show(message.groups);
  },
});
