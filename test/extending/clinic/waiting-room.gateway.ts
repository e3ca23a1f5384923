import { UseFilters, UseInterceptors } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway, WebSocketServer } from '@nestjs/websockets';
import { AfterRecordCreate, type Caller, CurrentCaller, ErrorFilter, type RecordCreatedEvent } from 'roost';
import type { Server } from 'ws';
import { AppointmentsService } from './appointments.service.js';
import { TokenInterceptor } from './token.interceptor.js';

/** Tells everybody which hours are taken, and each member which are theirs. */
@WebSocketGateway({ path: '/waiting-room' })
@UseFilters(ErrorFilter)
export class WaitingRoomGateway {
  @WebSocketServer()
  private readonly server!: Server;

  constructor(private readonly appointments: AppointmentsService) {}

  @SubscribeMessage('mine')
  @UseInterceptors(TokenInterceptor)
  async mine(@CurrentCaller() caller: Caller): Promise<{ event: string; data: unknown[] }> {
    const found = await this.appointments.upcoming(caller);
    return { event: 'mine', data: found.map((record) => record.get('at')) };
  }

  @AfterRecordCreate('appointments')
  tell({ record }: RecordCreatedEvent): void {
    const text = JSON.stringify({ event: 'taken', data: record.get('at') });
    for (const client of this.server.clients) client.send(text);
  }
}
