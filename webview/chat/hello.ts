import { html, nothing, type TemplateResult } from 'lit';
import { avatar } from './base/face';
import { filled, slot, t } from './base/l10n';
import type { Page } from './base/page';
import { agentState, stateDot } from './dock/menus';

/** The first run: what can be done here, and who can be asked. */
export function hello(page: Page): TemplateResult {
  const { home, agents, demo } = page.state;
  const first = agents[0]?.name;
  return html`<div class="hello">
    <h2>${t('What shall {0} look at?', home.name)}</h2>
    <p>${
      first === undefined
        ? t('Ask here. When mm.yaml names other agents, you can ask them too.')
        : filled(
            t(
              'Ask here, or type {0} to ask another agent. Its answer stays in the conversation, and {1} uses it.',
              slot,
              home.name,
            ),
            html`<span class="slash">/ask-${first}</span>`,
          )
    }</p>${demo ? html`<p class="hello-demo">${t('demo: no model behind these agents')}</p>` : nothing}
    <div class="suggest" role="group" aria-label=${t('Suggestions')}>${suggestions(demo, first).map(
      (text) => html`<button type="button" class="chip" @click=${() => page.compose(text)}>${text}</button>`,
    )}</div>${
      agents.length === 0
        ? nothing
        : html`<h3 id="who-else">${t('Agents you can ask')}</h3>
    <div class="cards" role="group" aria-labelledby="who-else">${agents.map(
      (agent) =>
        html`<button type="button" class="card" @click=${() => page.compose(`/ask-${agent.name} `)}>${avatar(agent.name, 'l')}<span class="card-name"><b>${agent.name}</b>${
          agent.model ? html`<span class="dim small cut">${agent.model}</span>` : nothing
        }<span class="card-state dim small">${stateDot(agent.state)}<span aria-hidden="true">${agentState(agent.state)}</span></span></span><span class="dim small cut">${agent.description}</span></button>`,
    )}</div>`
    }
  </div>`;
}

function suggestions(demo: boolean, first: string | undefined): string[] {
  if (!demo)
    return [
      t('Explain how this project is built'),
      t('Find the slowest test and say why'),
      t('Review what I have not committed'),
    ];
  // the demo understands these words only (its agents have no model)
  const own = ['run: echo hello', 'read: README.md'];
  return first === undefined ? own : [`/ask-${first} what can you do?`, `ask ${first}: what can you do?`, ...own];
}
