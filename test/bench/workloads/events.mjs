import { setTimeout as sleep } from 'node:timers/promises';
import { EventStreams } from '../event-streams.mjs';
import { Measurement } from '../measurement.mjs';
import { number } from './blog.mjs';

const STREAMS = 100;
const CHANGES = 50;
/** As many as `--streams` says. */
const MANY_STREAMS = 2_000;
const CHANGES_FOR_MANY = 9;
/** Until what connecting left behind is given back, in ms. */
const UNTIL_REST = 3_000;

/** What streams take that hear nothing, of a server that has done nothing else yet. */
export async function idleStreams({ bench, load, report }) {
  const { streams: count = MANY_STREAMS } = bench.options;
  const streams = new EventStreams(load);
  const before = load.server.memory();
  try {
    await streams.open(count);
    await sleep(UNTIL_REST);
    const memory = load.server.memory();
    const figures = { 'KiB each': ((memory - before) * 1024) / count };
    report.add(`${count} idle streams`, Object.assign(new Measurement(), { memory }), { group: 'realtime', figures });
  } finally {
    streams.close();
  }
}

/** How long it takes until everybody who watches the posts has heard of a change, from the request that makes it. */
export async function events(context) {
  await untilHeard(context, STREAMS, CHANGES);
  await untilHeard(context, context.bench.options.streams ?? MANY_STREAMS, CHANGES_FOR_MANY);
}

async function untilHeard({ blog, load, report }, count, changes) {
  const { size: posts } = blog;
  const streams = new EventStreams(load);
  try {
    await streams.open(count);
    await streams.subscribe(`${blog.name('posts')}/*`);
    const path = `${blog.records('posts')}/${number('posts', 0)}`;
    const measurement = await Measurement.of(load.server, async (measurement) => {
      for (let views = 0; views < changes; views++) {
        const heard = streams.expect();
        await measurement.time(async () => {
          await load.call('PATCH', path, { token: blog.token, body: { views } });
          await heard;
        });
      }
    });
    const what = `a change, until ${count} streams have heard of it`;
    report.add(what, measurement, { group: 'realtime', posts });
  } finally {
    streams.close();
  }
}
