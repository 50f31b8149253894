import type { FromDetailsPage, ToDetailsPage } from '../../src/a2a/view';
import { servePage } from '../chat/base/serve';
import { type DetailsMemory, DetailsPage } from './page';

/** The page of one agent, in an editor tab. */
servePage<FromDetailsPage, ToDetailsPage, DetailsMemory, DetailsPage>({
  className: 'agent-page',
  make: (main, post, kept) => new DetailsPage(main, post, kept),
  on(page, message) {
    switch (message.type) {
      case 'details':
        page.show(message.details);
        return;
      case 'show':
        page.open(message.tab);
        return;
      case 'gone':
        page.gone(message.sentence);
    }
  },
});
