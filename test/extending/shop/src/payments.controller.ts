import { createHmac, timingSafeEqual } from 'node:crypto';
import { Controller, Headers, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { BadRequestError, PayloadTooLargeError, type RoostRequest, UnauthorizedError } from 'roost';
import { OrdersService } from './orders.service.js';
import { WEBHOOK_SECRET } from './webhook-secret.js';

const MAX_BYTES = 65_536;

/** Hears from the payment provider, who signs the bytes of the body. */
@Controller('api/shop/payments')
export class PaymentsController {
  constructor(
    private readonly orders: OrdersService,
    @Inject(WEBHOOK_SECRET) private readonly secret: string,
  ) {}

  /** Without `@ReadsBody()` the body is left unread, and its very bytes can be had from the raw request. */
  @Post('webhook')
  @HttpCode(204)
  async webhook(@Req() request: RoostRequest, @Headers('x-signature') signature = ''): Promise<void> {
    const body = await readBytes(request);
    const expected = createHmac('sha256', this.secret).update(body).digest();
    const given = Buffer.from(signature, 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new UnauthorizedError();
    await this.orders.pay(orderOf(body));
  }
}

async function readBytes({ raw }: RoostRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Left early, the loop would otherwise end the connection, and nobody would read the answer.
  for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new PayloadTooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function orderOf(body: Buffer): string {
  try {
    return String((JSON.parse(body.toString()) as { order?: unknown }).order);
  } catch {
    throw new BadRequestError();
  }
}
