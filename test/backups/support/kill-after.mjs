// Loaded before the program (`node --import`). The process kills itself, as the system would, right after the call of
// the file system that KILL_AFTER names: `<function> <pattern of its arguments>`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [, name, pattern] = /^(\w+) (.+)$/.exec(process.env.KILL_AFTER);
const isMeant = (args) => new RegExp(pattern).test(args.filter((arg) => typeof arg === 'string').join(' '));
const kill = () => process.kill(process.pid, 'SIGKILL');

if (name === 'createWriteStream') {
  const original = fs.createWriteStream;
  fs.createWriteStream = (...args) => {
    const stream = original(...args);
    if (isMeant(args)) stream.once('open', kill);
    return stream;
  };
} else {
  const original = fs.promises[name];
  fs.promises[name] = async (...args) => {
    const result = await original(...args);
    if (isMeant(args)) kill();
    return result;
  };
}
syncBuiltinESMExports();
