// Loaded before a program (`node --import .../traffic-recorder.mjs?to=<file>`): writes down what its HTTP servers are
// asked and tell, a line for each piece, so that it is there even when the process is killed.
import { openSync, writeSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { isWatched, teeExchange } from './traffic-tee.mjs';

const file = openSync(new URL(import.meta.url).searchParams.get('to'), 'a');
let count = 0;

function record(request, response) {
  if (!isWatched(request.url)) return;
  const id = ++count;
  const line = (kind, value) => writeSync(file, `${JSON.stringify([id, kind, value])}\n`);
  line('from', `${request.method} ${request.url}`);
  teeExchange(request, response, {
    asked: (chunk) => line('asked', chunk.toString('base64')),
    head: (text, encoding) => line('head', [text, encoding]),
    told: (chunk) => line('told', chunk.toString('base64')),
    ended: () => line('ended'),
  });
}

for (const { Server } of [http, https]) {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event, ...args) {
    if (event === 'request') record(...args);
    return emit.call(this, event, ...args);
  };
}
