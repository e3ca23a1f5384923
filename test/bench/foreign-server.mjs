import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessFigures } from './process-figures.mjs';

/** Between two questions whether it answers, in ms. */
const PAUSE = 5;

/** A server of any kind, started by a command in which `{dir}` stands for an empty directory. */
export class ForeignServer extends ProcessFigures {
  #child;
  #ended;

  constructor(command, dir) {
    // `exec`, so that the process is the server and not the shell before it.
    const child = spawn(`exec ${command.replaceAll('{dir}', dir)}`, {
      shell: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    super(child.pid);
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', resolve)).then(() => (this.hasEnded = true));
  }

  /** Fulfilled when it answers at an address. */
  async answers(url) {
    for (;;) {
      const response = await fetch(url).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.ok) return this;
      if (this.hasEnded) throw new Error('The command has ended.');
      await sleep(PAUSE);
    }
  }

  async stop() {
    if (!this.hasEnded) this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
