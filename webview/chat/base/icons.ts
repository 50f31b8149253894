import arrowDown from '@vscode/codicons/src/icons/arrow-down.svg';
import arrowUp from '@vscode/codicons/src/icons/arrow-up.svg';
import bookmark from '@vscode/codicons/src/icons/bookmark.svg';
import check from '@vscode/codicons/src/icons/check.svg';
import checkAll from '@vscode/codicons/src/icons/check-all.svg';
import chevronRight from '@vscode/codicons/src/icons/chevron-right.svg';
import circleSlash from '@vscode/codicons/src/icons/circle-slash.svg';
import close from '@vscode/codicons/src/icons/close.svg';
import comment from '@vscode/codicons/src/icons/comment.svg';
import commentDiscussion from '@vscode/codicons/src/icons/comment-discussion.svg';
import copy from '@vscode/codicons/src/icons/copy.svg';
import dash from '@vscode/codicons/src/icons/dash.svg';
import ellipsis from '@vscode/codicons/src/icons/ellipsis.svg';
import error from '@vscode/codicons/src/icons/error.svg';
import fileCode from '@vscode/codicons/src/icons/file-code.svg';
import filter from '@vscode/codicons/src/icons/filter.svg';
import folder from '@vscode/codicons/src/icons/folder.svg';
import info from '@vscode/codicons/src/icons/info.svg';
import loading from '@vscode/codicons/src/icons/loading.svg';
import lock from '@vscode/codicons/src/icons/lock.svg';
import question from '@vscode/codicons/src/icons/question.svg';
import search from '@vscode/codicons/src/icons/search.svg';
import shield from '@vscode/codicons/src/icons/shield.svg';
import stopCircle from '@vscode/codicons/src/icons/stop-circle.svg';
import warning from '@vscode/codicons/src/icons/warning.svg';
import watch from '@vscode/codicons/src/icons/watch.svg';
import workspaceUntrusted from '@vscode/codicons/src/icons/workspace-untrusted.svg';
import { html, type TemplateResult } from 'lit';

const sources = {
  'arrow-down': arrowDown,
  'arrow-up': arrowUp,
  bookmark,
  check,
  'check-all': checkAll,
  'chevron-right': chevronRight,
  'circle-slash': circleSlash,
  close,
  comment,
  'comment-discussion': commentDiscussion,
  copy,
  dash,
  ellipsis,
  error,
  'file-code': fileCode,
  filter,
  folder,
  info,
  loading,
  lock,
  question,
  search,
  shield,
  'stop-circle': stopCircle,
  warning,
  watch,
  'workspace-untrusted': workspaceUntrusted,
} as const;

export type IconName = keyof typeof sources;

const svgNamespace = 'http://www.w3.org/2000/svg';

/** The used icons as symbols, once in the page; `icon` refers to them. */
export function sprite(): SVGSVGElement {
  const root = document.createElementNS(svgNamespace, 'svg');
  root.setAttribute('class', 'sprite');
  root.setAttribute('aria-hidden', 'true');
  for (const [name, source] of Object.entries(sources)) {
    const parts = /^<svg[^>]*\bviewBox="([^"]+)"[^>]*>(.*)<\/svg>\s*$/s.exec(source);
    if (!parts) continue;
    const symbol = document.createElementNS(svgNamespace, 'symbol');
    symbol.id = `i-${name}`;
    symbol.setAttribute('viewBox', parts[1]!);
    symbol.innerHTML = parts[2]!;
    root.append(symbol);
  }
  return root;
}

/** One icon of the sprite, in the colour of the text around it. `more` are further classes: `spin`, `icon-s`, `bad`. */
export function icon(name: IconName, more = ''): TemplateResult {
  return html`<svg class=${more === '' ? 'icon' : `icon ${more}`} data-icon=${name} aria-hidden="true"><use href=${`#i-${name}`}></use></svg>`;
}

/** The same outside of a template, for what Markdown made. */
export function iconElement(name: IconName): SVGSVGElement {
  const root = document.createElementNS(svgNamespace, 'svg');
  root.setAttribute('class', 'icon');
  root.setAttribute('data-icon', name);
  root.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(svgNamespace, 'use');
  use.setAttribute('href', `#i-${name}`);
  root.append(use);
  return root;
}
