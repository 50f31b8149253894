/**
 * The door in front of a served editor. It passes everything through, with one addition: a browser that comes for the first time first
 * gets a page of a few lines, which writes into the browser's own storage that the given folders are trusted, exactly as the button
 * "Trust" of the editor does, and that the view stands in their side bar, and then opens the editor. Workspace trust stays on, for every other folder too, and a person who takes the
 * trust back is not overruled: the page comes once per browser. See docs/decisions/0007-trust-of-the-demo.md.
 */
import { createHash } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import { StepError } from './processes.mjs';

/** Where the web workbench keeps trusted folders: an application-wide key, in one of two databases by version. */
const prefix = 'vscode-web-state-db-';
const databases = [`${prefix}global`, `${prefix}global-shared`];

/**
 * @param {string[]} folders absolute paths
 * @param {string | undefined} view the container that the secondary side bar shows in these folders at first
 * @param {string} cookie name and value that say that this browser has had the page
 */
function firstPage(folders, view, cookie) {
  const script = `
const folders = ${JSON.stringify(folders).replaceAll('<', '\\u003c')};
const view = ${JSON.stringify(view ?? null)};
const open = (name) => new Promise((resolve, reject) => {
  const request = indexedDB.open(name);
  request.onupgradeneeded = () => request.result.createObjectStore('ItemTable');
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const update = async (name, key, change) => {
  const db = await open(name);
  await new Promise((resolve, reject) => {
    const transaction = db.transaction('ItemTable', 'readwrite');
    const table = transaction.objectStore('ItemTable');
    const before = table.get(key);
    before.onsuccess = () => table.put(change(before.result), key);
    transaction.oncomplete = resolve;
    transaction.onerror = () => reject(transaction.error);
  });
  db.close();
};
const trusted = folders.map((path) => ({
  uri: { $mid: 1, path, scheme: 'vscode-remote', authority: location.host }, trusted: true }));
const trust = (before) => JSON.stringify({
  uriTrustInfo: [...(before ? JSON.parse(before).uriTrustInfo ?? [] : []), ...trusted] });

// the editor's own hash of a string, by which it names the storage of a folder
const hash = (text) => {
  const step = (value, so) => ((so << 5) - so + value) | 0;
  let result = step(149417, 0);
  for (let i = 0; i < text.length; i++) result = step(text.charCodeAt(i), result);
  return result.toString(16);
};
const encoded = (path) => path.split('/').map((part) =>
  encodeURIComponent(part).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase())).join('/');
const storageOf = (folder) => '${prefix}' + hash('vscode-remote://' + location.host + encoded(folder)) + '-' + hash('');

Promise.all([
  ...${JSON.stringify(databases)}.map((name) => update(name, 'content.trust.model.key', trust)),
  ...(view ? folders.map((folder) => update(storageOf(folder), 'workbench.auxiliarybar.activepanelid', () => view)) : []),
])
  .catch((error) => console.error('the editor could not be prepared', error))
  .then(() => {
    document.cookie = '${cookie}; path=/; max-age=31536000; samesite=lax';
    if (document.cookie.includes('${cookie}')) location.reload();
    else document.body.textContent = 'The editor needs cookies and site data for this address. Allow them and reload.';
  });
`;
  return `<!doctype html><meta charset="utf-8"><title>Opening…</title><body><script>${script}</script>`;
}

/**
 * The editor has a terminal and no password: a foreign name that was made to point at this machine (DNS rebinding) must not reach it.
 * @param {string | undefined} host the request's `Host`
 */
export function isLoopback(host) {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? '');
}

/**
 * @param {{socket: string, port: number, trusted: string[], view?: string}} o
 * @returns {Promise<{port: number, close(): void}>}
 */
export async function startFront({ socket, port, trusted, view }) {
  // Cookies do not know ports, the browser's storage does: the port is part of the name, and other folders are another value.
  let cookie = '';
  const wantsFirstPage = (request) =>
    trusted.length > 0 &&
    request.method === 'GET' &&
    request.url.split('?')[0] === '/' &&
    String(request.headers.accept ?? '').includes('text/html') &&
    !String(request.headers.cookie ?? '').includes(cookie);

  const server = http.createServer((request, response) => {
    if (!isLoopback(request.headers.host)) {
      response.writeHead(403, { 'content-type': 'text/plain' });
      response.end('This editor answers at 127.0.0.1 and localhost only.');
      return;
    }
    if (wantsFirstPage(request)) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      response.end(firstPage(trusted, view, cookie));
      return;
    }
    const inner = http.request(
      { socketPath: socket, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.rawHeaders);
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      },
    );
    inner.on('error', () => {
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
      response.end('The editor does not answer.');
    });
    response.on('close', () => inner.destroy());
    request.pipe(inner);
  });

  /** @type {Set<import('node:net').Socket>} */
  const open = new Set();
  server.on('connection', (connection) => {
    open.add(connection);
    connection.on('close', () => open.delete(connection));
  });

  // WebSockets: the request's head goes through as it came, then both sides are one pipe
  server.on('upgrade', (request, outer, head) => {
    if (!isLoopback(request.headers.host)) {
      outer.destroy();
      return;
    }
    const inner = net.connect(socket, () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let i = 0; i < request.rawHeaders.length; i += 2)
        lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
      inner.write(`${lines.join('\r\n')}\r\n\r\n`);
      if (head.length > 0) inner.write(head);
      inner.pipe(outer);
      outer.pipe(inner);
    });
    inner.on('error', () => outer.destroy());
    outer.on('error', () => inner.destroy());
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
  });

  await new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        error.code === 'EADDRINUSE' ? new StepError(`Port ${port} is in use; choose another with --port.`) : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const own = server.address().port;
  cookie = `mm-trust-${own}=${createHash('sha256').update(JSON.stringify(trusted)).digest('hex').slice(0, 16)}`;
  return {
    port: own,
    close() {
      server.close();
      for (const connection of open) connection.destroy();
    },
  };
}
