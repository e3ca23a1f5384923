import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.js';

/** Carries bytes between a port of its own and another one of the loopback interface, until it is cut. */
export class TcpForwarder {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async to(target: number): Promise<TcpForwarder> {
    const server = createServer();
    const forwarder = new TcpForwarder(server, await freePort());
    await forwarder.mend();
    server.on('connection', (socket: Socket) => forwarder.carry(socket, target));
    return forwarder;
  }

  /** Ends what is connected; nobody gets through from now on. */
  async cut(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Lets everybody through again. */
  async mend(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  private carry(socket: Socket, target: number): void {
    const other = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
