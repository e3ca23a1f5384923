// What `Load.paceElsewhere` does elsewhere.
import { parentPort, workerData } from 'node:worker_threads';
import { Load } from './load.mjs';

const { origin, request, options } = workerData;
const load = new Load(origin, {});
const measurement = await load.pace(request, options);
await load.close();
parentPort.postMessage(measurement);
