import type { Worker } from 'node:cluster';

/** What node:cluster and its workers say to each other, as far as it is about a new connection. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/**
 * Has another worker answer the connection that was on its way to one that ends. Node.js waits for the answer of the
 * ended one for ever, with the connection open: in the worker's place it is told here that the connection was not
 * accepted. Should Node.js speak otherwise one day, that connection hangs, as it does without this.
 */
export function rescueConnection({ process: worker }: Worker): void {
  let underway: number | undefined;
  const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
  worker.send = (message: ClusterMessage, ...rest: unknown[]) => {
    if (message.act === 'newconn') underway = message.seq;
    return send(message, ...rest);
  };
  worker.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack === underway) underway = undefined;
  });
  const give = (): void => {
    // What it has still said is read first.
    if (worker.connected) return void setImmediate(give);
    if (underway !== undefined) worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: underway, accepted: false });
  };
  worker.on('exit', give);
}
