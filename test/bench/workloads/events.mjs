import { EventStreams } from '../event-streams.mjs';
import { Measurement } from '../measurement.mjs';
import { number } from './blog.mjs';

const STREAMS = 100;
const CHANGES = 50;

/** How long it takes until everybody who watches the posts has heard of a change, from the request that makes it. */
export async function events({ blog, load, report }) {
  const { size: posts } = blog;
  const streams = new EventStreams(load);
  try {
    await streams.open(STREAMS);
    await streams.subscribe(`${blog.name('posts')}/*`);
    const path = `${blog.records('posts')}/${number('posts', 0)}`;
    const measurement = await Measurement.of(load.server, async (measurement) => {
      for (let views = 0; views < CHANGES; views++) {
        const heard = streams.expect();
        await measurement.time(async () => {
          await load.call('PATCH', path, { token: blog.token, body: { views } });
          await heard;
        });
      }
    });
    report.add(`a change, until ${STREAMS} streams have heard of it`, measurement, { group: 'realtime', posts });
  } finally {
    streams.close();
  }
}
