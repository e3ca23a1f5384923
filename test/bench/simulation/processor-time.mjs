import { readdirSync, readFileSync } from 'node:fs';

/** Nanoseconds of processor time of a process and of those it has started, as the scheduler counts them. */
export function processorTime(pid) {
  return processes(pid).reduce((sum, each) => sum + timeOf(each), 0);
}

function processes(pid) {
  const children = tasks(pid).flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean));
  return [pid, ...children.flatMap(processes)];
}

function timeOf(pid) {
  return tasks(pid).reduce((sum, task) => sum + Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]), 0);
}

function tasks(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
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
