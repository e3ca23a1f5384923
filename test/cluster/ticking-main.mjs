/**
 * Roost with a job of a team's, which writes into the file RUNS which process it runs in. An interval begins when its
 * process does: those of several processes come at different moments, so that none is in the way of another.
 */
import { appendFileSync } from 'node:fs';
import { Interval } from '@nestjs/schedule';
import { runRoost } from '../../dist/index.js';

class Ticking {
  tick() {
    appendFileSync(process.env.RUNS, `${process.pid}\n`);
  }
}
Interval('tick', 300)(Ticking.prototype, 'tick', Object.getOwnPropertyDescriptor(Ticking.prototype, 'tick'));

await runRoost({ imports: [{ module: class TickingModule {}, providers: [Ticking] }] });
