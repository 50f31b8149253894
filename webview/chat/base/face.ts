import { html, type TemplateResult } from 'lit';
import { hue, letter } from './names';

export type FaceSize = '' | 's' | 'l';

/** An agent's face: its letter on its accent. Drawn from `data-letter`, so that it is in nobody's accessible name. */
export function avatar(name: string, size: FaceSize = ''): TemplateResult {
  const classes = size === '' ? 'avatar' : `avatar avatar-${size}`;
  return html`<span class=${classes} data-letter=${letter(name)} data-hue=${hue(name)} aria-hidden="true"></span>`;
}

/** The person, and scripts: an outline and no colour. */
export function avatarOfPerson(name: string): TemplateResult {
  return html`<span class="avatar avatar-you avatar-s" data-letter=${letter(name)} aria-hidden="true"></span>`;
}
