import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Where editors, models and demo data go; git ignores it. `MM_CACHE` moves it. */
export const cache = path.resolve(process.env.MM_CACHE || path.join(root, '.cache'));
