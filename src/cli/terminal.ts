import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** The person's terminal, beside stdin and stdout, which may be pipes. */
export interface Terminal {
  write(text: string): void;
  /** One line; undefined at the end of input. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** The terminal of this process, or undefined where no person sits at one. */
export function openTerminal(): Terminal | undefined {
  if (!process.stderr.isTTY) return undefined;
  let fd: number;
  try {
    fd = openSync(process.platform === 'win32' ? '\\\\.\\CON' : '/dev/tty', 'r+');
  } catch {
    // no controlling terminal
    return undefined;
  }
  const write = (text: string) => {
    writeSync(fd, text);
  };
  return {
    write,
    async ask(question) {
      write(question);
      const bytes = Buffer.alloc(1);
      const line: number[] = [];
      // a terminal gives whole lines; blocking is what a question at the start is for
      while (readSync(fd, bytes, 0, 1, null) === 1) {
        if (bytes[0] === 10) return Buffer.from(line).toString('utf8').trim();
        line.push(bytes[0]!);
      }
      return undefined;
    },
    close: () => closeSync(fd),
  };
}
