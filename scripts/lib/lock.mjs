import { open, readFile, rm } from 'node:fs/promises';

/**
 * Runs work while no other process runs work under the same file. A lock whose process is gone is taken over.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  let said = false;
  for (;;) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(String(process.pid));
      await handle.close();
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const pid = Number(await readFile(file, 'utf8').catch(() => ''));
    if (pid > 0 && lives(pid)) {
      if (!said) console.log(`… waiting for another installation (process ${pid})`);
      said = true;
      await new Promise((resolve) => setTimeout(resolve, 500));
    } else {
      // an empty file may be one that is just being written
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (Number(await readFile(file, 'utf8').catch(() => '')) === pid) await rm(file, { force: true });
    }
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
