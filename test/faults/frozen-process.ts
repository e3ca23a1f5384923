import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Copies what a process has on the disk at one moment: exactly what a kill at that moment would leave, because what a
 * process has written is the system's to keep. Far cheaper than a kill, after which everything has to start again.
 *
 * `atThatMoment` is called while the process and its children stand still.
 */
export async function copyAsKilled<T>(pid: number, from: string, to: string, atThatMoment: () => T): Promise<T> {
  const stopped: number[] = [];
  try {
    for (let waiting = [pid]; waiting.length > 0;) {
      for (const each of waiting) {
        process.kill(each, 'SIGSTOP');
        stopped.push(each);
        while (stateOf(each) === 'running') await sleep(1);
      }
      waiting = childrenOf(pid).filter((child) => !stopped.includes(child));
    }
    const known = atThatMoment();
    cpSync(from, to, { recursive: true });
    return known;
  } finally {
    for (const each of stopped) if (stateOf(each) === 'stopped') process.kill(each, 'SIGCONT');
  }
}

function stateOf(pid: number): 'running' | 'stopped' | 'gone' {
  try {
    const state = /^\d+ \(.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
    return state === 'T' ? 'stopped' : state === 'Z' ? 'gone' : 'running';
  } catch {
    return 'gone';
  }
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
