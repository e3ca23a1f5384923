import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  CurrentAuth,
  CurrentBody,
  CurrentCaller,
  DtoPipe,
  RateLimitTag,
  ReadsBody,
  type RecordModel,
  RecordsService,
  RequireAuth,
} from 'roost';
import { OrdersService } from './orders.service.js';
import { PlaceOrderDto } from './place-order.dto.js';

/** The answer to an order. */
export class PlacedOrder {
  @ApiProperty()
  id: string;

  @ApiProperty()
  total: number;
}

/** What a customer does in the shop. */
@ApiTags('shop')
@Controller('api/shop')
@RequireAuth('customers')
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly records: RecordsService,
  ) {}

  @Post('orders/:product')
  @ReadsBody()
  @RateLimitTag('checkout')
  @ApiOperation({ summary: 'Orders a product' })
  @ApiBody({ type: PlaceOrderDto })
  @ApiOkResponse({ type: PlacedOrder })
  async place(
    @CurrentAuth() customer: RecordModel,
    @Param('product') product: string,
    @CurrentBody('values', DtoPipe) { quantity }: PlaceOrderDto,
  ): Promise<PlacedOrder> {
    const order = await this.orders.place(customer, product, quantity);
    return { id: order.id, total: order.get('total') as number };
  }

  /** The list rule of orders decides what is counted. */
  @Get('orders/count')
  @ApiOperation({ summary: 'How many orders the caller has' })
  async count(@CurrentCaller() caller: Caller): Promise<{ count: number }> {
    return { count: await this.records.count('orders', { as: caller }) };
  }
}
