import { iconElement } from './base/icons';
import { t } from './base/l10n';
import type { Page } from './base/page';

/** Links of answers and buttons that copy: one listener for the page, because Markdown makes them without a template. */
export function listenToClicks(page: Page, say: (text: string) => void): void {
  const link = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target.closest('a') : null;
    if (!target) return;
    // nobody but the extension follows a link, and the editor's own listener must not see it
    event.preventDefault();
    event.stopPropagation();
    const href = target.getAttribute('data-href');
    if (href !== null && (event.type === 'click' || event.button === 1)) page.post({ type: 'open', href });
  };
  window.addEventListener('click', link, true);
  window.addEventListener('auxclick', link, true);
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null;
    if (button) void copy(button, say);
  });
}

async function copy(
  button: HTMLElement & { copyText?: string | (() => string) },
  say: (text: string) => void,
): Promise<void> {
  const given = typeof button.copyText === 'function' ? button.copyText() : button.copyText;
  const text = given ?? button.closest('.code')?.querySelector('code')?.textContent ?? '';
  const done = await write(text);
  say(done ? t('Copied') : t('The clipboard does not take it. Select the text and copy it with the keyboard.'));
  if (!done) return;
  const old = button.querySelector('svg');
  if (!old || button.dataset.copied !== undefined) return;
  button.dataset.copied = '';
  const check = iconElement('check');
  old.after(check);
  old.setAttribute('hidden', '');
  setTimeout(() => {
    check.remove();
    old.removeAttribute('hidden');
    delete button.dataset.copied;
  }, 1200);
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // without focus or permission: the old way
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'sr';
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return done;
  }
}
