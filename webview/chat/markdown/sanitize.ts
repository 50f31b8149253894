import DOMPurify from 'dompurify';
import { isLink, isWeb } from './links';

const config = {
  ALLOWED_TAGS: [
    'p',
    'h2',
    'h3',
    'h4',
    'ul',
    'ol',
    'li',
    'strong',
    'em',
    's',
    'code',
    'pre',
    'blockquote',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
    'a',
    'hr',
    'br',
    'span',
  ],
  ALLOWED_ATTR: ['href', 'class', 'start', 'title', 'data-info'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // what a link may be is decided below, with one rule for all
  ALLOWED_URI_REGEXP: /^[^\u0000-\u001f]*$/,
  RETURN_DOM_FRAGMENT: true as const,
};

/**
 * The second wall (design, section 8): what the parser made of a model's words, with only the tags and attributes that we draw. Links carry
 * their address in `data-href`, which only our own handler reads.
 */
export function sanitized(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, config);
  for (const a of fragment.querySelectorAll('a')) {
    const href = a.getAttribute('href') ?? '';
    if (!isLink(href)) {
      a.replaceWith(...a.childNodes);
      continue;
    }
    a.setAttribute('data-href', href);
    a.setAttribute('title', href);
    // a path would be resolved against the page's own address: it is shown in the title, and only our handler follows it
    a.setAttribute('href', isWeb(href) ? href : '#');
    a.setAttribute('rel', 'noreferrer noopener');
  }
  return fragment;
}
