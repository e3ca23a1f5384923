import { readFileSync, writeFileSync } from 'node:fs';

/** What /proc tells of a server by its process, on Linux. */
export class ProcessFigures {
  constructor(pid) {
    this.pid = pid;
  }

  /** Memory in MiB, with the processes it has started; what several share counts once (the proportional set size). */
  memory() {
    const kib = this.#processes().map((pid) => /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1]);
    return kib.reduce((sum, each) => sum + Number(each ?? 0), 0) / 1024;
  }

  /** Looks at the memory every few milliseconds; tells by how much it was larger than now, in MiB. */
  watchMemory() {
    const before = this.memory();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, this.memory())), 20).unref();
    return () => {
      clearInterval(timer);
      return peak - before;
    };
  }

  /** Resident memory of its own process alone in MiB, with what it shares with others. */
  residentMemory() {
    return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${this.pid}/status`))?.[1] ?? 0) / 1024;
  }

  /**
   * Tells by how much resident memory was larger than now, in MiB, at its peak: its own process to the byte, with those it
   * has started as looked at now and then, without the files that they share with it.
   */
  watchResidentMemory() {
    const resident = (pid, name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/status`))?.[1]);
    const { pid } = this;
    // The program itself is in memory once, however many processes run it.
    const of = (each) => resident(each, each === pid ? 'VmRSS' : 'RssAnon') || 0;
    const all = () => this.#processes().reduce((sum, each) => sum + of(each), 0);
    const [before, own] = [all(), resident(pid, 'VmRSS')];
    // From here on the highest is counted anew.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    let [peak, highest] = [before, own];
    const look = () => {
      peak = Math.max(peak, all());
      highest = Math.max(highest, resident(pid, 'VmHWM') || 0);
    };
    const timer = setInterval(look, 20).unref();
    return () => {
      clearInterval(timer);
      look();
      return Math.max(peak - before, highest - own) / 1024;
    };
  }

  /** Seconds of processor time used so far, with the processes it has started, those that have ended included. */
  cpuTime() {
    const ticks = this.#processes().map((pid) => {
      const [user, system, ended, endedSystem] = (read(`/proc/${pid}/stat`).split(') ')[1] ?? '').split(' ').slice(11);
      return [user, system, ended, endedSystem].reduce((sum, each) => sum + Number(each ?? 0), 0);
    });
    return ticks.reduce((sum, each) => sum + each, 0) / 100;
  }

  /** Its own process and those it has started: slow queries run in processes that can be killed. */
  #processes() {
    const { pid } = this;
    return [pid, ...read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)];
  }
}

/** The text of a file of /proc; '' when its process has just ended. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
